"""The vector of a search: as many numbers as its index has dimensions, each a 32-bit float."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from math import isfinite
from typing import Any, Final, NoReturn

from pksk.errors import InvalidValue, quote
from pksk.values import canonical

__all__ = ["in_words", "search_vector", "to_numbers"]

# The largest 32-bit float, and what is nearer to 0 than to the smallest one; a vector index has no others.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html
_LARGEST: Final = 3.4028235677973366e38
_NOTHING: Final = 7.006492321624085e-46

_NO_VECTORS = (str, bytes, bytearray, memoryview, Mapping, Set)
_NO_NUMBERS = (bool, str, bytes, bytearray)
_SHOWN = 3


def search_vector(where: str, given: Any, dimensions: int) -> tuple[float, ...]:
    """The numbers of a vector, from a list, a tuple, an array or anything else that gives them one by one.

    Example:
        >>> search_vector("Note.near.nearest", [1, 0.5], 2)
        (1.0, 0.5)
    """
    if isinstance(given, _NO_VECTORS) or not isinstance(given, Iterable):
        _refuse(where, f"{quote(given)} is no vector.", f"give a list of {_counted(dimensions)}.")
    found = tuple([_number(where, place, each) for place, each in enumerate(given)])
    if len(found) != dimensions:
        _refuse(
            where,
            f"a vector of {_counted(len(found))}, where the index has {dimensions:,} dimensions.",
            "use the model that made the vectors of the items.",
        )
    return found


def _number(where: str, place: int, each: Any) -> float:
    try:
        # A float can be made of a text too, and of an array of one number.
        odd = isinstance(each, _NO_NUMBERS) or getattr(each, "shape", ()) != ()
        number = None if odd else float(each)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        _refuse(where, f"{quote(each)} at [{place}] of the vector is no number.", "give numbers alone.")
    if not isfinite(number) or abs(number) >= _LARGEST:
        _refuse(
            where, f"{quote(each)} at [{place}] of the vector is no 32-bit float.",
            f"give finite numbers, from -{_LARGEST:.3g} to {_LARGEST:.3g}.",
        )  # fmt: skip
    return number


def _counted(count: int) -> str:
    return f"{count:,} number" if count == 1 else f"{count:,} numbers"


def _refuse(where: str, problem: str, fix: str) -> NoReturn:
    raise InvalidValue("nearest-vector", f"{where}: {problem}", fix=fix)


def to_numbers(vector: Iterable[float]) -> list[dict[str, str]]:
    """The vector in DynamoDB's JSON: of each number the shortest text that reads back as the same float.

    Example:
        >>> to_numbers((0.1, 1e-7, 1e-300))
        [{'N': '0.1'}, {'N': '0.0000001'}, {'N': '0'}]
    """
    return [{"N": "0" if abs(each) < _NOTHING else canonical(repr(each))} for each in vector]


def in_words(numbers: Sequence[Mapping[str, str]]) -> str:
    """The first numbers of a vector, and how many there are.

    Example:
        >>> in_words([{"N": "1"}] * 1024), in_words([{"N": "1"}, {"N": "0.5"}])
        ('1, 1, 1, ... (1,024 numbers)', '1, 0.5')
    """
    first = ", ".join(each["N"] for each in numbers[:_SHOWN])
    return first if len(numbers) <= _SHOWN else f"{first}, ... ({_counted(len(numbers))})"
