"""The key descriptor that an author writes beside the fields of an entity.

Each class of requests is imported when it is first used: a module of entities should load as fast as one of models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, SupportsFloat, TypeVar

from pksk.errors import TemplateError, quote
from pksk.keys.template import Codec
from pksk.model import requests
from pksk.model.declaration import E_co
from pksk.model.entity_key import EntityKey, Shard
from pksk.model.forward_references import complete_entity

if TYPE_CHECKING:
    from pksk.cells import Box, Region
    from pksk.expressions import Condition
    from pksk.geometry import Geometry
    from pksk.model.entity import Entity
    from pksk.model.requests import Check, Delete, GeoQuery, Get, Nearest, Query, Scan, Update

E = TypeVar("E", bound="Entity")

Texts = str | tuple[str, ...]


class Key:
    """The key of an entity in its table, or in an index: a template for each key attribute.

    `when` is a condition over fields: items for which it does not hold are left out of the index.
    `shard` spreads a partition: its number replaces `{shard}` in the template. A vector index without a partition
    key has no key attribute, and its key no template: `Key(index="by-meaning")`.

    The primary key identifies an item, so a key without a `{field}` needs `single_item=True`: the table has one item
    of the entity. Its fields are not optional, except those that are set between the creation of an entity and its
    first put: `assigned_later=("id",)`.

    It may hold only a part of a field, such as the month of a day, if other fields that it holds whole identify the
    item, `identity=("id",)`, or if there is one item for each such part: `one_per_bucket=("day",)`.

    Example:
        >>> Key("ORDER#{id}", "META")
        Key('ORDER#{id}', 'META')
    """

    def __init__(  # noqa: PLR0913 - each is an option of a key
        self,
        pk: Texts | None = None,
        sk: Texts | None = None,
        *,
        index: str | None = None,
        when: Condition | None = None,
        codec: Codec = "escaped",
        delimiter: str | None = None,
        shard: Shard | None = None,
        disjoint: str = "",
        single_item: bool = False,
        assigned_later: Texts = (),
        identity: Texts = (),
        one_per_bucket: Texts = (),
    ) -> None:
        self.pk: tuple[str, ...] = () if pk is None else _templates(pk)
        self.sk: tuple[str, ...] = () if sk is None else _templates(sk)
        self.index: str | None = index
        self.when: Condition | None = when
        self.codec: Codec = codec
        self.delimiter: str | None = delimiter
        self.shard: Shard | None = _checked_shard(shard)
        self.disjoint: str = disjoint
        self.single_item: bool = single_item
        self.assigned_later: tuple[str, ...] = _names("assigned_later", assigned_later)
        self.identity: tuple[str, ...] = _names("identity", identity)
        self.one_per_bucket: tuple[str, ...] = _names("one_per_bucket", one_per_bucket)
        self.name: str = ""
        self.owner: type | None = None
        self._bound: BoundKey[Any] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        # The first class counts; declaring another one raises.
        if self.owner is None:
            self.owner, self.name = owner, name

    def __get__(self, instance: E | None, owner: type[E]) -> BoundKey[E]:
        bound = self._bound
        if bound is not None and bound.entity is owner:
            return bound
        # While a class is made, Pydantic asks for the default of a field that may have the name of a key.
        if "__pydantic_fields__" not in vars(owner):
            raise AttributeError(self.name)
        bound = BoundKey(owner, self.name)
        # Of the class itself alone: a base with a reference to a subclass would keep it alive.
        if owner is self.owner:
            self._bound = bound
        return bound

    def __repr__(self) -> str:
        texts = [repr(each) for each in (*self.pk, *self.sk)]
        return f"Key({', '.join(texts) if texts or self.index is None else f'index={self.index!r}'})"


def _templates(templates: object) -> tuple[str, ...]:
    texts = (templates,) if isinstance(templates, str) else templates
    if not isinstance(texts, (tuple, list)) or not all(isinstance(text, str) for text in texts):
        raise TemplateError(
            "template-syntax",
            f"Key({quote(templates)}): a key is made of templates, which are strings.",
            expected="One template for each attribute of the partition key, then of the sort key; several as a tuple.",
            fix="write Key('ORDER#{id}', 'META'), for example.",
        )
    return tuple(texts)


def _names(option: str, names: object) -> tuple[str, ...]:
    listed = (names,) if isinstance(names, str) else names
    if not isinstance(listed, (tuple, list)) or not all(isinstance(name, str) for name in listed):
        raise TemplateError(
            "key-option",
            f"Key(..., {option}={quote(names)}): these are not names of fields.",
            fix=f'write {option}=("id",), for example.',
        )
    return tuple(listed)


def _checked_shard(shard: object) -> Shard | None:
    if shard is None or isinstance(shard, Shard):
        return shard
    raise TemplateError(
        "key-shard",
        f"Key(..., shard={quote(shard)}): this is not a Shard.",
        fix=f"write shard=Shard({shard if isinstance(shard, int) else 4}, of='...').",
    )


class BoundKey(Generic[E_co]):
    """A key together with the entity whose class it was taken from: what `Order.primary` is.

    Generic code creates one from an entity and the name of a key, and keeps the type.

    Example:
        >>> from pksk import Entity, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> BoundKey(Order, "primary").get(id="7") == Order.primary.get(id="7")
        True
    """

    def __init__(self, entity: type[E_co], name: str) -> None:
        self.entity: type[E_co] = entity
        self.name: str = name

    def __call__(self, /, **parts: Any) -> Query[E_co]:
        """Rows by leading parts of the key; the last may be an operator."""
        return requests.Query.of_entity(complete_entity(self.entity), self.name, parts)

    def get(self, /, **parts: Any) -> Get[E_co]:
        """One item by all parts of the key."""
        return requests.Get.for_item(complete_entity(self.entity), self.name, parts)

    def scan(self) -> Scan[E_co]:
        """All items of the entity, by reading the whole index of this key."""
        return requests.Scan(complete_entity(self.entity), self.name)

    def nearest(self, vector: Iterable[SupportsFloat], k: int = 10, /, **parts: Any) -> Nearest[E_co]:
        """The `k` items whose vectors are nearest to this one, by a key of a vector index.

        `parts` are the fields that divide the index, all of them, and those that it filters by, each with one value.
        """
        return requests.Nearest.for_vector(complete_entity(self.entity), self.name, vector, k, parts)

    def inside(self, region: Region | Geometry, /, level: int | None = None, **parts: Any) -> GeoQuery[E_co]:
        """The items in a region of the map, by a key whose sort key has the end of a cell.

        `parts` are the fields that the key holds besides the cell. If the cells have several levels, `level` is the
        one to read; without it, that of a screenful of cells.
        """
        return requests.GeoQuery.of_region(complete_entity(self.entity), self.name, region, level, parts)

    def view(self, bounds: Box, zoom: float, /, pixels: float = 32, **parts: Any) -> GeoQuery[E_co]:
        """The items in a view of a web map, by the smallest cells that are at least so many pixels wide."""
        return requests.GeoQuery.of_view(complete_entity(self.entity), self.name, bounds, zoom, pixels, parts)

    def near(self, lat: float, lng: float, metres: float, /, **parts: Any) -> GeoQuery[E_co]:
        """The items within a distance of a position, the nearest first."""
        from pksk.cells import Circle

        return self.inside(Circle(lat, lng, metres), **parts).by_distance(lat, lng)

    def closest(
        self, lat: float, lng: float, count: int = 10, /, within: float | None = None, **parts: Any
    ) -> GeoQuery[E_co]:
        """The items that are nearest to a position, at most so many, and perhaps only within so many metres."""
        return requests.GeoQuery.of_nearest(
            complete_entity(self.entity), self.name, (lat, lng), count, within, parts
        )

    def update(self, /, **parts: Any) -> Update[E_co]:
        """A change of one item, by all parts of the primary key; the methods of the result say what changes."""
        return requests.Update.for_item(complete_entity(self.entity), self.name, parts)

    def delete(self, /, **parts: Any) -> Delete[E_co]:
        """The deletion of one item, by all parts of the primary key."""
        return requests.Delete.for_item(complete_entity(self.entity), self.name, parts)

    def check(self, /, **parts: Any) -> Check[E_co]:
        """A check that one item exists, or meets a condition: for a transaction, by all parts of the primary key."""
        return requests.Check.for_item(complete_entity(self.entity), self.name, parts)

    @property
    def entity_key(self) -> EntityKey:
        """The key as it was checked and compiled."""
        return complete_entity(self.entity).__pksk__.key(self.name)

    def __repr__(self) -> str:
        return f"{self.entity.__name__}.{self.name}"
