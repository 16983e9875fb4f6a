"""Decides which attributes a query reads from an index, and whether whole items are read from the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

from pksk.dataclass import dataclass
from pksk.errors import DesignError, did_you_mean
from pksk.keys import Filter
from pksk.model.entity_of_item import entities_sharing_key
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.markers import TTL
from pksk.schema import VectorIndex

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.planning.key_query import KeyQuery
    from pksk.schema import Index

__all__ = [
    "IndexProjection",
    "check_filter_attributes",
    "check_no_key_filter",
    "index_projection",
    "with_filter_attributes",
]


@dataclass(frozen=True, slots=True)
class IndexProjection:
    """How a request gets the attributes: what it projects or selects, and whether the table is read afterwards."""

    attributes: tuple[str, ...] = ()
    select: str = ""
    reads_table: bool = False
    notes: tuple[str, ...] = ()

    @property
    def sees_whole_items(self) -> bool:
        """Whether every row is read from the table as well, by the store or by DynamoDB."""
        return self.reads_table or bool(self.select)


_WHOLE_ITEMS = IndexProjection()


class ReadOptions(Protocol):
    """What a query, a scan or a vector search says about the attributes that it needs."""

    @property
    def consistent(self) -> bool:
        """Whether it reads consistently."""

    @property
    def whole_items(self) -> bool:
        """Whether it reads the table for what the index lacks."""

    @property
    def model(self) -> type[BaseModel] | None:
        """The smaller model that the results are read as."""


def index_projection(read: ReadOptions, ask: KeyQuery, index: Index) -> IndexProjection:
    """What the index must give, or the error that says what it cannot."""
    if read.consistent and index.kind == "gsi":
        raise DesignError(
            "plan-consistent-index",
            f"{ask.where}: a consistent read of index {index.name!r}, which is a global one and always lags.",
            fix="leave out .consistently(), or use a key of the table itself.",
        )
    if read.model:
        return _model_projection(read, ask, index, read.model)
    return _entity_projection(read, ask, index)


def _entity_projection(read: ReadOptions, ask: KeyQuery, index: Index) -> IndexProjection:
    """All fields of the entity, from the index or from the table."""
    vector = _vector_attribute(index)
    if index.projection == "all" and vector is None:
        return _WHOLE_ITEMS
    declaration = ask.declaration
    lacking = [
        name
        for name, each in declaration.fields.items()
        if not each.computed and (not index.projects(each.attribute) or each.attribute == vector)
    ]
    if not lacking:
        return _WHOLE_ITEMS
    if not read.whole_items and vector is not None:
        raise DesignError(
            "plan-not-projected",
            f"{ask.where}: a search of index {index.name!r} does not give {_name_list(lacking)} of {declaration.name} "
            "as written.",
            expected="A vector index keeps vectors as 32-bit floats, and of the rest what it projects.",
            fix="add .hydrate() to read the whole items from the table, or .into(Model) to do with less.",
        )
    if not read.whole_items:
        raise DesignError(
            "plan-not-projected",
            f"{ask.where}: index {index.name!r} does not project {_name_list(lacking)} of {declaration.name}.",
            fix="add .hydrate() to read the whole items from the table, .into(Model) to do with less, "
            "or project the attributes.",
        )
    return _table_projection(index, lacking)


def _model_projection(
    read: ReadOptions, ask: KeyQuery, index: Index, model: type[BaseModel]
) -> IndexProjection:
    """The fields of a smaller model, and no other attribute."""
    wanted = _model_fields(ask.declaration, model, ask.where)
    # An item whose time is over is no result, and nothing else tells.
    stored = {name: ask.declaration.fields[name].attribute for name in wanted} | _ttl_attributes(
        ask.declaration
    )
    names = list(stored)
    # Where the table is read anyway, its vector is the better one.
    rounded = [name for name in names if stored[name] == _vector_attribute(index)]
    lacking = [
        name for name in names if not index.projects(stored[name]) or (read.whole_items and name in rounded)
    ]
    if lacking and not read.whole_items:
        raise DesignError(
            "plan-not-projected",
            f"{ask.where}: index {index.name!r} does not project {_name_list(lacking)} of {model.__name__}.",
            fix="leave the fields out of the model, project the attributes, or add .hydrate().",
        )
    if lacking:
        return _table_projection(index, lacking)
    attributes = tuple(dict.fromkeys([*stored.values(), *_identifying_attributes(ask.declaration, index)]))
    return IndexProjection(
        attributes, notes=tuple(f"{name} as 32-bit floats, as the index keeps it" for name in rounded)
    )


def _ttl_attributes(declaration: Declaration[Any]) -> dict[str, str]:
    """The field by which items of the entity or of a subclass expire, if there is one, with its attribute."""
    kinds = [each for each in entities_sharing_key(declaration).values() if each.is_subclass_of(declaration)]
    return {name: each.fields[name].attribute for each in kinds for name, _ in each.marked(TTL)}


def _vector_attribute(index: Index) -> str | None:
    """The attribute that a vector index keeps as 32-bit floats, and gives back only where it is named."""
    return index.attribute if isinstance(index, VectorIndex) else None


def _table_projection(index: Index, lacking: list[str]) -> IndexProjection:
    verb = "is" if len(lacking) == 1 else "are"
    note = f"{', '.join(lacking)} {verb} read from the table, one more read for each row"
    # A local index stands beside its items, and DynamoDB reads them itself where it is asked for all attributes.
    if index.kind == "lsi":
        return IndexProjection(select="ALL_ATTRIBUTES", notes=(note,))
    return IndexProjection(reads_table=True, notes=(note,))


def with_filter_attributes(
    need: IndexProjection, ask: KeyQuery, index: Index, filters_after_reading: Sequence[Filter]
) -> IndexProjection:
    """The same, and the attributes by which the store filters; refused where they cannot be read."""
    more = []
    for each in filters_after_reading:
        found = ask.declaration.fields[each.field]
        if found.computed or not index.projects(found.attribute):
            raise DesignError(
                "plan-not-projected",
                f"{ask.where}: rows are filtered by {each.field!r}, which "
                f"{'is computed from whole items' if found.computed else f'index {index.name!r} does not hold'}.",
                fix="ask for whole entities, with .hydrate() where the index lacks fields.",
            )
        more.append(found.attribute)
    return replace(need, attributes=tuple(dict.fromkeys([*need.attributes, *more])))


def _identifying_attributes(declaration: Declaration[Any], index: Index) -> tuple[str, ...]:
    """The attributes that tell of which entity a row is, and which item."""
    discriminator = declaration.table.discriminator
    said = (discriminator,) if discriminator is not None and index.projects(discriminator) else ()
    return (*said, *declaration.table.key_attributes)


def _name_list(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def _model_fields(declaration: Declaration[Any], model: type[BaseModel], where: str) -> Iterator[str]:
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
                fix=f"did you mean {near!r}?" if near else "give it a default, or take it out.",
            )


def check_no_key_filter(ask: KeyQuery, index: Index, condition: object) -> None:
    """DynamoDB refuses filters of a query on the key that is read."""
    for name in condition_fields(condition):
        if ask.declaration.attribute(name) in (*index.partition, *index.sort):
            raise DesignError(
                "plan-filter-key",
                f"{ask.where}: a filter on {name!r}, which is the key that is read; DynamoDB refuses it.",
                fix=f"give {name!r} as a part of the key.",
            )


def check_filter_attributes(ask: KeyQuery, index: Index, condition: object) -> None:
    """Refuse a filter on what the index does not hold, as DynamoDB does, also where it fetches the rest itself."""
    for name in condition_fields(condition):
        attribute = ask.declaration.attribute(name)
        computed = ask.declaration.fields[name].computed
        if computed or not index.projects(attribute):
            reason = "is computed and not stored" if computed else f"index {index.name!r} does not hold"
            raise DesignError(
                "plan-filter-not-stored",
                f"{ask.where}: a filter on {name!r}, which {reason}; DynamoDB cannot filter by it.",
                fix="filter by what is stored there, or filter the rows in Python.",
            )
