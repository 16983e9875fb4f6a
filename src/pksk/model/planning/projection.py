"""Decides which attributes a query reads from an index, and whether whole items are read from the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from pydantic import BaseModel

from pksk.dataclass import dataclass, replace
from pksk.errors import DesignError, did_you_mean
from pksk.keys import Filter
from pksk.model.declaration import Declaration
from pksk.model.entity_of_item import entity_and_subclasses
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.markers import TTL
from pksk.model.planning.key_query import KeyQuery
from pksk.schema import Index, VectorIndex


@dataclass(frozen=True, slots=True)
class IndexProjection:
    """How a request gets its attributes: what it projects or selects, and whether the table is read afterwards."""

    attributes: tuple[str, ...] = ()
    select: str = ""
    reads_table: bool = False
    notes: tuple[str, ...] = ()

    @property
    def sees_whole_items(self) -> bool:
        """Whether each item is also read from the table, by the store or by DynamoDB."""
        return self.reads_table or bool(self.select)


_WHOLE_ITEMS = IndexProjection()


class ReadOptions(Protocol):
    """The options of a query, a scan or a vector search that decide which attributes it needs."""

    @property
    def consistent(self) -> bool:
        """Whether it reads consistently."""

    @property
    def whole_items(self) -> bool:
        """Whether it reads the attributes that the index lacks from the table."""

    @property
    def model(self) -> type[BaseModel] | None:
        """The smaller model for the results."""


def index_projection(read: ReadOptions, key_query: KeyQuery, index: Index) -> IndexProjection:
    """The attributes to read from the index; raises if it lacks some of them."""
    if read.consistent and index.kind == "gsi":
        raise DesignError(
            "plan-consistent-index",
            f"{key_query.where}: index {index.name!r} is a global index, which has no consistent reads.",
            fix="leave out .consistently(), or use a key of the table itself.",
        )
    if read.model:
        return _model_projection(read, key_query, index, read.model)
    return _entity_projection(read, key_query, index)


def _entity_projection(read: ReadOptions, key_query: KeyQuery, index: Index) -> IndexProjection:
    """All fields of the entity and its subclasses, and what distinguishes them, from the index or from the table."""
    vector = _vector_attribute(index)
    if index.projection == "all" and vector is None:
        return _WHOLE_ITEMS
    kinds = entity_and_subclasses(key_query.declaration)
    stored = {
        name: each.attribute for kind in kinds for name, each in kind.fields.items() if not each.computed
    }
    discriminator = key_query.declaration.table.discriminator
    if len(kinds) > 1 and discriminator is not None:
        stored = {discriminator: discriminator, **stored}
    missing = [
        name for name, attribute in stored.items() if not index.projects(attribute) or attribute == vector
    ]
    names = " and ".join(each.name for each in kinds)
    # Its fields may be all that the class knows of an item, and not all that the item has.
    if not missing and not read.whole_items:
        return _WHOLE_ITEMS
    if not read.whole_items and vector is not None:
        raise DesignError(
            "plan-not-projected",
            f"{key_query.where}: a search of index {index.name!r} does not return {_name_list(missing)} of "
            f"{names} exactly as stored.",
            expected="A vector index holds vectors as 32-bit floats, and only the attributes that it projects.",
            fix="add .hydrate() to read the whole items from the table, or .into(Model) to read fewer fields.",
        )
    if not read.whole_items:
        raise DesignError(
            "plan-not-projected",
            f"{key_query.where}: index {index.name!r} does not project {_name_list(missing)} of {names}.",
            fix="add .hydrate() to read the whole items from the table, .into(Model) to read fewer fields, "
            "or project the attributes.",
        )
    return _table_projection(index, missing)


def _model_projection(
    read: ReadOptions, key_query: KeyQuery, index: Index, model: type[BaseModel]
) -> IndexProjection:
    """The fields of a smaller model and no other attributes."""
    fields = _model_fields(key_query.declaration, model, key_query.where)
    # Expired items are left out, so the TTL is read too.
    stored = {name: key_query.declaration.fields[name].attribute for name in fields} | _ttl_attributes(
        key_query.declaration
    )
    names = list(stored)
    # If the table is read anyway, its vector is exact.
    rounded = [name for name in names if stored[name] == _vector_attribute(index)]
    missing = [
        name for name in names if not index.projects(stored[name]) or (read.whole_items and name in rounded)
    ]
    if missing and not read.whole_items:
        raise DesignError(
            "plan-not-projected",
            f"{key_query.where}: index {index.name!r} does not project {_name_list(missing)} of {model.__name__}.",
            fix="leave the fields out of the model, project the attributes, or add .hydrate().",
        )
    if missing:
        return _table_projection(index, missing)
    attributes = tuple(
        dict.fromkeys([*stored.values(), *_identifying_attributes(key_query.declaration, index)])
    )
    return IndexProjection(
        attributes, notes=tuple(f"{name} as 32-bit floats, as the index holds it" for name in rounded)
    )


def _ttl_attributes(declaration: Declaration) -> dict[str, str]:
    """The TTL field of the entity or of a subclass, with its attribute."""
    kinds = entity_and_subclasses(declaration)
    return {name: each.fields[name].attribute for each in kinds for name, _ in each.marked(TTL)}


def _vector_attribute(index: Index) -> str | None:
    """The vector attribute, which the index holds as 32-bit floats and returns only if the request names it."""
    return index.attribute if isinstance(index, VectorIndex) else None


def _table_projection(index: Index, missing: list[str]) -> IndexProjection:
    verb = "is" if len(missing) == 1 else "are"
    what = f"{', '.join(missing)} {verb}" if missing else "attributes that the index lacks are"
    note = f"{what} read from the table, one more read for each item"
    # With a local index, DynamoDB itself reads the items if a request selects all attributes.
    if index.kind == "lsi":
        return IndexProjection(select="ALL_ATTRIBUTES", notes=(note,))
    return IndexProjection(reads_table=True, notes=(note,))


def with_filter_attributes(
    projection: IndexProjection, key_query: KeyQuery, index: Index, filters_after_reading: Sequence[Filter]
) -> IndexProjection:
    """The projection with the attributes by which the store filters; raises if they cannot be read."""
    more = []
    for each in filters_after_reading:
        field = key_query.declaration.fields[each.field]
        if field.computed or not index.projects(field.attribute):
            raise DesignError(
                "plan-not-projected",
                f"{key_query.where}: pksk filters by {each.field!r} after reading, but it "
                f"{'is computed from the whole item' if field.computed else f'is not in index {index.name!r}'}.",
                fix="read whole entities, with .hydrate() if the index lacks fields.",
            )
        more.append(field.attribute)
    return replace(projection, attributes=tuple(dict.fromkeys([*projection.attributes, *more])))


def check_known_after_reading(
    key_query: KeyQuery, index: Index, model: type[BaseModel], fields: Iterable[str]
) -> None:
    """Raise an error if neither a smaller model nor the index has a field by which the store filters."""
    stored = key_query.declaration.fields
    for name in fields:
        if name not in model.__pydantic_fields__ and not index.projects(stored[name].attribute):
            raise DesignError(
                "plan-not-projected",
                f"{key_query.where}: pksk filters by {name!r} after reading, but it is neither in index "
                f"{index.name!r} nor in {model.__name__}.",
                fix=f"add {name!r} to {model.__name__}, read whole entities, or project the attribute.",
            )


def _identifying_attributes(declaration: Declaration, index: Index) -> tuple[str, ...]:
    """The attributes that identify an item and its entity."""
    discriminator = declaration.table.discriminator
    kind = (discriminator,) if discriminator is not None and index.projects(discriminator) else ()
    return (*kind, *declaration.table.key_attributes)


def _name_list(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def _model_fields(declaration: Declaration, model: type[BaseModel], where: str) -> Iterator[str]:
    known = {name for name, each in declaration.fields.items() if not each.computed}
    for name, info in model.__pydantic_fields__.items():
        if name in known:
            yield name
        elif info.is_required() or did_you_mean(name, known):
            near = did_you_mean(name, known)
            raise DesignError(
                "plan-into-field",
                f"{where}: {model.__name__} has the field {name!r}, which {declaration.name} does not store.",
                expected=f"Its fields are: {', '.join(sorted(known))}.",
                fix=f"did you mean {near!r}?" if near else "give it a default, or remove it.",
            )


def check_no_key_filter(key_query: KeyQuery, index: Index, condition: object) -> None:
    """Reject a filter on an attribute of the key that is read, as DynamoDB does."""
    for name in condition_fields(condition):
        if key_query.declaration.attribute(name) in (*index.partition, *index.sort):
            raise DesignError(
                "plan-filter-key",
                f"{key_query.where}: {name!r} is a key attribute of this query, and DynamoDB rejects filters on those.",
                fix=f"pass {name!r} as a part of the key.",
            )


def check_filter_attributes(key_query: KeyQuery, index: Index, condition: object) -> None:
    """Reject a filter on an attribute that the index does not hold, as DynamoDB does even if it fetches the rest."""
    for name in condition_fields(condition):
        attribute = key_query.declaration.attribute(name)
        computed = key_query.declaration.fields[name].computed
        if computed or not index.projects(attribute):
            reason = "is computed and not stored" if computed else f"is not in index {index.name!r}"
            raise DesignError(
                "plan-filter-not-stored",
                f"{key_query.where}: DynamoDB cannot filter by {name!r}: it {reason}.",
                fix="filter by an attribute of the index, or filter the results in Python.",
            )
