"""A search index: the entities in it, their documents, and the mapping that follows from their declarations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NoReturn

import orjson

from pksk.errors import DesignError, quote
from pksk.model.declaration import Declaration
from pksk.model.entity import Entity
from pksk.model.extension import extensions_of
from pksk.model.forward_references import complete_entity
from pksk.model.primary_overlap import key_collisions
from pksk.schema import Table
from pksk.search.fields import SearchField, Text, value_types
from pksk.search.item_documents import Document, ItemDocuments, digest_of, item_id, part_id
from pksk.search.search_document import SearchDocument
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.search.search_request import Search

# Enters the version of every mapping, so that documents made in another way are found to differ.
_FORMAT: Final = 1
_NAME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


class SearchIndex:
    """The documents of some entities under one name, searched together.

    Fields of one name must be declared alike in all of its entities. If entities of several tables can have equal keys,
    the ids of their documents begin with the name of the table.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> from pksk.search import SearchDocument, SearchIndex, Text
        >>> class Park(Entity, table=Table("reference", stream=True)):
        ...     id: str
        ...     name: str
        ...     primary = Key("PARK#{id}", "META")
        ...     search = SearchDocument({"name": Text(boost=3)})
        >>> places = SearchIndex("places", Park)
        >>> (document,) = places.documents_of(Park(id="1", name="Joffre Lakes")).documents
        >>> document.id, document.body
        ('PARK%231#META', {'name': 'Joffre Lakes'})
        >>> places.fields
        {'name': Text(of=None, boost=3, language=None, suggest=False)}
    """

    def __init__(self, name: str, *entities: type[Entity]) -> None:
        self.name, self.entities = name, entities
        _check_name(name)
        if not entities:
            _reject(name, "has no entities.", 'write SearchIndex("places", Park).')
        self._declarations = [_declaration(name, each) for each in entities]
        self._documents = {each.entity: _search_document(name, each) for each in self._declarations}
        self.fields: dict[str, SearchField] = {}
        self._types: dict[str, frozenset[type]] = {}
        for declaration in self._declarations:
            self._add_fields(declaration)

    def _add_fields(self, declaration: Declaration) -> None:
        for name, field in self._documents[declaration.entity].fields.items():
            source = name if field.of is None else field.of
            declared = declaration.fields.get(source) if isinstance(source, str) else None
            types = frozenset() if declared is None else value_types(declared.annotation)
            known = self.fields.setdefault(name, field)
            known_types = self._types.setdefault(name, types)
            if _shape(known, known_types) != _shape(field, types):
                raise DesignError(
                    "search-conflict",
                    f"Index {self.name!r}: field {name!r} of {declaration.name} is {_written(field, types)}, and "
                    f"another entity declares it as {_written(known, known_types)}.",
                    expected="OpenSearch has one mapping for a field of an index.",
                    fix="declare both alike, rename one of them, or use two indexes.",
                )

    # What it has

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables of its entities, by name."""
        return {each.table.name: each.table for each in self._declarations}

    @cached_property
    def namespaces(self) -> dict[str, str]:
        """For each table what its ids begin with: its name if keys can collide with those of other tables, or ''."""
        colliding = {
            each.__pksk__.table.name
            for collision in key_collisions(*self.entities)
            for each in (collision.left, collision.right)
        }
        return {name: name if name in colliding else "" for name in self.tables}

    @cached_property
    def mapping_version(self) -> str:
        """A hash of the mapping; an index with another one has to be filled anew."""
        shown = [_FORMAT, self.opensearch_properties, self.namespaces]
        return sha256(orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]

    @cached_property
    def opensearch_properties(self) -> dict[str, Any]:
        """The properties of the mapping of OpenSearch: the declared fields, and `pksk` for what the sync needs."""
        declared = {name: field.mapping(self._types[name]) for name, field in self.fields.items()}
        return {**declared, "pksk": {"properties": _SYNC_PROPERTIES}}

    def opensearch_mapping(self) -> dict[str, Any]:
        """The body that creates the index in OpenSearch: analysis and an explicit mapping.

        Example:
            >>> from pksk import Entity, Key, Table
            >>> from pksk.search import Keyword, SearchDocument, SearchIndex
            >>> class Park(Entity, table=Table("reference", stream=True)):
            ...     id: str
            ...     status: str
            ...     primary = Key("PARK#{id}", "META")
            ...     search = SearchDocument({"status": Keyword()})
            >>> body = SearchIndex("places", Park).opensearch_mapping()
            >>> body["mappings"]["dynamic"], body["mappings"]["properties"]["status"]
            (False, {'type': 'keyword'})
        """
        return {
            "settings": {"index": {"gc_deletes": "1h", "analysis": {"analyzer": {"pksk_plain": _PLAIN}}}},
            "mappings": {
                "dynamic": False,
                "_meta": {"pksk": {"index": self.name, "mapping": self.mapping_version}},
                "properties": self.opensearch_properties,
            },
        }

    def search(self, text: str = "", *, fields: tuple[str, ...] = (), fuzziness: int = 0) -> Search:
        """A search for a text in these text fields, or in all of them; without a text, for all documents.

        With `fuzziness`, words are found with one or two wrong letters; phrases and beginnings are not.

        Example:
            >>> from pksk import Entity, Key, Table
            >>> from pksk.search import EmbeddedSink, ItemWrite, SearchDocument, SearchIndex, Text
            >>> class Park(Entity, table=Table("reference", stream=True)):
            ...     id: str
            ...     name: str
            ...     primary = Key("PARK#{id}", "META")
            ...     search = SearchDocument({"name": Text(boost=3)})
            >>> places = SearchIndex("places", Park)
            >>> with EmbeddedSink(places) as sink:
            ...     _ = sink.apply([ItemWrite(places.documents_of(Park(id="1", name="Joffre Lakes")))])
            ...     [hit.body["name"] for hit in sink.search(places.search("lak*"))]
            ['Joffre Lakes']
        """
        from pksk.search.search_request import new_search

        return new_search(self, text, tuple(fields), fuzziness)

    # What items have in it

    def documents_of(self, entity: Entity) -> ItemDocuments:
        """The documents of an entity; none if it does not meet the condition of its declaration."""
        declaration, listed = type(entity).__pksk__, self._listed(type(entity))
        document = self._documents[listed]
        item = declaration.to_item(entity)
        key = {name: item[name] for name in declaration.table.key_attributes}
        base = self.removed(declaration.table, key, listed.__name__)
        if not document.includes(declaration, item):
            return base
        has_sort_key = len(declaration.table.key_attributes) > 1
        documents = tuple(
            Document(
                base.id if document.each is None else part_id(base.id, part, has_sort_key=has_sort_key),
                part,
                body,
            )
            for part, body in document.bodies(entity)
        )
        expires = _expires(declaration.table, item) if documents else None
        digest = digest_of(self.mapping_version, documents, expires)
        return ItemDocuments(base.id, base.table, base.entity, key, documents, expires, digest)

    def removed(self, table: Table, key: WireItem, entity: str = "") -> ItemDocuments:
        """The item with this key, without documents."""
        identifier = item_id(key, tuple(table.key_attributes), self.namespaces[table.name])
        return ItemDocuments(identifier, table.name, entity, key)

    def _listed(self, entity: type[Entity]) -> type[Entity]:
        """The entity of the index that a class is, or inherits from."""
        for base in entity.__mro__:
            if base in self._documents:
                return base
        names = ", ".join(each.__name__ for each in self.entities)
        raise DesignError(
            "search-index",
            f"Index {self.name!r} has no documents of {entity.__name__}.",
            expected=f"Its entities are: {names}.",
            fix=f"add it: SearchIndex({self.name!r}, {names}, {entity.__name__}).",
        )

    def __repr__(self) -> str:
        return f"SearchIndex({', '.join([repr(self.name), *(each.__name__ for each in self.entities)])})"


def _shape(field: SearchField, types: frozenset[type]) -> Mapping[str, Any]:
    options = {"boost": field.boost, "suggest": field.suggest} if isinstance(field, Text) else {}
    return {**field.mapping(types), **options}


def _written(field: SearchField, types: frozenset[type]) -> str:
    return ", ".join(f"{name} {value}" for name, value in _shape(field, types).items())


def _expires(table: Table, item: WireItem) -> int | None:
    value = item.get(table.ttl, {}).get("N") if table.ttl else None
    return None if value is None else int(float(value))


def _declaration(name: str, entity: object) -> Declaration:
    if not (isinstance(entity, type) and issubclass(entity, Entity)):
        _reject(name, f"{quote(entity)} is not an entity.", "pass classes: SearchIndex(name, Park, Trail).")
    return complete_entity(entity).__pksk__


def _search_document(name: str, declaration: Declaration) -> SearchDocument:
    found = [each for each in extensions_of(declaration.entity).values() if isinstance(each, SearchDocument)]
    if len(found) != 1:
        problem = f"{declaration.name} declares {len(found) or 'no'} search document{'s' if found else ''}."
        _reject(name, problem, "declare one beside its keys: search = SearchDocument({...}).")
    return found[0]


def _check_name(name: object) -> None:
    """Reject what OpenSearch does not take as the name of an index."""
    if (
        not isinstance(name, str) or not set(name) <= _NAME_CHARACTERS or not 1 <= len(name) <= 200
        or name[0] in "-_"
    ):  # fmt: skip
        _reject(
            name, "is not a name for an index.",
            "use lower-case letters, digits, '-' and '_', and begin with a letter or digit.",
        )  # fmt: skip


def _reject(name: object, problem: str, fix: str) -> NoReturn:
    raise DesignError("search-index", f"SearchIndex({quote(name)}): {problem}", fix=fix)


# Words as the tokenizer of SQLite finds them, without case and accents, so that both sinks match the same documents.
_PLAIN: Final = {"type": "custom", "tokenizer": "standard", "filter": ["lowercase", "asciifolding"]}
_SYNC_PROPERTIES: Final = {
    **{name: {"type": "keyword"} for name in ("item", "part", "entity", "table")},
    "key": {"type": "object", "enabled": False},
    "version": {"type": "long"},
    "digest": {"type": "long"},
    "bucket": {"type": "integer"},
    "expires": {"type": "date", "format": "epoch_second"},
    "deleted": {"type": "boolean"},
}
