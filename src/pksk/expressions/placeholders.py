"""Placeholders for names and values, allotted once for all expressions of a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pksk.errors import ExpressionMisuse
from pksk.values.boto3_form import to_boto3

from .reserved import RESERVED_WORDS

__all__ = ["Placeholders"]

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class Placeholders:
    """The names and values of one request; every expression that is rendered into it shares them.

    A name stands as it is where DynamoDB allows it, and behind ``#`` where it is a reserved word
    or has other characters than letters, digits and ``_``. The same name, and the very same value,
    get the same placeholder; nothing is allotted that is not used. ``names`` and ``values`` are those that
    the request has already.

    Example:
        >>> shared = Placeholders()
        >>> shared.name("total"), shared.name("id"), shared.value({"N": "5"}), shared.value({"N": "5"})
        ('#n0', 'id', ':v0', ':v0')
        >>> shared.request()
        {'ExpressionAttributeNames': {'#n0': 'total'}, 'ExpressionAttributeValues': {':v0': {'N': '5'}}}
    """

    __slots__ = ("_kept", "_of_names", "_of_values", "names", "values")

    def __init__(
        self, names: Mapping[str, str] | None = None, values: Mapping[str, dict[str, Any]] | None = None
    ) -> None:
        self.names: dict[str, str] = dict(names or {})
        self.values: dict[str, dict[str, Any]] = dict(values or {})
        self._of_names: dict[str, str] = {name: placeholder for placeholder, name in self.names.items()}
        self._of_values: dict[Any, str] = {}
        self._kept: set[str] = set()

    def name(self, name: str) -> str:
        """What stands in the text for an attribute's name."""
        known = self._of_names.get(name)
        if known is not None:
            return known
        if _PLAIN.fullmatch(name) and name.upper() not in RESERVED_WORDS:
            placeholder = name
        else:
            placeholder = self._free("#n", self.names)
            self.names[placeholder] = name
        self._of_names[name] = placeholder
        return placeholder

    def value(self, wire: dict[str, Any]) -> str:
        """What stands in the text for a value in DynamoDB's JSON."""
        ((kind, inner),) = wire.items()
        key = (kind, inner) if type(inner) is str else repr(wire)
        known = self._of_values.get(key)
        if known is None:
            known = self._of_values[key] = self._free(":v", self.values)
            self.values[known] = wire
        return known

    def keep(self, placeholder: str) -> str:
        """A placeholder that the tree itself brings, and that is not to be allotted again."""
        if placeholder in self.names or placeholder in self.values:
            raise ExpressionMisuse(
                "expression-placeholder-taken",
                f"The placeholder {placeholder} of the expression was already given to something else.",
                expected="An expression that brings placeholders is rendered before those that need new ones.",
                fix="render it first, or resolve() its placeholders.",
            )
        self._kept.add(placeholder)
        return placeholder

    def _free(self, prefix: str, allotted: dict[str, Any]) -> str:
        number = len(allotted)
        while f"{prefix}{number}" in self._kept or f"{prefix}{number}" in allotted:
            number += 1
        return f"{prefix}{number}"

    def request(self) -> dict[str, Any]:
        """The members of a request that define the placeholders, for boto3; empty ones are left out."""
        request: dict[str, Any] = {}
        if self.names:
            request["ExpressionAttributeNames"] = dict(self.names)
        if self.values:
            request["ExpressionAttributeValues"] = {
                name: to_boto3(wire) for name, wire in self.values.items()
            }
        return request
