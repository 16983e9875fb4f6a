"""Rates: how often something is called, in calls per second."""

from __future__ import annotations

import math
import re
from typing import TypeAlias

from pksk.errors import DesignError, quote

__all__ = ["SECONDS_PER_MONTH", "Rate", "per_second"]

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
