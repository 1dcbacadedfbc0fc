"""Fixtures that tests of several modules share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import DATABASES, Database, a_database


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of each kind in turn."""
    with a_database(request.param, tmp_path) as made:
        yield made
