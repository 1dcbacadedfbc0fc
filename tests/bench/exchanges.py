"""Messages of the exchange: read with every check, written, and in canonical form; beside Python's own json."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from app.exchange import Response, canonical, read_request, write_response
from app.model import LOCAL
from app.service import Service
from app.settings import Settings
from tests.bench.http import turns_of
from tests.bench.measure import Contender, Operation, Row, Scale, race, ratio, timed
from tests.bench.worlds import plan


def rows(scale: Scale) -> list[Row]:
    """One row."""
    (raw,) = turns_of([step for step, _ in plan()], 1)
    with TemporaryDirectory(prefix="bench-") as folder, Service.open(Settings(data=Path(folder))) as service:
        answer = service.answer(raw, LOCAL)
    request, response = read_request(raw), Response.model_validate_json(answer)
    document, answered = json.loads(raw), json.loads(answer)
    assert write_response(response) == answer
    dump = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))

    def times(name: str, operation: Operation) -> Contender:
        return Contender(name, lambda _: timed([operation] * scale.operations))

    figures = race(
        [
            times("read_request", partial(read_request, raw)),
            times("json.loads", partial(json.loads, raw)),
            times("write_response", partial(write_response, response)),
            times("json.dumps", partial(dump, answered)),
            times("canonical", partial(canonical, request)),
            times("json.dumps, members sorted", partial(dump, document, sort_keys=True)),
        ],
        scale.rounds,
    )
    return [
        Row(
            "messages of the exchange",
            figures,
            tuple(
                ratio(f"{ours.name} / {theirs.name}", ours, theirs)
                for ours, theirs in zip(figures[::2], figures[1::2], strict=True)
            ),
            (f"a Request of {len(raw):,} bytes and a Response of {len(answer):,}: the whole plan of friends_meet",),
        )
    ]
