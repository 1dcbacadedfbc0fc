"""A 3 kB message checked, beside jsonschema and jsonschema-rs with the same schemas, formats asserted.

Ours judges the prose as well and looks for what to warn of; the others judge the structure only. Where jsonschema-rs
is not installed (`make bench` installs it), the rows say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from app.exchange import BKN_USR, check, check_text
from app.exchange.published import id_of, schemas_of
from tests.bench.measure import Contender, Row, Scale, race, ratio, timed

MESSAGE: Final = Path(__file__).parents[2] / "schemas/examples/bkn-usr/valid/knowledge_response.json"
Judge: TypeAlias = Callable[[Any], bool]


def rows(scale: Scale) -> list[Row]:
    """A row for a message that conforms, and one for the same with three faults, all of which are to be told."""
    document = json.loads(MESSAGE.read_bytes())
    raw = json.dumps(document, separators=(",", ":")).encode()
    faulty = json.loads(raw)
    faulty["TurnIndex"] = -1
    faulty["RefinedUserState"]["Knowledge"][0]["Confidence"] = 2
    del faulty["RefinedUserState"]["Emotion"]["Header"]
    peers, notes = _peers()
    for name, (is_valid, faults) in peers.items():
        assert is_valid(document), name
        assert not is_valid(faulty), name
        assert len(faults(faulty)) == 3, name
    assert check(document).conforms
    assert len(check(faulty).faults) == 3
    size = f"a BKN-USR Response of {len(raw):,} bytes; ours judges the prose, too"
    return [
        _row(
            "a message that conforms",
            {
                "check": partial(check, document),
                "check_text, JSON read": partial(check_text, raw),
                **{name: partial(is_valid, document) for name, (is_valid, _) in peers.items()},
            },
            scale,
            (size, *notes),
        ),
        _row(
            "all three faults of a message",
            {
                "check": partial(check, faulty),
                **{name: partial(faults, faulty) for name, (_, faults) in peers.items()},
            },
            scale,
            (size, "ours with hints and clauses", *notes),
        ),
    ]


def _row(title: str, operations: dict[str, Callable[[], object]], scale: Scale, notes: tuple[str, ...]) -> Row:
    def contender(name: str, operation: Callable[[], object]) -> Contender:
        return Contender(name, lambda _: timed([operation] * max(scale.operations // 4, 4)))

    ours, *others = race([contender(name, operation) for name, operation in operations.items()], scale.rounds)
    return Row(
        title, (ours, *others), tuple(ratio(f"{ours.name} / {each.name}", ours, each) for each in others), notes
    )


def _peers() -> tuple[dict[str, tuple[Judge, Callable[[Any], list[Any]]]], tuple[str, ...]]:
    """Each peer with how it judges and how it tells every fault; and what is to be said of those not there."""
    schemas, root = schemas_of(BKN_USR.model), id_of(BKN_USR.model)
    registry: Registry[Any] = Registry().with_resources(
        (id, Resource.from_contents(schema)) for id, schema in schemas.items()
    )
    formats = Draft202012Validator.FORMAT_CHECKER
    python = Draft202012Validator(schemas[root], registry=registry, format_checker=formats)
    found: dict[str, tuple[Judge, Callable[[Any], list[Any]]]] = {
        f"jsonschema {version('jsonschema')}": (python.is_valid, lambda document: list(python.iter_errors(document)))
    }
    try:
        rust = import_module("jsonschema_rs")
    except ImportError:
        return found, ("jsonschema-rs is NOT measured: it is not installed",)
    made = rust.Draft202012Validator(schemas[root], retriever=schemas.__getitem__, validate_formats=True)
    name = f"jsonschema-rs {version('jsonschema-rs')}"
    return found | {name: (made.is_valid, lambda document: list(made.iter_errors(document)))}, ()
