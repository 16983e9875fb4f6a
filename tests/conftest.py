"""How the tests run: the hypothesis profiles, and the markers that folders give."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from random import Random
from time import monotonic

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase, InMemoryExampleDatabase

TESTS = Path(__file__).parent
LONG = os.environ.get("PKSK_LONG", "") not in {"", "0"}
WIDER = os.environ.get("PKSK_WIDER", "") not in {"", "0"}
# A slice of the long run: tests in another order each time, and none begun after so many seconds.
SLICE_SECONDS = float(os.environ.get("PKSK_SLICE_SECONDS", "0"))
BEGAN = monotonic()
# Truly random everywhere, also where CI is set and hypothesis would rather repeat itself;
# the printed blob brings a failure back.
# Thirty examples of each property keep `make test` short; every run draws others, and `make long` draws thousands.
COMMON = settings(deadline=None, derandomize=False, print_blob=True, max_examples=30)

settings.register_profile(
    "default",
    COMMON,
    database=DirectoryBasedExampleDatabase(TESTS.parent / ".hypothesis" / "examples"),
)
settings.register_profile("ci", COMMON, database=InMemoryExampleDatabase())
settings.register_profile(
    "long",
    COMMON,
    database=InMemoryExampleDatabase(),
    max_examples=int(os.environ.get("PKSK_LONG_EXAMPLES", "5000")),
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes minutes; runs only with PKSK_LONG=1, as `make long` sets")
    config.addinivalue_line("markers", "wider: runs only with PKSK_WIDER=1, as `.ci/run` sets it")
    for folder in _folders():
        config.addinivalue_line("markers", f"{folder}: all of tests/{folder}")
    settings.load_profile("long" if LONG else "ci" if os.environ.get("CI") else "default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folders = _folders()
    for item in items:
        for folder in folders.intersection(_parts(item.path)):
            item.add_marker(folder)
        if not LONG and item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="long: run it with `make long`"))
        if not (LONG or WIDER) and item.get_closest_marker("wider"):
            item.add_marker(pytest.mark.skip(reason="wider: .ci/run runs it, with PKSK_WIDER=1"))
    if SLICE_SECONDS:
        # All workers must agree on the order; what they share is the name of the run.
        Random(os.environ.get("PYTEST_XDIST_TESTRUNUID", "alone")).shuffle(items)


def pytest_collection_finish() -> None:
    # Twenty thousand tests are a heap that no later collection need walk through again.
    gc.collect()
    gc.freeze()


def pytest_runtest_setup() -> None:
    if SLICE_SECONDS and monotonic() - BEGAN > SLICE_SECONDS:
        pytest.skip(f"the slice of {SLICE_SECONDS:.0f} seconds is over")


def _folders() -> set[str]:
    return {path.name for path in TESTS.iterdir() if path.is_dir() and path.name[0] not in "._"}


def _parts(path: Path) -> tuple[str, ...]:
    return path.relative_to(TESTS).parts[:1] if path.is_relative_to(TESTS) else ()
