"""Writes schemas/*.json: `python -m app.exchange.schemas [folder]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from app.exchange import EXCHANGES
from app.exchange.published import schemas_of

FOLDER = Path(__file__).parents[2] / "schemas"


def texts() -> dict[str, str]:
    """The text of every schema file, by file name."""
    return {
        id.rpartition("/")[2]: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for exchange in EXCHANGES.values()
        for id, schema in schemas_of(exchange.model).items()
    }


def write(folder: Path = FOLDER) -> None:
    """Write the files; those already there are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:2]))
