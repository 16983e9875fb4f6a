"""Gathers a design as plain data, from which every format is written."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from pksk.cli.design.notes import notes
from pksk.cli.design.pattern_data import pattern_data, patterns_of
from pksk.cli.design.table_data import table_data
from pksk.cli.design.type_text import type_text
from pksk.expressions import describe
from pksk.keys.annotations import declared
from pksk.model.markers import Attribute, Marker, Reference

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.declaring.attributes import Field
    from pksk.model.entity import Entity
    from pksk.model.entity_key import EntityKey, KeyPart
    from pksk.schema import Table

__all__ = ["design_data", "entity_data"]


def design_data(tables: Iterable[Table], only: type[Entity] | None = None) -> dict[str, Any]:
    """A design, ready for JSON: its tables with their entities, and its access patterns with plans and costs.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> orders = Table("orders")
        >>> class Order(Entity, table=orders):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> design_data([orders])["tables"][0]["entities"][0]["attributes"]
        {'pk': 'ORDER#{id}', 'sk': 'META'}
    """
    found = list(tables)
    return {
        "tables": [_table(table, only) for table in found],
        "patterns": [pattern_data(each) for each in patterns_of(found, only)],
    }


def _table(table: Table, only: type[Entity] | None) -> dict[str, Any]:
    shown = [each for each in table.entities if only is None or each.entity is only]
    return {**table_data(table), "entities": [entity_data(each) for each in shown]}


def entity_data(declaration: Declaration[Any]) -> dict[str, Any]:
    """One entity: its fields, its keys as their author wrote them, its bounds, and notes on all that."""
    texts = _texts(declaration)
    data: dict[str, Any] = {
        "name": declaration.name,
        "doc": _doc(declaration.entity),
        "fields": [_field(each, declaration) for each in declaration.fields.values()],
        "attributes": _attributes(declaration, texts),
        "keys": [_key(key, texts, declaration) for key in declaration.keys.values()],
        "items": declaration.items,
        "per_partition": declaration.per_partition,
        "growth": None if declaration.growth is None else str(declaration.growth),
        "family": _family(declaration),
    }
    return {**data, "notes": notes(data, declaration.table.discriminator)}


def _doc(entity: type) -> str:
    """The docstring of the class itself; one that it inherits is not about it."""
    return (getdoc(entity) or "") if entity.__doc__ and "__doc__" in vars(entity) else ""


def _texts(declaration: Declaration[Any]) -> dict[str, str]:
    """The template of each key attribute; an index may leave out one that the table's key writes."""
    texts: dict[str, str] = {}
    for key in declaration.keys.values():
        for parts, written in ((key.partition, key.source.pk), (key.sort, key.source.sk)):
            texts.update(zip((part.attribute for part in parts), written, strict=False))
    return texts


def _attributes(declaration: Declaration[Any], texts: dict[str, str]) -> dict[str, str]:
    """What stands in each key attribute of the table and its indexes, a plain field included."""
    fields = {each.attribute: f"{{{name}}}" for name, each in declaration.fields.items() if not each.computed}
    stored = {**fields, **texts}
    return {name: stored[name] for name in declaration.table.attribute_types if name in stored}


def _key(key: EntityKey, texts: dict[str, str], declaration: Declaration[Any]) -> dict[str, Any]:
    return {
        "name": key.name,
        "index": key.index,
        "fields": list(key.fields),
        "partition": [_part(part, texts, declaration) for part in key.partition],
        "sort": [_part(part, texts, declaration) for part in key.sort],
        "shard": {"count": key.shard.count, "of": key.shard.of} if key.shard else None,
        "when": describe(key.when) if key.when is not None else None,
        "optional_fields": _optional(key, declaration),
        "codec": key.source.codec,
        "disjoint": key.disjoint or None,
    }


def _part(part: KeyPart, texts: dict[str, str], declaration: Declaration[Any]) -> dict[str, Any]:
    same = [name for name, each in declaration.fields.items() if each.attribute == part.attribute]
    return {
        "attribute": part.attribute,
        "type": declaration.table.attribute_types[part.attribute],
        "template": texts[part.attribute],
        "field": next((name for name in same if not declaration.fields[name].computed), None),
    }


def _optional(key: EntityKey, declaration: Declaration[Any]) -> list[str]:
    """The fields whose absence leaves an item out of the index."""
    if key.index is None:
        return []
    return [
        name
        for name in key.fields
        if name in declaration.fields and declared(declaration.fields[name].annotation).optional
    ]


def _field(field: Field, declaration: Declaration[Any]) -> dict[str, Any]:
    return {
        "name": field.name,
        "attribute": field.attribute,
        "type": type_text(field.annotation),
        "required": field.required and not field.computed,
        "computed": field.computed,
        "markers": [
            _marker(each, field, declaration) for each in field.markers if not isinstance(each, Attribute)
        ],
    }


def _marker(marker: Marker, field: Field, declaration: Declaration[Any]) -> dict[str, Any]:
    """A marker by name; a reference also with the entity that it leads to and the parts of its key."""
    told = {"marker": type(marker).__name__}
    if not isinstance(marker, Reference):
        return told
    found = declaration.reference(field.name)
    other = found.declaration
    return {**told, "entity": other.name, "table": other.table.name, "parts": dict(found.parts)}


def _family(declaration: Declaration[Any]) -> list[str]:
    """The other entities that have their key from the same class."""
    return [
        other.name
        for other in declaration.table.entities
        if other is not declaration and other.shares_key_with(declaration)
    ]
