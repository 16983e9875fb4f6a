"""How the tests run: the hypothesis profiles, and the markers that folders give."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from botocore.hooks import EventAliaser
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase, InMemoryExampleDatabase

TESTS = Path(__file__).parent
LONG = os.environ.get("PKSK_LONG", "") not in {"", "0"}
WIDER = os.environ.get("PKSK_WIDER", "") not in {"", "0"}
# A slice of the long run: tests in another order each time, and none starts after this time.
SLICE_SECONDS = float(os.environ.get("PKSK_SLICE_SECONDS", "0"))
BEGAN = monotonic()
# Twenty examples of each property keep `make test` short. Every run draws others, and the printed blob brings a failure
# back; only `make test` where CI is set repeats its examples, so that a change is judged by what it changes. The slice
# of `make long` that follows there draws others each time, and many more.
COMMON = settings(deadline=None, derandomize=False, print_blob=True, max_examples=20)

settings.register_profile(
    "default",
    COMMON,
    database=DirectoryBasedExampleDatabase(TESTS.parent / ".hypothesis" / "examples"),
)
settings.register_profile("ci", COMMON, derandomize=True, database=None)
settings.register_profile(
    "long",
    COMMON,
    database=InMemoryExampleDatabase(),
    max_examples=int(os.environ.get("PKSK_LONG_EXAMPLES", "5000")),
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_configure(config: pytest.Config) -> None:
    # Collecting tests makes millions of objects and little garbage; searching them for it took a third of the time.
    gc.set_threshold(50_000, 20, 50)
    _share_event_names()
    config.addinivalue_line("markers", "long: takes minutes; runs only with PKSK_LONG=1, as `make long` sets")
    config.addinivalue_line("markers", "wider: runs only with PKSK_WIDER=1, as `.ci/run` sets it")
    config.addinivalue_line(
        "markers", "every_transport: runs over call, botocore and HTTP each time, not only in a sample"
    )
    for folder in _folders():
        config.addinivalue_line("markers", f"{folder}: all of tests/{folder}")
    settings.load_profile("long" if LONG else "ci" if os.environ.get("CI") else "default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folders = _folders()
    for item in items:
        folder = _folder(item)
        if folder in folders:
            item.add_marker(folder)
        if not LONG and item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="long: run it with `make long`"))
        if not (LONG or WIDER) and item.get_closest_marker("wider"):
            item.add_marker(pytest.mark.skip(reason="wider: .ci/run runs it, with PKSK_WIDER=1"))
    if SLICE_SECONDS:
        # All workers must agree on the order; they share the name of the run.
        Random(os.environ.get("PYTEST_XDIST_TESTRUNUID", "alone")).shuffle(items)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    # A module of tests has no examples, and looking for them takes as long as finding its tests.
    collectors = yield
    is_tests = file_path.name.startswith("test_")
    return [each for each in collectors if not (is_tests and isinstance(each, DoctestModule))]


def pytest_collection_finish() -> None:
    # Twenty thousand tests are a heap that no later collection need walk through again.
    gc.collect()
    gc.freeze()


def pytest_runtest_setup() -> None:
    if SLICE_SECONDS and monotonic() - BEGAN > SLICE_SECONDS:
        pytest.skip(f"the slice of {SLICE_SECONDS:.0f} seconds is over")


def _folders() -> set[str]:
    return {path.name for path in TESTS.iterdir() if path.is_dir() and path.name[0] not in "._"}


def _share_event_names() -> None:
    """All sessions of botocore share the event names that they have worked out, which is a third of making one."""
    known: dict[str, str] = {}
    make = EventAliaser.__init__

    def init(self: Any, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        self._alias_name_cache = known

    EventAliaser.__init__ = init


def _folder(item: pytest.Item) -> str:
    """The folder of a test below tests/; empty for the examples of the source."""
    place, _, rest = item.nodeid.partition("/")
    return rest.partition("/")[0] if place == TESTS.name else ""
