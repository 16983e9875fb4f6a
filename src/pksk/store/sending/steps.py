"""Steps: what an operation of the store asks of whoever runs it, and nothing else of the outside.

An operation is a generator. It yields steps and is sent what came of them; so the same code serves programs that wait
and programs that await, and tests that do neither.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

__all__ = ["Call", "Pause", "Step", "Steps", "Together"]

T = TypeVar("T")


class Call(NamedTuple):
    """Send a request to the service, for its answer."""

    operation: str
    request: Mapping[str, Any]


class Pause(NamedTuple):
    """Let some time pass."""

    seconds: float


class Together(NamedTuple):
    """Take several runs of steps side by side, for the list of their results; the first error ends them all."""

    runs: tuple[Steps[Any], ...]


Step: TypeAlias = "Call | Pause | Together"
Steps: TypeAlias = Generator[Step, Any, T]
