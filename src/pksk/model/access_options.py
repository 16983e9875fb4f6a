"""The options of @access: how often an access pattern is called, and how much a call reads."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import DesignError, quote

# The options beside the rate: name, type, what it is in words, and an example.
_OPTIONS: tuple[tuple[str, Any, str, str], ...] = (
    ("items", int, "a number of items", "20"),
    ("item_size", int, "a number of bytes", "400"),
    ("consistent", bool, "True or False", "True"),
    ("example", Mapping, "a dict of arguments", '{"id": "7"}'),
)


@dataclass(frozen=True)
class AccessOptions:
    """How often a pattern is called, how many items a call reads, how large they are, and an example call."""

    rate: Rate | None = None
    items: int | None = None
    item_size: int | None = None
    consistent: bool | None = None
    example: Mapping[str, Any] | None = None

    def check(self, where: str) -> None:
        """Refuse what is no rate, no count and no size."""
        self.calls_per_second(where)
        for option, kind, what, example in _OPTIONS:
            value: object = getattr(self, option)
            wrong = not isinstance(value, kind) or (kind is int and (isinstance(value, bool) or value < 0))
            if value is not None and wrong:
                raise DesignError(
                    "access-option",
                    f"{where}: {option}={quote(value)} is not {what}.",
                    fix=f"write {option}={example}, for example.",
                )

    def calls_per_second(self, where: str = "access") -> float | None:
        """The rate, or None where none is declared: a missing rate is never zero."""
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
        found = _FORM.fullmatch(rate.lower())
        if found and found["unit"] in _SECONDS:
            return float(found["number"].replace(",", "").replace("_", "")) / _SECONDS[found["unit"]]
    elif isinstance(rate, int | float) and not isinstance(rate, bool) and math.isfinite(rate) and rate >= 0:
        return float(rate)
    raise DesignError(
        "access-rate",
        f"{where}: rate={quote(rate)} is not a rate.",
        expected=f"A rate is a number of calls per second, or text with one of: {', '.join(_SECONDS)}.",
        fix='write rate=40, or rate="500/day".',
    )
