"""The key descriptor that stands beside the fields of an entity.

Planning is imported where a question is asked: a module of entities should load as fast as one of models.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, SupportsFloat, TypeVar

from pksk.errors import TemplateError, quote
from pksk.keys.template import Codec
from pksk.model.entity_key import EntityKey
from pksk.model.forward_references import complete_entity
from pksk.model.shard import Shard

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.entity import Entity
    from pksk.model.requests.check import Check
    from pksk.model.requests.delete import Delete
    from pksk.model.requests.get import Get
    from pksk.model.requests.nearest import Nearest
    from pksk.model.requests.query import Query
    from pksk.model.requests.scan import Scan
    from pksk.model.requests.update import Update

E = TypeVar("E", bound="Entity")
E_co = TypeVar("E_co", bound="Entity", covariant=True)

Texts = str | tuple[str, ...]


class Key:
    """The key of an entity in its table, or in an index: a template for each key attribute.

    `when` is a condition over fields: items for which it does not hold are left out of the index.
    `shard` spreads a partition: its number stands where the template says `{shard}`. A vector index that nothing
    divides has no key attribute, and its key no template: `Key(index="by-meaning")`.

    Example:
        >>> Key("ORDER#{id}", "META")
        Key('ORDER#{id}', 'META')
    """

    def __init__(
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
    ) -> None:
        self.pk: tuple[str, ...] = () if pk is None else _templates(pk)
        self.sk: tuple[str, ...] = () if sk is None else _templates(sk)
        self.index: str | None = index
        self.when: Condition | None = when
        self.codec: Codec = codec
        self.delimiter: str | None = delimiter
        self.shard: Shard | None = _checked_shard(shard)
        self.disjoint: str = disjoint
        self.name: str = ""
        self.owner: type | None = None
        self._bound: BoundKey[Any] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        # The first place counts; a second one is refused when its class is declared.
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
        # Of the class itself alone: a base that remembered a subclass would keep it alive.
        if owner is self.owner:
            self._bound = bound
        return bound

    def __repr__(self) -> str:
        texts = [repr(each) for each in (*self.pk, *self.sk)]
        return f"Key({', '.join(texts) if texts or self.index is None else f'index={self.index!r}'})"


def _templates(given: Any) -> tuple[str, ...]:
    texts = (given,) if isinstance(given, str) else given
    if not isinstance(texts, (tuple, list)) or not all(isinstance(text, str) for text in texts):
        raise TemplateError(
            "template-syntax",
            f"Key({quote(given)}): a key is made of templates, which are strings.",
            expected="One template for each attribute of the partition key, then of the sort key; several as a tuple.",
            fix="write Key('ORDER#{id}', 'META'), for example.",
        )
    return tuple(texts)


def _checked_shard(given: Any) -> Shard | None:
    if given is None or isinstance(given, Shard):
        return given
    raise TemplateError(
        "key-shard",
        f"Key(..., shard={quote(given)}): this is not a Shard.",
        fix=f"write shard=Shard({given if isinstance(given, int) else 4}, of='...').",
    )


class BoundKey(Generic[E_co]):
    """A key together with the entity whose class it was taken from: what `Order.primary` is.

    Code over any entity makes one by the name of the key, and keeps its type.

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
        return _query_class().of_entity(complete_entity(self.entity), self.name, parts)

    def get(self, /, **parts: Any) -> Get[E_co]:
        """One item by all parts of the key."""
        return _get_class().for_item(complete_entity(self.entity), self.name, parts)

    def scan(self) -> Scan[E_co]:
        """All items of the entity, by reading the whole index of this key."""
        from pksk.model.requests.scan import Scan

        return Scan(complete_entity(self.entity), self.name)

    def nearest(self, vector: Iterable[SupportsFloat], k: int = 10, /, **parts: Any) -> Nearest[E_co]:
        """The `k` items whose vectors are nearest to this one, by a key of a vector index.

        `parts` are the fields that divide the index, all of them, and those that it filters by, each with one value.
        """
        from pksk.model.requests.nearest import Nearest

        return Nearest.for_vector(complete_entity(self.entity), self.name, vector, k, parts)

    def update(self, /, **parts: Any) -> Update[E_co]:
        """A change of one item, by all parts of the primary key; what changes is said by the methods of the result."""
        from pksk.model.requests.update import Update

        return Update.for_item(complete_entity(self.entity), self.name, parts)

    def delete(self, /, **parts: Any) -> Delete[E_co]:
        """The deletion of one item, by all parts of the primary key."""
        from pksk.model.requests.delete import Delete

        return Delete.for_item(complete_entity(self.entity), self.name, parts)

    def check(self, /, **parts: Any) -> Check[E_co]:
        """That one item is there, or meets a condition: for a transaction, by all parts of the primary key."""
        from pksk.model.requests.check import Check

        return Check.for_item(complete_entity(self.entity), self.name, parts)

    @property
    def entity_key(self) -> EntityKey:
        """The key as it was checked and compiled."""
        return complete_entity(self.entity).__pksk__.key(self.name)

    def __repr__(self) -> str:
        return f"{self.entity.__name__}.{self.name}"


# Python looks a module up at every import of a function, which takes as long as rendering a key.


@cache
def _query_class() -> type[Query[Any]]:
    from pksk.model.requests.query import Query

    return Query


@cache
def _get_class() -> type[Get[Any]]:
    from pksk.model.requests.get import Get

    return Get
