"""Steps: what a store operation asks its driver to do.

An operation is a generator that yields steps and receives their results. The same code therefore serves the
synchronous store, the asynchronous store and tests.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")


class Call(NamedTuple):
    """Send a request to the service; the result is the response."""

    operation: str
    request: Mapping[str, Any]


class Pause(NamedTuple):
    """Wait for some seconds."""

    seconds: float


class Together(NamedTuple):
    """Run several generators of steps in parallel; the result is the list of results, or the first error."""

    runs: tuple[Steps[Any], ...]


Step: TypeAlias = "Call | Pause | Together"
Steps: TypeAlias = Generator[Step, Any, T]
