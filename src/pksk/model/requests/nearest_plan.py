"""Plans a vector search: checks its vector and equality conditions, and makes the SearchVectors request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import BoundsError, DesignError, InvalidValue, did_you_mean, quote
from pksk.expressions import Compare, Path, Placeholders, Value
from pksk.keys import Operator
from pksk.model.fields.field_facts import field_facts
from pksk.model.frozen_values import FrozenValues
from pksk.model.planning.filter_conditions import render_expressions
from pksk.model.planning.foreign_items import (
    check_discriminator_projected,
    discriminator_values,
    foreign_entities_in_partition,
)
from pksk.model.planning.index_projection import IndexProjection, index_projection
from pksk.model.planning.key_plan import KeyPlan, plan_key
from pksk.model.planning.key_query import KeyQuery
from pksk.model.planning.query_plan import Plan
from pksk.values import Wire, canonical_number, to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey
    from pksk.model.requests.nearest import Nearest
    from pksk.schema import VectorIndex

_ORDERS = {"cosine": "lowest", "euclidean": "lowest", "dot": "highest"}


def plan_nearest(nearest: Nearest[Any]) -> Plan:
    """The plan of a search, or the error that says what would work."""
    searched = nearest.searched
    index, declaration = searched.index, searched.declaration
    ask = KeyQuery(nearest.entity, nearest.key, FrozenValues({}))
    need = index_projection(nearest, ask, index)
    others = _foreign_items(nearest, searched, reads_table=need.reads_table)
    equalities = searched.equalities(nearest.key_values) | others.equalities
    request: dict[str, Any] = {
        "TableName": declaration.table.name,
        "IndexName": index.name,
        "SearchVector": wire_vector(nearest.vector),
        "TopK": nearest.k,
        **_expressions(equalities, _projected_attributes(searched, need)),
    }
    near = f"by {index.distance}, the nearest have the {_ORDERS[index.distance]} scores; AWS may miss one of them"
    return Plan(
        index.name,
        (request,),
        exact=None,
        notes=(near, *need.notes, *others.notes),
        reads_table=need.reads_table,
        has_foreign_items=others.has_foreign_items,
        entities=nearest.entities,
    )


@dataclass(frozen=True)
class _ForeignItems:
    """Entities that may be among the nearest too: what keeps them out, or that the store must."""

    equalities: dict[str, Any]
    notes: tuple[str, ...] = ()
    has_foreign_items: bool = False


def _foreign_items(nearest: Nearest[Any], searched: VectorKey, *, reads_table: bool) -> _ForeignItems:
    declaration, index = searched.declaration, searched.index
    discriminator = declaration.table.discriminator
    tags = discriminator_values(declaration)
    if discriminator in index.partition:
        # The entity itself is the part of the index that is searched.
        return _ForeignItems({str(discriminator): {"S": _one_discriminator(searched, tags)}})
    found = foreign_entities_in_partition(declaration, searched.key, searched.partition(nearest.key_values))
    if not found:
        return _ForeignItems({})
    names = ", ".join(other.name for other in found)
    if discriminator in [each.name for each in index.filters] and len(tags) == 1:
        note = f"items of {names} may be near too; a filter on {discriminator!r} leaves them out"
        return _ForeignItems({str(discriminator): {"S": tags[0]}}, (note,))
    if not reads_table and (discriminator is None or not index.projects(discriminator)):
        check_discriminator_projected(declaration, found, index)
    note = f"items of {names} may be near too; they are left out after the search, so that fewer may remain"
    return _ForeignItems({}, (note,), has_foreign_items=True)


def _one_discriminator(searched: VectorKey, tags: list[str]) -> str:
    if len(tags) > 1:
        raise DesignError(
            "nearest-family",
            f"{searched.where}: index {searched.index.name!r} is divided by the discriminator, and items of "
            f"{searched.declaration.name} are in {len(tags)} parts of it: {', '.join(tags)}.",
            expected="A search looks into one part of an index.",
            fix="search each of the subclasses, or give the index another pk.",
        )
    return tags[0]


def _projected_attributes(searched: VectorKey, need: IndexProjection) -> tuple[str, ...]:
    """The attributes that come back: where the items are read afterwards, no more than tells which they are."""
    if not need.reads_table:
        return need.attributes
    table = searched.declaration.table
    told = table.discriminator
    return (*table.key_attributes, *((told,) if told and searched.index.projects(told) else ()))


def _expressions(equalities: dict[str, Any], projected: tuple[str, ...]) -> dict[str, Any]:
    conditions = [Compare("=", Path((name,)), Value(wire)) for name, wire in equalities.items()]
    return render_expressions(conditions, projected, Placeholders(), member="SearchConditionExpression")


@dataclass(frozen=True)
class VectorKey:
    """A key of a vector index, as searches of it see it."""

    declaration: Declaration[Any]
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

    def parts(self, given: Mapping[str, Any]) -> FrozenValues:
        """The values of a search as the model holds them; raises for a part that is unknown, missing or a range."""
        self._check_names(given)
        parts = FrozenValues({name: self._validated(name, value) for name, value in given.items()})
        self.equalities(parts)  # what no key can be made of raises now
        return parts

    def _check_names(self, given: Mapping[str, Any]) -> None:
        needed = self.key.partition_fields
        known = list(dict.fromkeys((*needed, *self.filters)))
        unknown = next((name for name in given if name not in known), None)
        missing = [name for name in needed if name not in given]
        if unknown is not None:
            near = did_you_mean(unknown, known)
            raise InvalidValue(
                "nearest-unknown-part",
                f"{self.where}: index {self.index.name!r} cannot be searched by {unknown!r}.",
                expected=f"It is divided by: {', '.join(needed) or 'nothing'}; "
                f"and filters by: {', '.join(self.filters) or 'nothing'}.",
                fix=f"did you mean {near!r}?" if near else self._fix(unknown),
            )
        if missing:
            raise InvalidValue(
                "key-missing-part",
                f"{self.where}: {', '.join(map(repr, missing))} missing.",
                expected=f"Index {self.index.name!r} is partitioned by: {', '.join(needed)}.",
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
                return value
            self._refuse_equality(name, f"{value!r} is a range", "give a plain value, or filter the results.")
        if value is None:
            self._refuse_equality(name, "None is no value", "leave it out, or give it a value.")
        if self.declaration.fields[name].computed:
            return value
        return field_facts(self.declaration).values.validated(name, value)

    def _refuse_equality(self, name: str, problem: str, fix: str) -> NoReturn:
        raise InvalidValue(
            "nearest-equality",
            f"{self.where}: {problem}, given for field {name!r}.",
            expected="A search finds items in which a field equals one value.",
            fix=fix,
        )

    def equalities(self, parts: Mapping[str, Any]) -> dict[str, Wire]:
        """The attributes that a search asks to equal a value, those that divide the index first."""
        found = {name: to_wire(value) for name, value in self.partition(parts).items()}
        return found | dict(self._filtered(parts))

    def partition(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """The key attributes of the part that is searched; empty where the key writes none."""
        if not self.key.partition:
            return {}
        given = {name: parts[name] for name in self.key.partition_fields}
        # By a copy: a shape of question that the key itself remembers would be one that a query may ask.
        plan = plan_key(replace(self.key), given, self.where)
        self._check_one_part(plan)
        return plan.partitions[0].attributes

    def _check_one_part(self, plan: KeyPlan) -> None:
        """Refuse a span over several parts of an index, and one that is less than the part that it is in."""
        left = [each.field for each in plan.filters if each.field not in self.filters]
        if len(plan.partitions) == 1 and not left:
            return
        name, fields = repr(self.index.name), ", ".join(map(repr, left))
        several = f"the search is of {len(plan.partitions):,} parts of index {name}"
        piece = f"index {name} is divided by a piece of {fields}, and less than that piece is asked for"
        raise BoundsError(
            "nearest-part",
            f"{self.where}: {piece if left else several}.",
            expected="A search looks into one part of the index, and all of it.",
            fix="give a span that is one whole part, such as begins('2025-06') where months divide the index.",
        )

    def _filtered(self, parts: Mapping[str, Any]) -> Iterator[tuple[str, Wire]]:
        values = field_facts(self.declaration).values
        for name, attribute in self.filters.items():
            if name not in parts or isinstance(parts[name], Operator):
                continue
            wire = values.stored(name, parts[name])
            if wire is None:
                self._refuse_equality(name, f"{quote(parts[name])} is stored as nothing", "give it a value.")
            yield attribute, wire


# The largest 32-bit float, and what is nearer to 0 than to the smallest one; a vector index has no others.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html
_LARGEST: Final = 3.4028235677973366e38
_ROUNDS_TO_ZERO: Final = 7.006492321624085e-46

_NOT_VECTORS = (str, bytes, bytearray, memoryview, Mapping, Set)
_NOT_NUMBERS = (bool, str, bytes, bytearray)
_SHOWN = 3


def search_vector(where: str, given: Any, dimensions: int) -> tuple[float, ...]:
    """The numbers of a vector, from a list, a tuple, an array or anything else that gives them one by one.

    Example:
        >>> search_vector("Note.near.nearest", [1, 0.5], 2)
        (1.0, 0.5)
    """
    if isinstance(given, _NOT_VECTORS) or not isinstance(given, Iterable):
        _reject_vector(
            where, f"{quote(given)} is not a vector.", f"give a list of {_number_count(dimensions)}."
        )
    found = tuple([_number(where, place, each) for place, each in enumerate(given)])
    if len(found) != dimensions:
        _reject_vector(
            where,
            f"a vector of {_number_count(len(found))}, where the index has {dimensions:,} dimensions.",
            "use the model that made the vectors of the items.",
        )
    return found


def _number(where: str, place: int, each: Any) -> float:
    try:
        # A float can be made of a text too, and of an array of one number.
        odd = isinstance(each, _NOT_NUMBERS) or getattr(each, "shape", ()) != ()
        number = None if odd else float(each)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        _reject_vector(
            where, f"{quote(each)} at [{place}] of the vector is not a number.", "give numbers alone."
        )
    if not isfinite(number) or abs(number) >= _LARGEST:
        _reject_vector(
            where, f"{quote(each)} at [{place}] of the vector is not a 32-bit float.",
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
