"""The trace of --pksk-trace: the calls of all tests of a run, in one file that `pksk check --traffic` reads."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from shutil import copyfileobj
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from pksk.engine import Engine
from pksk.engine.heat.trace import Trace

from .engine_observer import use_observer


class TraceFile:
    """The plugin for --pksk-trace. Each worker of xdist writes a file, and the main process joins them."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        worker: dict[str, Any] = getattr(config, "workerinput", {})
        self._path = path.with_name(f"{path.name}.{worker['workerid']}") if worker else path
        self._trace = Trace(self._path, time.time)
        self._recorded: WeakKeyDictionary[Engine, AbstractContextManager[None]] = WeakKeyDictionary()
        self._workers: list[Path] = []
        self._stack = ExitStack()
        self._stack.callback(self._close)
        self._stack.enter_context(use_observer(self._begin))
        config.add_cleanup(self._stack.close)

    def _begin(self, engine: object) -> None:
        """Record the calls of an engine, from when it is first seen to the end of the run."""
        if isinstance(engine, Engine) and engine not in self._recorded:
            self._recorded[engine] = engine.trace(self._trace)
            self._recorded[engine].__enter__()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """In the main process of xdist: note the file of a worker."""
        self._workers.append(self._path.with_name(f"{self._path.name}.{node.workerinput['workerid']}"))

    def _close(self) -> None:
        self._trace.close()
        with self._path.open("ab") as joined:
            for path in filter(Path.is_file, self._workers):
                with path.open("rb") as lines:
                    lines.readline()  # the version is in the joined file
                    copyfileobj(lines, joined)
                path.unlink()
