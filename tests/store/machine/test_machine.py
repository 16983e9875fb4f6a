"""The store against a model of it: one that waits, one that awaits, and one on a file."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import Phase, settings

from pksk import AsyncStore, Engine, Store
from pksk.connection.engine_client import AsyncEngineClient
from tests.conftest import LONG
from tests.store.async_as_sync import awaited
from tests.store.machine.machine import StoreMachine


class AwaitingMachine(StoreMachine):
    """The same steps through the store for programs that await."""

    def store(self) -> Store:
        self.runner = asyncio.Runner()
        return awaited(AsyncStore(AsyncEngineClient(self.engine), self.core), self.runner)

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "runner"):
            self.runner.close()


class FileMachine(StoreMachine):
    """The same steps on a file."""

    def opened(self, path: str = ":memory:") -> Engine:
        self.folder = tempfile.TemporaryDirectory()
        return super().opened(str(Path(self.folder.name, "park.db")))

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "folder"):
            self.folder.cleanup()


def _settings(examples: int) -> settings:
    """So many runs of thirty steps; explaining a failure would take longer than finding it."""
    phases = [each for each in Phase if each is not Phase.explain]
    return settings(max_examples=examples * 50 if LONG else examples, stateful_step_count=30, phases=phases)


TestInMemory = StoreMachine.TestCase
TestInMemory.settings = _settings(12)
TestAwaiting = AwaitingMachine.TestCase
TestAwaiting.settings = _settings(6)
TestInFile = FileMachine.TestCase
TestInFile.settings = _settings(4)
