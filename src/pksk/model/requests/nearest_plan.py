"""Plans a vector search: checks its vector and equality conditions, and makes the SearchVectors request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pksk.dataclass import dataclass, replace
from pksk.errors import BoundsError, DesignError, InvalidValue, did_you_mean, quote
from pksk.expressions import Compare, Path, Placeholders, Value
from pksk.keys import Operator
from pksk.model import planning
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.fields.facts import field_facts
from pksk.model.fields.field_conditions import discriminator_values
from pksk.model.fields.operands import checked_operands, equality_operand
from pksk.model.item_key import is_vector_key
from pksk.model.request_values import FrozenValues
from pksk.schema import VectorIndex
from pksk.values import Wire, canonical_number, to_wire

if TYPE_CHECKING:
    from pksk.model.requests.nearest import Nearest

_ORDERS = {"cosine": "lowest", "euclidean": "lowest", "dot": "highest"}


def plan_nearest(nearest: Nearest) -> planning.Plan:
    """The plan of a search; raises if there is none."""
    searched = nearest.searched
    index, declaration = searched.index, searched.declaration
    key_query = planning.KeyQuery(nearest.entity, nearest.key, FrozenValues({}))
    projection = planning.index_projection(nearest, key_query, index)
    others = _foreign_items(nearest, searched, reads_table=projection.reads_table)
    equalities = searched.equalities(nearest.key_values) | others.equalities
    request: dict[str, Any] = {
        "TableName": declaration.table.name,
        "IndexName": index.name,
        "SearchVector": wire_vector(nearest.vector),
        "TopK": nearest.k,
        **_expressions(equalities, _projected_attributes(searched, projection)),
    }
    near = f"by {index.distance}, the nearest have the {_ORDERS[index.distance]} scores; AWS may miss one of them"
    return planning.Plan(
        index.name,
        (request,),
        exact=None,
        notes=(near, *projection.notes, *others.notes),
        reads_table=projection.reads_table,
        has_foreign_items=others.has_foreign_items,
        entities=nearest.entities,
    )


@dataclass(frozen=True)
class _ForeignItems:
    """How items of other entities are excluded: by equality conditions, or by the store."""

    equalities: dict[str, Any]
    notes: tuple[str, ...] = ()
    has_foreign_items: bool = False


def _foreign_items(nearest: Nearest, searched: VectorKey, *, reads_table: bool) -> _ForeignItems:
    declaration, index = searched.declaration, searched.index
    discriminator = declaration.table.discriminator
    tags = discriminator_values(declaration)
    if discriminator in index.partition:
        # The search reads only the partition of the entity.
        return _ForeignItems({str(discriminator): {"S": _one_discriminator(searched, tags)}})
    entities = planning.foreign_entities_in_partition(
        declaration, searched.key, searched.partition(nearest.key_values)
    )
    if not entities:
        return _ForeignItems({})
    names = ", ".join(other.name for other in entities)
    if discriminator in [each.name for each in index.filters] and len(tags) == 1:
        note = f"items of {names} may be near too; a filter on {discriminator!r} excludes them"
        return _ForeignItems({str(discriminator): {"S": tags[0]}}, (note,))
    if not reads_table and (discriminator is None or not index.projects(discriminator)):
        planning.check_discriminator_projected(declaration, entities, index)
    note = (
        f"items of {names} may be near too; pksk skips them after the search, so there may be fewer results"
    )
    return _ForeignItems({}, (note,), has_foreign_items=True)


def _one_discriminator(searched: VectorKey, tags: list[str]) -> str:
    if len(tags) > 1:
        raise DesignError(
            "nearest-subclasses",
            f"{searched.where}: index {searched.index.name!r} is partitioned by the discriminator, and items of "
            f"{searched.declaration.name} are in {len(tags)} of its partitions: {', '.join(tags)}.",
            expected="A search reads one partition of an index.",
            fix="search each of the subclasses, or give the index another pk.",
        )
    return tags[0]


def _projected_attributes(searched: VectorKey, projection: planning.IndexProjection) -> tuple[str, ...]:
    """The attributes that the search returns; only identifying ones if the items are read afterwards."""
    if not projection.reads_table:
        return projection.attributes
    table = searched.declaration.table
    discriminator = table.discriminator
    return (
        *table.key_attributes,
        *((discriminator,) if discriminator and searched.index.projects(discriminator) else ()),
    )


def _expressions(equalities: dict[str, Any], projected: tuple[str, ...]) -> dict[str, Any]:
    conditions = [Compare("=", Path((name,)), Value(wire)) for name, wire in equalities.items()]
    return planning.render_expressions(
        conditions, projected, Placeholders(), member="SearchConditionExpression"
    )


@dataclass(frozen=True)
class VectorKey:
    """A key of a vector index, as searches of it see it."""

    declaration: Declaration
    key: EntityKey
    index: VectorIndex

    @property
    def where(self) -> str:
        """The search for messages: Note.near.nearest."""
        return f"{self.declaration.name}.{self.key.name}.nearest"

    @property
    def filters(self) -> dict[str, str]:
        """The fields that the index filters by, with their attributes."""
        names = {each.name for each in self.index.filters}
        fields = self.declaration.fields.items()
        return {
            name: each.attribute for name, each in fields if not each.computed and each.attribute in names
        }

    def parts(self, values: Mapping[str, Any]) -> FrozenValues:
        """The values of a search as the model holds them; raises for a part that is unknown, missing or a range."""
        self._check_names(values)
        parts = FrozenValues({name: self._validated(name, value) for name, value in values.items()})
        self.equalities(parts)  # raises now for values that cannot be in a key
        return parts

    def _check_names(self, values: Mapping[str, Any]) -> None:
        required = self.key.partition_fields
        known = list(dict.fromkeys((*required, *self.filters)))
        unknown = next((name for name in values if name not in known), None)
        missing = [name for name in required if name not in values]
        if unknown is not None:
            near = did_you_mean(unknown, known)
            raise InvalidValue(
                "nearest-unknown-part",
                f"{self.where}: index {self.index.name!r} cannot be searched by {unknown!r}.",
                expected=f"It is partitioned by: {', '.join(required) or 'nothing'}; "
                f"and filters by: {', '.join(self.filters) or 'nothing'}.",
                fix=f"did you mean {near!r}?" if near else self._fix(unknown),
            )
        if missing:
            raise InvalidValue(
                "key-missing-part",
                f"{self.where}: {', '.join(map(repr, missing))} missing.",
                expected=f"Index {self.index.name!r} is partitioned by: {', '.join(required)}.",
                fix="give all of them: a search reads one partition of the index.",
            )

    def _fix(self, name: str) -> str:
        each = self.declaration.fields.get(name)
        if each is None or each.computed:
            return "leave it out."
        return f"leave it out and filter the results, or declare the index with filters=[{each.attribute!r}]."

    def _validated(self, name: str, value: Any) -> Any:
        if isinstance(value, Operator) and value.name == "eq":
            (value,) = value.operands
        if isinstance(value, Operator):
            if name in self.key.partial_fields:
                return checked_operands(self.declaration, {name: value}, by_key=True)[name]
            self._reject_equality(name, f"{value!r} is a range", "give a plain value, or filter the results.")
        if value is None:
            self._reject_equality(name, "None is not a value", "leave it out, or give it a value.")
        if self.declaration.fields[name].computed:
            return value
        return equality_operand(self.declaration, name, value)

    def _reject_equality(self, name: str, problem: str, fix: str) -> NoReturn:
        raise InvalidValue(
            "nearest-equality",
            f"{self.where}: {problem} (field {name!r}).",
            expected="A search compares fields with one value each.",
            fix=fix,
        )

    def equalities(self, parts: Mapping[str, Any]) -> dict[str, Wire]:
        """The attributes that must equal a value, those of the partition first."""
        equal = {name: to_wire(value) for name, value in self.partition(parts).items()}
        return equal | dict(self._filtered(parts))

    def partition(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """The key attributes of the searched partition; empty if the key writes none."""
        if not self.key.partition:
            return {}
        values = {name: parts[name] for name in self.key.partition_fields}
        # A copy, so that the key does not cache this shape for queries.
        plan = planning.plan_key(replace(self.key), values, self.where)
        self._check_one_part(plan)
        return plan.partitions[0].attributes

    def _check_one_part(self, plan: planning.KeyPlan) -> None:
        """Reject a range over several partitions of an index, or over less than one partition."""
        left = [each.field for each in plan.filters if each.field not in self.filters]
        if len(plan.partitions) == 1 and not left:
            return
        name, fields = repr(self.index.name), ", ".join(map(repr, left))
        several = f"the search covers {len(plan.partitions):,} partitions of index {name}"
        piece = f"the partition key of index {name} has a part of {fields}, and the search covers less than that part"
        raise BoundsError(
            "nearest-partition",
            f"{self.where}: {piece if left else several}.",
            expected="A search reads exactly one partition of the index.",
            fix="pass a range of exactly one partition: begins('2025-06'), if the index is partitioned by month.",
        )

    def _filtered(self, parts: Mapping[str, Any]) -> Iterator[tuple[str, Wire]]:
        values = field_facts(self.declaration).values
        for name, attribute in self.filters.items():
            if name not in parts or isinstance(parts[name], Operator):
                continue
            wire = values.stored(name, parts[name])
            if wire is None:
                self._reject_equality(name, f"{quote(parts[name])} is not stored", "give it a value.")
            yield attribute, wire


def vector_index(declaration: Declaration, name: str) -> VectorIndex:
    """The vector index of a key; raises if its index is of another kind."""
    key = declaration.key(name)
    index = declaration.table.index(key.index)
    if isinstance(index, VectorIndex):
        return index
    source = f"index {key.index!r}" if key.index else f"table {declaration.table.name!r}"
    raise DesignError(
        "nearest-key",
        f"{declaration.name}.{name}.nearest: {source} is not a vector index.",
        expected="Items are found by their vectors in a VectorIndex of the table.",
        fix=_suggested_fix(declaration),
    )


def _suggested_fix(declaration: Declaration) -> str:
    searched = [key.name for key in declaration.keys.values() if is_vector_key(declaration, key)]
    if searched:
        return f"use {declaration.name}.{searched[0]}.nearest(...)."
    known = [index for index in declaration.table.indexes if index.kind == "vector"]
    name = known[0].name if known else "by-meaning"
    key = f"Key(index={name!r})" if not known or not known[0].partition else f"Key('...', index={name!r})"
    declared = "" if known else f" for indexes=[VectorIndex({name!r}, attribute=..., dimensions=...)]"
    return f"declare by_meaning = {key}{declared}, and use {declaration.name}.by_meaning.nearest(...)."


# The largest 32-bit float, and what is nearer to 0 than to the smallest one; a vector index has no others.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html
_LARGEST: Final = 3.4028235677973366e38
_ROUNDS_TO_ZERO: Final = 7.006492321624085e-46

_NOT_VECTORS = (str, bytes, bytearray, memoryview, Mapping, Set)
_NOT_NUMBERS = (bool, str, bytes, bytearray)
_SHOWN = 3


def search_vector(where: str, vector: object, dimensions: int) -> tuple[float, ...]:
    """The numbers of a vector, from a list, a tuple, an array or anything else that gives them one by one.

    Example:
        >>> search_vector("Note.near.nearest", [1, 0.5], 2)
        (1.0, 0.5)
    """
    if isinstance(vector, _NOT_VECTORS) or not isinstance(vector, Iterable):
        _reject_vector(
            where, f"{quote(vector)} is not a vector.", f"give a list of {_number_count(dimensions)}."
        )
    numbers = tuple([_number(where, position, each) for position, each in enumerate(vector)])
    if len(numbers) != dimensions:
        _reject_vector(
            where,
            f"a vector of {_number_count(len(numbers))}, where the index has {dimensions:,} dimensions.",
            "use the model that made the vectors of the items.",
        )
    return numbers


def _number(where: str, position: int, each: Any) -> float:
    try:
        # A float can be made of a text too, and of an array of one number.
        odd = isinstance(each, _NOT_NUMBERS) or getattr(each, "shape", ()) != ()
        number = None if odd else float(each)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        _reject_vector(
            where, f"{quote(each)} at [{position}] of the vector is not a number.", "give numbers alone."
        )
    if not isfinite(number) or abs(number) >= _LARGEST:
        _reject_vector(
            where, f"{quote(each)} at [{position}] of the vector is not a 32-bit float.",
            f"give finite numbers, from -{_LARGEST:.3g} to {_LARGEST:.3g}.",
        )  # fmt: skip
    return number


def _number_count(count: int) -> str:
    return f"{count:,} number" if count == 1 else f"{count:,} numbers"


def _reject_vector(where: str, problem: str, fix: str) -> NoReturn:
    raise InvalidValue("nearest-vector", f"{where}: {problem}", fix=fix)


def wire_vector(vector: Iterable[float]) -> list[dict[str, str]]:
    """The vector in DynamoDB's JSON: of each number the shortest text that reads back as the same float.

    Example:
        >>> wire_vector((0.1, 1e-7, 1e-300))
        [{'N': '0.1'}, {'N': '0.0000001'}, {'N': '0'}]
    """
    return [{"N": "0" if abs(each) < _ROUNDS_TO_ZERO else canonical_number(repr(each))} for each in vector]


def vector_text(numbers: Sequence[Mapping[str, str]]) -> str:
    """The first numbers of a vector, and how many there are.

    Example:
        >>> vector_text([{"N": "1"}] * 1024), vector_text([{"N": "1"}, {"N": "0.5"}])
        ('1, 1, 1, ... (1,024 numbers)', '1, 0.5')
    """
    first = ", ".join(each["N"] for each in numbers[:_SHOWN])
    return first if len(numbers) <= _SHOWN else f"{first}, ... ({_number_count(len(numbers))})"
