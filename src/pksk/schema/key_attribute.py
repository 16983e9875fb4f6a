"""Key attributes: a name, and which of the three types of keys it has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final, Literal, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import SchemaError, quote
from pksk.schema.options import attribute_name

AttributeType: TypeAlias = Literal["S", "N", "B"]


@dataclass(frozen=True, repr=False)
class KeyAttribute:
    """An attribute that is part of a key; one of `S`, `N` and `B`.

    Example:
        >>> day = N("day")
        >>> day.name, day.type
        ('day', 'N')
    """

    name: str
    type: ClassVar[AttributeType]

    def __post_init__(self) -> None:
        attribute_name(f"{type(self).__name__}(...)", self.name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class S(KeyAttribute):
    """A text key attribute; a plain string means the same.

    Example:
        >>> S("pk")
        'pk'
    """

    type: ClassVar[AttributeType] = "S"

    def __repr__(self) -> str:
        return repr(self.name)


class N(KeyAttribute):
    """A number key attribute.

    Example:
        >>> N("sessionExpiry")
        N('sessionExpiry')
    """

    type: ClassVar[AttributeType] = "N"


class B(KeyAttribute):
    """A binary key attribute.

    Example:
        >>> B("digest")
        B('digest')
    """

    type: ClassVar[AttributeType] = "B"


KeyDeclaration: TypeAlias = str | KeyAttribute | Iterable[str | KeyAttribute]

_BY_TYPE: Final[dict[str, type[KeyAttribute]]] = {"S": S, "N": N, "B": B}


def attribute_of_type(name: str, kind: str) -> KeyAttribute:
    """The key attribute of a name and the letter that DynamoDB writes for its type."""
    if kind in _BY_TYPE:
        return _BY_TYPE[kind](name)
    raise SchemaError(
        "schema-description",
        f"Attribute {quote(name)} has the type {quote(kind)}.",
        expected="Keys are of type S, N or B.",
        fix="correct AttributeType in AttributeDefinitions.",
    )


def normalize_key(
    where: str, option: str, declared: KeyDeclaration, *, at_most: int = 1
) -> tuple[KeyAttribute, ...]:
    """The attributes of a key, from how people write it: a name, an `N` or `B`, or several."""
    parts = (declared,) if isinstance(declared, str | KeyAttribute) else _key_parts(where, option, declared)
    attributes = tuple(_attribute(f"{where}, {option}", part) for part in parts)
    if not 1 <= len(attributes) <= at_most:
        raise SchemaError(
            "schema-key-count",
            f"{where}: {option} has {len(attributes)} attributes.",
            expected=_count_text(at_most),
            fix="name one attribute." if at_most == 1 else f"name one to {at_most} attributes.",
        )
    reject_duplicates(where, option, attributes)
    return attributes


def reject_duplicates(where: str, option: str, attributes: Iterable[KeyAttribute]) -> None:
    """Raise an error for a key with a duplicate attribute."""
    names: set[str] = set()
    for attribute in attributes:
        if attribute.name in names:
            verb = "name" if " and " in option else "names"
            raise SchemaError(
                "schema-key-duplicate",
                f"{where}: {option} {verb} attribute {quote(attribute.name)} twice.",
                fix="name each attribute of the key once.",
            )
        names.add(attribute.name)


def key_repr(attributes: tuple[KeyAttribute, ...]) -> KeyAttribute | tuple[KeyAttribute, ...] | None:
    """A key as written in a declaration: a single attribute without a list, no attribute as None."""
    if len(attributes) == 1:
        return attributes[0]
    return attributes or None


def _key_parts(
    where: str, option: str, declared: Iterable[str | KeyAttribute]
) -> Iterable[str | KeyAttribute]:
    return declared if isinstance(declared, Iterable) else (attribute_name(f"{where}, {option}", declared),)


def _attribute(where: str, part: str | KeyAttribute) -> KeyAttribute:
    return part if isinstance(part, KeyAttribute) else S(attribute_name(where, part))


def _count_text(at_most: int) -> str:
    if at_most == 1:
        return "It takes exactly one; keys of several attributes exist in global secondary indexes (GSI)."
    return f"A global secondary index takes 1 to {at_most} for its pk, and up to {at_most} for its sk."
