"""Makes a failing request smaller, as far as that is cheap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from time import monotonic
from typing import Any, Final

import orjson

from tests.engine.damaged_requests import positions

__all__ = ["shrunk"]

_SECONDS: Final = 10.0


def shrunk(body: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """A smaller body that still fails: with fewer members, or shorter if it is not JSON."""
    until = monotonic() + _SECONDS
    while monotonic() < until:
        smaller = next((each for each in _smaller(body) if monotonic() < until and fails(each)), None)
        if smaller is None:
            break
        body = smaller
    return body


def _smaller(body: bytes) -> Iterator[bytes]:
    try:
        request = orjson.loads(body)
    except ValueError:
        yield from _shorter(body)
        return
    for number in range(sum(1 for _ in positions([request]))):
        top = [deepcopy(request)]
        holder, position = list(positions(top))[number]
        if holder is not top:
            del holder[position]
            yield orjson.dumps(top[0])
        yield from _with_less(top, number, request)


def _with_less(top: list[Any], number: int, request: Any) -> Iterator[bytes]:
    """With half of a long text."""
    top = [deepcopy(request)]
    holder, position = list(positions(top))[number]
    value = holder[position]
    if isinstance(value, str) and len(value) > 40:
        holder[position] = value[: len(value) // 2]
        yield orjson.dumps(top[0])


def _shorter(body: bytes) -> Iterator[bytes]:
    size = len(body) // 2
    while size:
        for start in range(0, len(body), size):
            yield body[:start] + body[start + size :]
        size //= 2
