"""At the end of a run of pytest: the hottest keys, the scans and the unbounded queries of all tests."""

from __future__ import annotations

import pickle
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any, Final

import pytest

from .run_heat import RunHeat
from .watching import watched_by

__all__ = ["HeatReport"]

_OUTPUT: Final = "pksk_heat"


class HeatReport:
    """The part of the plugin that is there only with --pksk-heat."""

    def __init__(self, config: pytest.Config, rows: int) -> None:
        self._rows = rows
        self._heat = RunHeat()
        self._stack = ExitStack()
        self._stack.enter_context(watched_by(self._heat.look))
        config.add_cleanup(self._stack.close)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Know which test runs."""
        self._heat.test = item.nodeid
        try:
            return (yield)
        finally:
            self._heat.look_at_all()
            self._heat.test = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """In a worker of xdist: hand over what was collected."""
        self._heat.look_at_all()
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = pickle.dumps(self._heat.collected())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Beside workers of xdist: take over what one has collected."""
        output = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if output is not None:
            self._heat.add(pickle.loads(output))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print it."""
        terminalreporter.ensure_newline()
        terminalreporter.section("pksk: what the tests consumed")
        terminalreporter.write_line(self._heat.collected().text(self._rows))
