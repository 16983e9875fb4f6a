"""Repeats a read until its result is as expected: global indexes lag behind their table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic, sleep
from typing import Any, Final, Protocol

__all__ = ["Eventually", "eventually"]

_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.02


class Eventually(Protocol):
    """Asserts that a read gives what is expected; `unordered` compares as sets do, and counts all the same."""

    def __call__(self, read: Callable[[], Any], expected: Any, *, unordered: bool = False) -> None: ...


def eventually(*, lags: bool) -> Eventually:
    """Asks once, or for some seconds where there is a lag."""

    def ask(read: Callable[[], Any], expected: Any, *, unordered: bool = False) -> None:
        until = monotonic() + (_SECONDS if lags else 0)
        wanted = _bag(expected) if unordered else expected
        while True:
            found = _bag(_listed(read())) if unordered else _listed(read())
            if found == wanted or monotonic() >= until:
                break
            sleep(_PAUSE_SECONDS)

        assert found == wanted

    return ask


def _listed(found: Any) -> Any:
    is_stream = isinstance(found, Iterable) and hasattr(found, "__next__")
    return list(found) if is_stream else found


def _bag(found: Iterable[Any]) -> list[str]:
    return sorted(map(repr, found))
