"""The fixture `pksk_budget`: what a test may consume of its engine, and which requests consumed more."""

from __future__ import annotations

from contextlib import ExitStack
from threading import Lock
from typing import Any

import pytest

from pksk.dataclass import dataclass, field
from pksk.engine import Engine
from pksk.engine.heat.trace import CallRecorder, current_call
from pksk.errors import InvalidValue, quote

_MOST_LISTED = 20
_UNITS = {"read_units": "read units", "write_units": "write units", "requests": "requests"}


@dataclass
class _Request:
    """What one request consumed, by table, index and key."""

    operation: str
    targets: dict[str, None] = field(default_factory=dict)
    read_units: float = 0.0
    write_units: float = 0.0

    def __str__(self) -> str:
        units = [_amount(amount, name) for name, amount in self._units() if amount]
        return f"{self.operation:<20} {', '.join(units) or 'nothing'}: {', '.join(self.targets)}"

    def _units(self) -> tuple[tuple[str, float], ...]:
        return (("read units", self.read_units), ("write units", self.write_units))


class Budget(CallRecorder):
    """What an engine may consume, from when it is made to `check`, or in a block."""

    def __init__(self, engine: Engine, limits: dict[str, float]) -> None:
        self._limits = limits
        self._lock = Lock()
        self._requests: dict[object, _Request] = {}
        self._recording = ExitStack()
        self._recording.enter_context(engine.trace(self))

    def write_line(self, operation: str, table: str, index: str | None, members: dict[str, Any]) -> None:
        """Add the units of an item or a page to the request that it belongs to."""
        number = current_call.number
        if number is None:  # work of the engine itself, such as the deletion of expired items
            return
        target = f"{table}/{index}" if index else table
        keys = [f"{name}={_key_text(members[name])}" for name in ("pk", "sk") if name in members]
        with self._lock:
            request = self._requests.setdefault(number, _Request(current_call.operation or operation))
            request.targets[" ".join([target, *keys])] = None
            request.read_units += members.get("rcu", 0.0)
            request.write_units += members.get("wcu", 0.0)

    def __enter__(self) -> Budget:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None:
            self.check()

    def close(self) -> None:
        """Stop recording."""
        self._recording.close()

    @property
    def consumed(self) -> dict[str, float]:
        """The units and the requests so far."""
        requests = list(self._requests.values())
        return {
            "read_units": sum(each.read_units for each in requests),
            "write_units": sum(each.write_units for each in requests),
            "requests": len(requests),
        }

    def check(self) -> None:
        """Fail the test if more was consumed; the message lists the requests."""
        __tracebackhide__ = True
        consumed = self.consumed
        exceeded = [
            f"{_amount(consumed[name], _UNITS[name])}, and the budget is {limit:g}"
            for name, limit in self._limits.items()
            if consumed[name] > limit
        ]
        if exceeded:
            listed = [f"  {each}" for each in list(self._requests.values())[:_MOST_LISTED]]
            more = len(self._requests) - _MOST_LISTED
            rest = [f"  and {more} more"] if more > 0 else []
            pytest.fail("\n".join([f"pksk_budget: {'; '.join(exceeded)}.", *listed, *rest]), pytrace=False)


def _amount(number: float, things: str) -> str:
    return f"{number:g} {things.removesuffix('s') if number == 1 else things}"


def _key_text(value: Any) -> str:
    """A key attribute in DynamoDB's JSON, or several, as text."""
    values = value if isinstance(value, list) else [value]
    return ", ".join(quote(text) for each in values for text in each.values())


class Budgets:
    """What the fixture gives a test: call it with the most that may be consumed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._open: list[Budget] = []

    def __call__(
        self,
        *,
        read_units: float | None = None,
        write_units: float | None = None,
        requests: int | None = None,
    ) -> Budget:
        """Begin a budget, for the rest of the test or, with `with`, for a block."""
        named = {"read_units": read_units, "write_units": write_units, "requests": requests}
        limits = {name: value for name, value in named.items() if value is not None}
        for name, value in limits.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
                _reject(f"{name}={quote(value)} is not a number of {_UNITS[name]}")
        if not limits:
            _reject("it has no limit")
        budget = Budget(self._engine, limits)
        self._open.append(budget)
        return budget

    def check(self) -> None:
        """Check all budgets at the end of the test."""
        __tracebackhide__ = True
        for each in self._open:
            each.check()

    def close(self) -> None:
        """Stop recording."""
        for each in self._open:
            each.close()


def _reject(problem: str) -> None:
    raise InvalidValue(
        "testing-budget",
        f"pksk_budget: {problem}.",
        expected="A budget limits read_units, write_units, requests, or several of them.",
        fix="write pksk_budget(read_units=2, requests=1), for example.",
    )
