"""Number and binary key attributes, which have no template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Literal, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import BoundsError, InvalidValue, TemplateError, quote
from pksk.keys.bounds import Bounds
from pksk.keys.compiled import check_mapping
from pksk.keys.operators import Operator, eq
from pksk.keys.parts.part import type_name, value_type
from pksk.keys.parts.part_types import field_type
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values import to_wire

_LIMITS = {"partition": PARTITION_KEY_BYTES, "sort": SORT_KEY_BYTES}


@dataclass(frozen=True)
class KeyFormat:
    """How the values of a field are stored in a key attribute of their own: `type` is DynamoDB's.

    `bound` gives the stored value at the end of a range: at or after a value that lies between two stored ones
    (`up=True`), or at or before it. Without it no range is possible.
    """

    type: Literal["S", "N", "B"]
    store: Callable[[Any, str], Any]
    read: Callable[[Any], Any]
    bound: Callable[..., Any] | None = None


class ScalarKey:
    """A key attribute of type N or B: one field, unchanged; or a field in a format of its own, of any type.

    Numbers sort as numbers and bytes as bytes, so every operator is exact.

    Example:
        >>> from pksk import between
        >>> year = ScalarKey("year", int, role="sort")
        >>> year.render({"year": 1999})
        1999
        >>> print(year.bounds({"year": between(1990, 1999)}))
        BETWEEN 1990 AND 1999
    """

    field: str
    where: str
    value_type: Any
    limit: int

    def __init__(
        self,
        field: str,
        value_type: Any,
        *,
        role: Literal["partition", "sort"] = "partition",
        where: str = "",
        stored_as: KeyFormat | None = None,
    ) -> None:
        self.field, self.role, self.format = field, role, stored_as
        self.where = where or f"ScalarKey {quote(field)}"
        self.value_type = field_type(value_type).type
        if not isinstance(field, str) or not field:
            raise TemplateError(
                "template-option",
                f"{self.where}: field={quote(field)} is not the name of a field.",
                fix="pass its name as text.",
            )
        if role not in _LIMITS:
            raise TemplateError(
                "template-option",
                f"{self.where}: role={quote(role)} is unknown.",
                fix="write 'partition' or 'sort'.",
            )
        self.limit = _LIMITS[role]
        if stored_as is None and self.value_type not in (int, Decimal, bytes):
            raise TemplateError(
                "template-type",
                f"{self.where}: a key of type {type_name(self.value_type)} needs a template.",
                expected="A key attribute without a template is int or Decimal (N) or bytes (B).",
                fix="use int, or Decimal: floats have no exact text."
                if self.value_type is float
                else f"use a template: Template('{{{field}}}').",
            )

    def __str__(self) -> str:
        return f"{{{self.field}}}"

    @property
    def attribute_type(self) -> Literal["S", "N", "B"]:
        """The type of the key attribute in the table.

        Example:
            >>> ScalarKey("raw", bytes).attribute_type
            'B'
        """
        if self.format is not None:
            return self.format.type
        return "B" if self.value_type is bytes else "N"

    @property
    def fields(self) -> tuple[str, ...]:
        """The one field of the key."""
        return (self.field,)

    def render(self, values: Mapping[str, Any]) -> Any:
        """The value of the key attribute, checked as DynamoDB checks it.

        Example:
            >>> ScalarKey("raw", bytes).render({"raw": b"x"})
            b'x'
        """
        check_mapping(self.where, values)
        value = values.get(self.field)
        if value is None:
            self._reject(
                "key-missing-part", f"field {self.field!r} is missing", f"give {self.field!r} a value."
            )
        if self.format is not None:
            return self._stored(self.format.store(value, f"{self.where}: {self.field}"))
        return self._bytes(value) if self.value_type is bytes else self._number(value)

    def _stored(self, stored: Any) -> Any:
        """A stored value, whose size DynamoDB limits."""
        if isinstance(stored, str):
            self._bytes(stored.encode())
        return self._bytes(stored) if isinstance(stored, bytes) else stored

    def match(self, key: Any) -> dict[str, Any]:
        """The field that a key attribute holds.

        Example:
            >>> ScalarKey("year", int).match(1999)
            {'year': 1999}
        """
        if self.format is not None:
            try:
                return {self.field: self.format.read(key)}
            except ValueError:
                problem = f"the key {quote(key)} is not in the format of field {self.field!r}"
                self._reject("key-wrong-type", problem, "correct the item, or declare its format.")
        return {self.field: self.render({self.field: key})}

    def bounds(self, values: Mapping[str, Any]) -> Bounds:
        """The condition on the key attribute; every operator is exact.

        Example:
            >>> from pksk import lt
            >>> print(ScalarKey("year", int, role="sort").bounds({"year": lt(2000)}))
            < 2000
        """
        check_mapping(self.where, values)
        for name in values:
            if name != self.field:
                self._reject(
                    "key-unknown-part", f"field {name!r} is not a part of this key", f"use {self.field!r}."
                )
        if self.field not in values:
            return Bounds("all")
        value = values[self.field]
        operator = value if isinstance(value, Operator) else eq(value)
        if operator.name == "eq":
            return Bounds("=", self.render({self.field: operator.operands[0]}))
        if operator.name == "begins" and (self.value_type is not bytes or self.format is not None):
            self._reject_bounds(
                "bounds-operator",
                f"{operator!r} on field {self.field!r}, which is not stored as text",
                "use between().",
            )
        operands = [self.render({self.field: operand}) for operand in self._ends(operator)]
        return self._condition(operator, operands)

    def _ends(self, operator: Operator) -> list[Any]:
        """The ends of a range, as coarse as the values that are stored."""
        if self.format is None:
            return list(operator.operands)
        if self.format.bound is None:
            self._reject_bounds(
                "stored-unordered",
                f"{operator!r} on field {self.field!r}, whose stored values do not sort like the values",
                "give one value, or store the field in a format that sorts.",
            )
        up = {"between": (True, False), "lt": (True,), "gte": (True,)}.get(operator.name, (False,))
        return [
            self.format.bound(operand, up=each) for operand, each in zip(operator.operands, up, strict=True)
        ]

    def _condition(self, operator: Operator, operands: list[Any]) -> Bounds:
        if operator.name == "begins":
            return Bounds("begins_with", operands[0])
        if operator.name == "between":
            if operands[0] > operands[1]:
                self._reject_empty(operator)
            return Bounds("BETWEEN", *operands)
        if operator.name in ("gt", "gte"):
            return Bounds(">" if operator.name == "gt" else ">=", operands[0])
        return Bounds("<" if operator.name == "lt" else "<=", None, operands[0])

    def _reject_empty(self, operator: Operator) -> NoReturn:
        """Raise the error for a range that no stored value is in."""
        low, high = operator.operands
        if low > high:
            problem, fix = "ends before it begins", "swap its ends."
        else:  # stored values are coarser than the ends
            problem, fix = "contains no value that can be stored", "write a range that contains one."
        self._reject_bounds("bounds-backwards", f"{operator!r} {problem}", fix)

    def _number(self, value: Any) -> int | Decimal:
        types = int if self.value_type is int else (int, Decimal)
        # boto3 returns every N as a Decimal, whole numbers too.
        if (
            self.value_type is int
            and isinstance(value, Decimal)
            and value.is_finite()
            and value == int(value)
        ):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, types):
            self._reject_type(value)
        to_wire(value)
        return int(value) if self.value_type is int else Decimal(value)

    def _bytes(self, value: Any) -> bytes:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            self._reject_type(value)
        data = bytes(value)
        if not data:
            self._reject(
                "key-empty", "the key is empty, and DynamoDB rejects empty keys", "give it some bytes."
            )
        if len(data) > self.limit:
            problem = f"the key is {len(data)} bytes long; a {self.role} key holds at most {self.limit}"
            self._reject("key-too-long", problem, "shorten it, or use its hash.")
        return data

    def _reject_type(self, value: Any) -> NoReturn:
        name = type_name(self.value_type)
        problem = f"field {self.field!r} is {quote(value)} of type {value_type(value)}, not {name}"
        self._reject("key-wrong-type", problem, f"give {self.field!r} a value of type {name}.")

    def _reject(self, code: str, problem: str, fix: str) -> NoReturn:
        raise InvalidValue(code, f"{self.where}: {problem}.", fix=fix)

    def _reject_bounds(self, code: str, problem: str, fix: str) -> NoReturn:
        raise BoundsError(code, f"{self.where}: {problem}.", fix=fix)
