"""How requests spread over the values of a field, and over keys that are made of several fields."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, prod, sqrt
from typing import NoReturn

from pksk.dataclass import dataclass
from pksk.errors import DesignError, quote

# What can be computed with.
_MOST = 10**15
# Beyond so many terms a harmonic sum is approximated by an integral; the error is below one in a billion.
_EXACT_TERMS = 10_000
# Bounds of an observed share are so many standard deviations apart from it.
_DEVIATIONS = 5


@dataclass(frozen=True)
class Share:
    """The part of all requests that the busiest value receives, as bounds; `values` is how many values there can be.

    Example:
        >>> Share(0.5, 1.0, values=2)
        Share(lowest=0.5, highest=1.0, values=2)
        >>> print(Share(0.25, 0.4), Share(1, 1), Share(0, 0.1))
        25% to 40% 100% at most 10%
    """

    lowest: float = 0.0
    highest: float = 1.0
    values: float = inf

    @property
    def is_known(self) -> bool:
        """Whether anything is known about it."""
        return self.lowest > 0 or self.highest < 1

    def __mul__(self, times: float) -> Share:
        return Share(self.lowest * times, self.highest * times, self.values)

    def __str__(self) -> str:
        if self.lowest == self.highest:
            return _percent(self.lowest)
        if not self.lowest:
            return f"at most {_percent(self.highest)}"
        return f"{_percent(self.lowest)} to {_percent(self.highest)}"


def _percent(share: float) -> str:
    return f"{share:.2%}" if share < 0.01 else f"{share * 100:.3g}%"


ONE_VALUE = Share(1.0, 1.0, values=1)
UNKNOWN = Share()


def combine(shares: Sequence[Share]) -> Share:
    """The share of the busiest combination of values, one of each field, however the fields depend on each other.

    The busiest combination receives at most what the busiest value of any field receives. It receives at least what
    the busiest value of one field leaves for each combination of the others, and what the busiest values of all
    fields must have in common.

    Example:
        >>> print(combine([Share(0.6, 0.6, values=10), Share(0.5, 0.5, values=2)]))
        30% to 50%
        >>> print(combine([ONE_VALUE, Share(0.1, 0.1)]))
        10%
    """
    values = prod(each.values for each in shares)
    others = (each.lowest / prod(other.values for other in shares if other is not each) for each in shares)
    in_common = sum(each.lowest for each in shares) - (len(shares) - 1)
    highest = min((each.highest for each in shares), default=1.0)
    return Share(min(highest, max(1 / values, in_common, *others, 0.0)), highest, values)


def observed_share(calls: int, total: int) -> Share:
    """The share of the busiest value, which received some of all observed calls, as bounds.

    This is Wilson's interval of five standard deviations: one of a million equal values may by chance be that busy.

    Example:
        >>> print(observed_share(3, 4), observed_share(3000, 4000))
        7.83% to 99.1% 71.4% to 78.3%
    """
    if not total:
        return UNKNOWN
    share, factor = calls / total, _DEVIATIONS**2 / total
    middle = share + factor / 2
    half = _DEVIATIONS * sqrt(share * (1 - share) / total + factor / (4 * total))
    return Share(max(0.0, (middle - half) / (1 + factor)), min(1.0, (middle + half) / (1 + factor)))


@dataclass(frozen=True)
class Spread:
    """How calls spread over the values of a field, or over the partition keys of an access pattern.

    `values` alone means that all receive the same. `largest` is the share of the busiest value, from 0 to 1. `zipf` is
    the exponent of a Zipf distribution, such as 0.99, over so many values.

    Write it beside the type of a field, or as `spread=` of an access pattern.

    Example:
        >>> print(Spread(values=200).share, Spread(values=200, largest=0.3).share, Spread(largest=0.01).share)
        0.50% 30% 1%
        >>> print(Spread(values=10_000, zipf=0.99).share)
        9.78%
    """

    values: int | None = None
    largest: float | None = None
    zipf: float | None = None

    def __post_init__(self) -> None:
        if self.values is None and self.largest is None:
            _reject(
                self,
                "it says neither how many values there are nor how much the largest receives",
                "values=1000",
            )
        _check_number(self, "values", self.values, whole=True)
        _check_number(self, "largest", self.largest)
        _check_number(self, "zipf", self.zipf)
        self._check_together()

    def _check_together(self) -> None:
        if self.zipf is not None and (self.values is None or self.largest is not None):
            _reject(
                self,
                "zipf= needs the number of values, and determines the largest share",
                "values=1000, zipf=0.99",
            )
        if self.largest is None:
            return
        if self.largest > 1:
            _reject(self, f"a share of {self.largest} is more than all", f"largest={_as_part(self.largest)}")
        if self.values is not None and self.largest * self.values < 1:
            least = 1 / self.values
            _reject(
                self,
                f"of {self.values:,} values, the busiest receives at least {least:.3g}",
                f"largest={least:.3g}",
            )

    def __repr__(self) -> str:
        stated = (f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"Spread({', '.join(stated)})"

    @property
    def share(self) -> Share:
        """The share of the busiest value."""
        if self.zipf is not None and self.values is not None:
            largest = 1 / _harmonic(self.values, self.zipf)
        elif self.largest is not None:
            largest = self.largest
        else:
            assert self.values is not None
            largest = 1 / self.values
        return Share(largest, largest, inf if self.values is None else self.values)


def check_values(spread: Spread, most: int, where: str, why: str) -> None:
    """Reject a spread over more values than there can be."""
    if spread.values is not None and spread.values > most:
        raise DesignError(
            "spread-values",
            f"{where}: a spread over {spread.values:,} values, but {why} {most:,}.",
            fix=f"write Spread(values={most}), or the share of the busiest value: Spread(largest=...).",
        )


def _as_part(share: float) -> float:
    """What was probably meant by a share above one."""
    return share / 100 if share <= 100 else 1.0


def _check_number(spread: Spread, name: str, value: object, *, whole: bool = False) -> None:
    if value is None:
        return
    allowed = int if whole else (int, float)
    is_number = isinstance(value, allowed) and not isinstance(value, bool)
    if not is_number or not 0 < value <= _MOST:  # type: ignore[operator]
        what = "a whole number" if whole else "a number"
        _reject(
            spread,
            f"{name}={quote(value)} is not {what} above zero, of at most 10**15",
            {"values": "values=1000"}.get(name, f"{name}=0.5"),
        )


def _reject(spread: Spread, problem: str, fix: str) -> NoReturn:
    raise DesignError(
        "spread",
        f"{quote(spread)}: {problem}.",
        expected="A spread is a number of values, the share of the busiest one, or both; or values and zipf.",
        fix=f"write Spread({fix}), for example.",
    )


def _harmonic(count: int, exponent: float) -> float:
    """The sum of 1 / k ** exponent for k up to `count`."""
    exact = min(count, _EXACT_TERMS)
    first, last = float(exact), float(count)
    total: float = sum(k**-exponent for k in map(float, range(1, exact + 1)))
    if count == exact:
        return total
    # Euler and Maclaurin: the integral, and half of the difference of its ends.
    power = 1 - exponent
    integral = log(last / first) if power == 0 else (last**power - first**power) / power
    return float(total + integral + (last**-exponent - first**-exponent) / 2)
