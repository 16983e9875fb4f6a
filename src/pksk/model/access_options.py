"""The options of @access: how often an access pattern is called, and how much a call reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import DesignError, quote

if TYPE_CHECKING:
    from pksk.partitions import Spread

# What can be computed with; no system has more items, bytes or calls.
_MOST = 10**15
FIGURES = "It is a whole number, from 0 to a million billions (10**15)."


def is_figure(value: object) -> bool:
    """Whether a value is a number of items or bytes."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


# The options beside the rate: name, type, what it is in words, and an example.
_OPTIONS: tuple[tuple[str, Any, str, str], ...] = (
    ("items", int, "a number of items", "20"),
    ("item_size", int, "a number of bytes", "400"),
    ("consistent", bool, "True or False", "True"),
    ("example", Mapping, "a dict of arguments", '{"id": "7"}'),
)


@dataclass(frozen=True)
class AccessOptions:
    """How often a pattern is called, how many items a call reads, how large they are, and an example call.

    `spread` is how the calls spread over the partition keys that they name, or over the values of fields by name.
    """

    rate: Rate | None = None
    items: int | None = None
    item_size: int | None = None
    consistent: bool | None = None
    example: Mapping[str, Any] | None = None
    spread: Spread | Mapping[str, Spread] | None = None

    def check(self, where: str) -> None:
        """Reject a wrong rate, number of items, size or example."""
        self.calls_per_second(where)
        for option, kind, what, example in _OPTIONS:
            value: object = getattr(self, option)
            wrong = not isinstance(value, kind) or (kind is int and not is_figure(value))
            if value is not None and wrong:
                raise DesignError(
                    "access-option",
                    f"{where}: {option}={quote(value)} is not {what}.",
                    expected=FIGURES if kind is int else "",
                    fix=f"write {option}={example}, for example.",
                )
        if self.spread is not None:
            self._check_spread(where)

    def _check_spread(self, where: str) -> None:
        from pksk.partitions import Spread

        spreads = self.spread.values() if isinstance(self.spread, Mapping) else (self.spread,)
        if not all(isinstance(each, Spread) for each in spreads):
            raise DesignError(
                "access-option",
                f"{where}: spread={quote(self.spread)} is not a Spread.",
                expected="It is one for the partition keys of all calls, or a dict from fields to spreads.",
                fix="write spread=Spread(values=1000), for example.",
            )

    @property
    def rate_text(self) -> str | None:
        """The rate as it is declared, such as "500/day"; a number of calls per second as "40/s".

        Example:
            >>> AccessOptions(rate="500/day").rate_text, AccessOptions(rate=0.5).rate_text
            ('500/day', '0.5/s')
        """
        if self.rate is None:
            return None
        return " ".join(self.rate.split()) if isinstance(self.rate, str) else f"{self.rate:,.12g}/s"

    def calls_per_second(self, where: str = "access") -> float | None:
        """The rate, or None if none is declared: a missing rate is never zero."""
        return None if self.rate is None else per_second(where, self.rate)


Rate: TypeAlias = float | int | str

# As AWS bills: a month of 730 hours.
SECONDS_PER_MONTH = 730 * 3600

_SECONDS = {
    "s": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "day": 86_400, "week": 604_800,
    "month": SECONDS_PER_MONTH, "year": 12 * SECONDS_PER_MONTH,
}  # fmt: skip

_FORM = re.compile(r"\s*(?P<number>[0-9][0-9_,]*(\.[0-9]+)?)\s*(/|per)\s*(?P<unit>[a-z]+)\s*")


def per_second(where: str, rate: object) -> float:
    """A declared rate in calls per second: a number of them, or text such as "500/day".

    Example:
        >>> per_second("Order.recent", 40), per_second("Order.report", "864/day")
        (40.0, 0.01)
    """
    if isinstance(rate, str):
        match = _FORM.fullmatch(rate.lower())
        if match and match["unit"] in _SECONDS:
            calls = float(match["number"].replace(",", "").replace("_", "")) / _SECONDS[match["unit"]]
            if calls <= _MOST:
                return calls
    elif isinstance(rate, int | float) and not isinstance(rate, bool) and 0 <= rate <= _MOST:
        return float(rate)
    raise DesignError(
        "access-rate",
        f"{where}: rate={quote(rate)} is not a rate.",
        expected=f"A rate is a number of calls per second, at most 10**15, or text with one of: {', '.join(_SECONDS)}.",
        fix='write rate=40, or rate="500/day".',
    )
