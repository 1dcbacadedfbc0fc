"""How much the laws are tried: `pytest tests/laws --hypothesis-profile thousands` tries each of them 5,000 times."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "thousands",
    max_examples=5_000,
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
