"""Fields that are key attributes themselves: of the type that the table declares, and never empty."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, quote
from pksk.keys.parts.part import type_name
from pksk.keys.parts.part_types import field_type
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.model.storing.attributes import Field
from pksk.model.storing.core_schema import may_be_vector, wire_types
from pksk.schema import Index, Table, VectorIndex

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

_WORDS = {"S": "text", "N": "a number", "B": "bytes"}
_KINDS: dict[str, Any] = {"S": str, "N": (int, Decimal), "B": bytes}
_KEY_TYPES: dict[str, tuple[Any, ...]] = {"N": (int, Decimal), "B": (bytes,)}


@dataclass(frozen=True, slots=True)
class KeyField:
    """A field whose attribute is a key of an index, with what DynamoDB requires of its values."""

    path: str
    attribute: str
    role: str
    type: str
    limit: int | None = None
    dimensions: int | None = None

    def check(self, value: Any) -> None:
        """Reject a stored value for which DynamoDB would reject the item."""
        if value is None:
            self._reject(
                "None would be stored as a null",
                "make None the default of the field, so that nothing is stored, or give it a value.",
            )
        if self.dimensions is not None:
            self._check_vector(value)
            return
        if isinstance(value, bool) or not isinstance(value, _KINDS[self.type]):
            self._reject(
                f"{quote(value)} is not {_WORDS[self.type]}", f"declare the field as {_WORDS[self.type]}."
            )
        if self.limit is not None and self.type != "N":
            self._check_size(value)

    def _check_size(self, value: Any) -> None:
        size = len(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value)
        if not size:
            self._reject(
                f"{quote(value)} is empty",
                "give it a value; a field that is None, with None as its default, leaves the item out of the index.",
            )
        if self.limit is not None and size > self.limit:
            self._reject(f"its value has {size} bytes, of at most {self.limit}", "shorten it.")

    def _check_vector(self, value: Any) -> None:
        numbers = isinstance(value, list) and all(
            isinstance(each, (int, Decimal)) and not isinstance(each, bool) for each in value
        )
        if not numbers or len(value) != self.dimensions:
            content = f"{len(value)} numbers" if numbers else quote(value)
            self._reject(
                f"a vector of {self.dimensions} numbers is expected, not {content}", "correct the vector."
            )

    def _reject(self, problem: str, fix: str) -> NoReturn:
        raise InvalidValue(
            "entity-unstorable",
            f"{self.path}: {problem}, and attribute {self.attribute!r} is {self.role}.",
            expected="DynamoDB rejects such an item.",
            fix=fix,
        )


def key_fields(declaration: Declaration) -> Mapping[str, KeyField]:
    """The fields that are keys of indexes, by name; those of the table itself are checked as its key is rendered."""
    fields: dict[str, KeyField] = {}
    names = {each.attribute: name for name, each in declaration.fields.items() if not each.computed}
    for index in declaration.table.indexes:
        for field in _index_key_fields(declaration.name, index, names):
            name = names[field.attribute]
            # The stricter one: an attribute may be the partition key of one index and the sort key of another.
            if name not in fields or _size_limit(field) < _size_limit(fields[name]):
                fields[name] = field
    own = set(declaration.table.key_attributes)
    return {name: each for name, each in fields.items() if each.attribute not in own}


def _size_limit(each: KeyField) -> int:
    return PARTITION_KEY_BYTES + 1 if each.limit is None else each.limit


def _index_key_fields(entity: str, index: Index, names: Mapping[str, str]) -> list[KeyField]:
    what = f"index {index.name!r}"
    roles = [
        *((each, f"the partition key of {what}", PARTITION_KEY_BYTES) for each in index.partition_key),
        *((each, f"the sort key of {what}", SORT_KEY_BYTES) for each in index.sort_key),
        *(
            (each, f"a filter of {what}", None)
            for each in (index.filters if isinstance(index, VectorIndex) else ())
        ),
    ]
    fields = [
        KeyField(f"{entity}.{names[each.name]}", each.name, role, each.type, limit)
        for each, role, limit in roles
        if each.name in names
    ]
    if isinstance(index, VectorIndex) and index.attribute in names:
        path = f"{entity}.{names[index.attribute]}"
        fields.append(
            KeyField(path, index.attribute, f"the vector of {what}", "L", dimensions=index.dimensions)
        )
    return fields


def check_key_fields(declaration: Declaration) -> None:
    """Reject fields that are key attributes and stored as another type, or not as a vector where one is indexed."""
    table = declaration.table
    types = table.attribute_types
    vectors = {index.attribute: index for index in table.indexes if isinstance(index, VectorIndex)}
    for name, each in declaration.fields.items():
        if each.computed or each.schema is None:
            continue
        if each.attribute in types:
            _check_type(f"{declaration.name}.{name}", each, types[each.attribute], table)
        elif each.attribute in vectors and not may_be_vector(*each.schema):
            _reject(
                f"{declaration.name}.{name}",
                f"the field is of type {type_name(each.declared_as)}, and attribute {each.attribute!r} is the vector "
                f"of index {vectors[each.attribute].name!r}.",
                f"declare it as list[float], or store it under another name: Attribute('{name}_')."
            )  # fmt: skip


def _check_type(where: str, each: Field, expected: str, table: Table) -> None:
    assert each.schema is not None
    form = each.stored_form
    types = wire_types(*each.schema) if form is None else frozenset(form.type)
    if types is None or types <= {expected}:
        return
    stored = " or ".join(sorted(types - {expected}))
    kind = field_type(each.annotation).type
    other = next((letter for letter in "NB" if kind in _KEY_TYPES[letter]), "")
    also = f", or declare the attribute as {other}({each.attribute!r})" if other else ""
    renamed = f"Attribute('{each.name}_')"
    renamed = (
        f"add {renamed} to its markers"
        if each.markers
        else f"Annotated[{type_name(each.declared_as)}, {renamed}]"
    )
    _reject(
        where,
        f"the field is stored as {stored}, and attribute {each.attribute!r} is a key of type {expected} in "
        f"{_index_names(each.attribute, table)}.",
        f"store the field under another name: {renamed}{also}.",
    )


def _index_names(attribute: str, table: Table) -> str:
    indexes = [
        index
        for index in (table.primary, *table.indexes)
        if attribute in [key.name for key in index.typed_attributes]
    ]
    return " and ".join(
        f"index {index.name!r}" if index.name else f"table {table.name!r}" for index in indexes
    )


def _reject(where: str, problem: str, fix: str) -> NoReturn:
    raise DesignError("entity-key-type", f"{where}: {problem}", fix=fix)
