"""Expressions from the text that DynamoDB's API takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .check import check_condition, check_path
from .check_keys import key_parts
from .check_paths import check_paths
from .check_update import check_update
from .condition_reader import ConditionReader
from .texts import Parameter
from .tokens import Tokens
from .tree import Condition, Path, Projection, Update
from .update_reader import UpdateReader

__all__ = ["parse_condition", "parse_key_condition", "parse_projection", "parse_update"]

Names = Mapping[str, str]
Values = Mapping[str, Mapping[str, Any]]


def parse_condition(
    text: str,
    names: Names | None = None,
    values: Values | None = None,
    *,
    parameter: Parameter = "ConditionExpression",
) -> Condition:
    """The tree of a condition or filter.

    ``names`` and ``values`` are the request's ExpressionAttributeNames and -Values. Where one is
    None its placeholders stay in the tree, for ``resolve``; where it is a mapping, even an empty
    one, a placeholder that it lacks is refused as DynamoDB does. ``parameter`` is the member of
    the request that refusals name.

    Example:
        >>> parse_condition("amount > :min", values={":min": {"N": "10"}})
        Compare(operator='>', left=Path(elements=('amount',)), right=Value(wire={'N': '10'}))
        >>> parse_condition("total > :min")
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid ConditionExpression: Attribute name is a reserved keyword; ...
    """
    condition = ConditionReader(text, parameter, names, values).condition()
    check_condition(condition, parameter, names=names is not None, values=values is not None)
    return condition


def parse_key_condition(text: str, names: Names | None = None, values: Values | None = None) -> Condition:
    """The tree of a Query's key condition; ``key_parts`` gives its parts by attribute.

    Example:
        >>> parse_key_condition("pk = :p OR sk = :s")
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid operator used in KeyConditionExpression: OR
        ...
    """
    condition = parse_condition(text, names, values, parameter="KeyConditionExpression")
    key_parts(condition)
    return condition


def parse_update(text: str, names: Names | None = None, values: Values | None = None) -> Update:
    """The tree of an update.

    Example:
        >>> parse_update("REMOVE a, b[2]")
        Update(actions=(Remove(path=Path(elements=('a',))), Remove(path=Path(elements=('b', 2)))))
    """
    update = UpdateReader(text, "UpdateExpression", names, values).update()
    check_update(update, names=names is not None, values=values is not None)
    return update


def parse_projection(text: str, names: Names | None = None) -> Projection:
    """The tree of a projection.

    Example:
        >>> parse_projection("id, parts[0].sku")
        Projection(paths=(Path(elements=('id',)), Path(elements=('parts', 0, 'sku'))))
    """
    parameter = "ProjectionExpression"
    tokens = Tokens(text, parameter, names, None)
    paths: list[Path] = [tokens.path()]
    while tokens.peek() == ",":
        tokens.position += 1
        paths.append(tokens.path())
    if tokens.peek():
        raise tokens.syntax_error()
    if tokens.name_trouble:
        raise tokens.name_trouble
    for path in paths:
        check_path(path, parameter, names=names is not None)
    check_paths(paths, parameter)
    return Projection(tuple(paths))
