"""Fixtures that tests of several modules share, and how much the laws are tried.

`pytest tests/laws --hypothesis-profile thousands` tries each law 5,000 times.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.databases import DATABASES, Database, a_database

settings.register_profile(
    "thousands",
    max_examples=5_000,
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of each kind in turn."""
    with a_database(request.param, tmp_path) as made:
        yield made
