"""The process in which rustdl runs, within limits and killed by whoever started it.

    python -m app.authoring.logic.rustdl_process MEGABYTES

It reads questions as lines of JSON, `[question, file]`, and answers each by a line of JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

import rustdl


def main() -> None:
    """Answer questions until the input ends."""
    limit = int(sys.argv[1]) * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")  # the answer says what is incomplete
    for line in sys.stdin:
        question, file = json.loads(line)
        try:
            answer = _QUESTIONS[question](file)
        except BaseException as error:  # a panic of Rust is no Exception
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


def _consistent(file: str) -> dict[str, Any]:
    return {"consistent": rustdl.is_consistent(file)}


def _judge(file: str) -> dict[str, Any]:
    found = rustdl.classify(file)
    inconsistent = found.inconsistent or not rustdl.is_consistent(file)
    return {
        "inconsistent": inconsistent,
        "unsatisfiable": [] if inconsistent else found.unsatisfiable,
        "complete": found.complete and not found.consistency_undetermined,
        "dropped": rustdl.dropped_axioms(file),
    }


_QUESTIONS: Final[dict[str, Callable[[str], dict[str, Any]]]] = {"consistent": _consistent, "judge": _judge}

if __name__ == "__main__":
    main()
