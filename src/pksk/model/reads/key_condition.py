"""Key conditions as text with their values; the text depends on their shape alone, and is made once for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from pksk.expressions import And, Between, Call, Compare, Condition, Path, Placeholders, Value, render
from pksk.keys import Bounds
from pksk.values import to_wire
from pksk.values.boto3_form import to_boto3

__all__ = ["KeyCondition", "key_condition", "key_values"]

# More than any key condition has: four partition attributes, and four sort attributes with a range at the end.
_PLACEHOLDERS = tuple(f":v{number}" for number in range(16))

# Attribute and comparison of each condition, in order.
Shape = tuple[tuple[str, str], ...]


class KeyCondition:
    """The text of a key condition, and the placeholders that it uses."""

    __slots__ = ("names", "text", "values")

    def __init__(self, text: str, names: Mapping[str, str], values: dict[str, dict[str, Any]]) -> None:
        self.text, self.names, self.values = text, names, values

    def placeholders(self) -> Placeholders:
        """Placeholders for the other expressions of the request, beside those of the key condition."""
        return Placeholders(self.names, self.values)


def key_condition(partition: Mapping[str, Any], sort: Iterable[tuple[str, Bounds]]) -> KeyCondition:
    """The condition on one partition, and on the sort key attributes as far as they are asked for.

    Example:
        >>> made = key_condition({"pk": "ORDER#7"}, [("sk", Bounds("begins_with", "LINE#"))])
        >>> made.text, made.values
        ('pk = :v0 AND begins_with(sk, :v1)', {':v0': {'S': 'ORDER#7'}, ':v1': {'S': 'LINE#'}})
    """
    bounded = list(sort)
    shape = [(name, "=") for name in partition] + [(name, bounds.condition) for name, bounds in bounded]
    text, names = _text(tuple(shape))
    return KeyCondition(text, names, key_values(partition, bounded))


def key_values(partition: Mapping[str, Any], sort: Iterable[tuple[str, Bounds]]) -> dict[str, dict[str, Any]]:
    """The values of a key condition, by the placeholders that its text has for them.

    Example:
        >>> key_values({"pk": "ORDER#7"}, [("sk", Bounds("BETWEEN", "A", "B"))])
        {':v0': {'S': 'ORDER#7'}, ':v1': {'S': 'A'}, ':v2': {'S': 'B'}}
    """
    operands = list(partition.values())
    for _, bounds in sort:
        operands += _operands(bounds)
    values = {}
    for name, each in zip(_PLACEHOLDERS, operands, strict=False):
        values[name] = {"S": each} if type(each) is str else to_boto3(to_wire(each))
    return values


def _operands(bounds: Bounds) -> tuple[Any, ...]:
    if bounds.condition == "BETWEEN":
        return bounds.lower, bounds.upper
    return (bounds.upper,) if bounds.condition in ("<", "<=") else (bounds.lower,)


@lru_cache(maxsize=4096)
def _text(shape: Shape) -> tuple[str, dict[str, str]]:
    """The text of a condition of this shape, whose values are numbered from :v0 on."""
    # Different values, so that each gets a placeholder of its own.
    numbers = iter(range(2 * len(shape)))
    conditions = [_condition(name, comparison, numbers) for name, comparison in shape]
    rendered = render(conditions[0] if len(conditions) == 1 else And(tuple(conditions)))
    return rendered.text, rendered.names


def _condition(name: str, comparison: str, numbers: Iterable[int]) -> Condition:
    path = Path((name,))
    values = (Value({"N": str(number)}) for number in numbers)
    if comparison == "BETWEEN":
        return Between(path, next(values), next(values))
    if comparison == "begins_with":
        return Call("begins_with", (path, next(values)))
    return Compare(comparison, path, next(values))
