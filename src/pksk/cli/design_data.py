"""Collects a design as plain data for all output formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pksk.cli.design_cells import cell_levels
from pksk.expressions import describe
from pksk.keys.parts.part_types import field_type
from pksk.model.bill.key_loads import key_loads, load_text
from pksk.model.bill.month_rows import pattern_use
from pksk.model.declaration import Declaration
from pksk.model.entity import Entity
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.markers import Attribute, Marker, Reference, Stored, Unique
from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.costs import estimate
from pksk.model.requests.explanation import Explanation, explain_request
from pksk.model.storing.attributes import Field
from pksk.schema import Index, KeyAttribute, OnDemand, Provisioned, Table


def design_data(tables: Iterable[Table], only: type[Entity] | None = None) -> dict[str, Any]:
    """A design as JSON data: its tables with their entities, and its access patterns with plans and costs."""
    table_list = list(tables)
    return {
        "tables": [_table_with_entities(table, only) for table in table_list],
        "patterns": [pattern_data(each) for each in patterns_of(table_list, only)],
    }


def _table_with_entities(table: Table, only: type[Entity] | None) -> dict[str, Any]:
    entities = [each for each in table.entities if only is None or each.entity is only]
    return {**table_data(table), "entities": [entity_data(each) for each in entities]}


def entity_data(declaration: Declaration) -> dict[str, Any]:
    """One entity: its fields, its keys as declared, its bounds, and notes."""
    texts = _templates(declaration)
    data: dict[str, Any] = {
        "name": declaration.name,
        "doc": _doc(declaration.entity),
        "fields": [_field(each, declaration) for each in declaration.fields.values()],
        "attributes": _key_attributes(declaration, texts),
        "keys": [_key(key, texts, declaration) for key in declaration.keys.values()],
        "items": declaration.items,
        "per_partition": declaration.per_partition,
        "growth": None if declaration.growth is None else str(declaration.growth),
        "shares_keys_with": _sibling_entities(declaration),
    }
    return {**data, "notes": entity_notes(data, declaration.table.discriminator)}


def _doc(entity: type) -> str:
    """The docstring of the class itself, but not an inherited one."""
    return (getdoc(entity) or "") if entity.__doc__ and "__doc__" in vars(entity) else ""


def _templates(declaration: Declaration) -> dict[str, str]:
    """The template of each key attribute."""
    texts: dict[str, str] = {}
    for key in declaration.keys.values():
        for parts, templates in ((key.partition, key.source.pk), (key.sort, key.source.sk)):
            texts.update(zip((part.attribute for part in parts), templates, strict=False))
    return texts


def _key_attributes(declaration: Declaration, texts: dict[str, str]) -> dict[str, str]:
    """The template or field of each key attribute of the table and its indexes."""
    fields = {each.attribute: f"{{{name}}}" for name, each in declaration.fields.items() if not each.computed}
    stored = {**fields, **texts}
    return {name: stored[name] for name in declaration.table.attribute_types if name in stored}


def _key(key: EntityKey, texts: dict[str, str], declaration: Declaration) -> dict[str, Any]:
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
        "single_item": key.source.single_item,
        "assigned_later": list(key.source.assigned_later),
        "identity": list(key.source.identity),
        "one_per_bucket": list(key.source.one_per_bucket),
        **({"cells": levels} if (levels := cell_levels(declaration, key)) else {}),
    }


def _part(part: KeyPart, texts: dict[str, str], declaration: Declaration) -> dict[str, Any]:
    same = [name for name, each in declaration.fields.items() if each.attribute == part.attribute]
    return {
        "attribute": part.attribute,
        "type": declaration.table.attribute_types[part.attribute],
        "template": texts[part.attribute],
        "field": next((name for name in same if not declaration.fields[name].computed), None),
    }


def _optional(key: EntityKey, declaration: Declaration) -> list[str]:
    """The optional fields: an item without one of them is not in the index."""
    if key.index is None:
        return []
    return [
        name
        for name in key.fields
        if name in declaration.fields and field_type(declaration.fields[name].annotation).optional
    ]


def _field(field: Field, declaration: Declaration) -> dict[str, Any]:
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


def _marker(marker: Marker, field: Field, declaration: Declaration) -> dict[str, Any]:
    """The name of a marker, and what it refers to: another entity and its key parts, or other fields."""
    data: dict[str, Any] = {"marker": type(marker).__name__}
    if isinstance(marker, Stored):
        names = (each if isinstance(each, str) else each.name for each in (marker.format, *marker.reads))
        return {**data, "formats": list(names)}
    if isinstance(marker, Unique) and marker.within:
        return {**data, "within": list(marker.within)}
    if not isinstance(marker, Reference):
        return data
    reference = declaration.reference(field.name)
    other = reference.declaration
    return {**data, "entity": other.name, "table": other.table.name, "parts": dict(reference.parts)}


def _sibling_entities(declaration: Declaration) -> list[str]:
    """The other entities that inherit their key from the same class."""
    return [
        other.name
        for other in declaration.table.entities
        if other is not declaration and other.shares_key_with(declaration)
    ]


def table_data(table: Table) -> dict[str, Any]:
    """A table without its entities, as JSON data."""
    return {
        "name": table.name,
        "keys": _key_data(table.primary),
        "indexes": [_index_data(index) for index in table.indexes],
        "stream": table.stream,
        "ttl": table.ttl,
        "billing": _billing_data(table.billing),
        "table_class": table.table_class,
        "discriminator": table.discriminator,
    }


def _key_data(index: Index) -> dict[str, Any]:
    return {"partition": _typed_attributes(index.partition_key), "sort": _typed_attributes(index.sort_key)}


def _typed_attributes(attributes: Iterable[KeyAttribute]) -> list[dict[str, Any]]:
    return [{"attribute": each.name, "type": each.type} for each in attributes]


def _index_data(index: Any) -> dict[str, Any]:
    projection = index.projection if isinstance(index.projection, str) else list(index.projection)
    data = {"name": index.name, "kind": index.kind, **_key_data(index), "projection": projection}
    if index.kind == "gsi":
        data["billing"] = _billing_data(index.billing) if index.billing else None
    if index.kind == "vector":
        data |= {"attribute": index.attribute, "dimensions": index.dimensions, "distance": index.distance}
        data["filters"] = _typed_attributes(index.filters)
    return data


def _billing_data(billing: OnDemand | Provisioned) -> dict[str, Any]:
    mode = "on-demand" if isinstance(billing, OnDemand) else "provisioned"
    return {"mode": mode, **asdict(billing)}


def patterns_of(tables: Iterable[Table], only: type[Entity] | None = None) -> list[Pattern]:
    """The access patterns of some tables in the order of their declaration."""
    patterns = {id(each): each for table in tables for each in table.patterns}
    return [each for each in patterns.values() if only is None or each.entity is only]


def pattern_data(pattern: Pattern) -> dict[str, Any]:
    """One access pattern: its description, and the plan and cost of an example call."""
    outcome = pattern.outcome()
    explanations = [explain_request(request, pattern.options) for request in outcome.requests]
    likely = estimate(outcome.requests, pattern.options) if not outcome.problem else None
    indexes = [plan.index for each in outcome.requests if (plan := each.plan) is not None]
    notes = [note for each in explanations for note in each.notes]
    return {
        "name": pattern.name,
        "entity": pattern.entity.__name__ if pattern.entity else None,
        "kind": pattern.kind,
        "doc": pattern.description,
        "rate": pattern.options.rate_text,
        "calls_per_second": pattern.options.calls_per_second(pattern.name),
        "index": indexes[0] if indexes else None,
        "example": {name: str(value) for name, value in outcome.arguments.items()},
        "plan": list(_plan_lines(explanations)),
        "requests": [api_request for each in explanations for api_request in each.data()["requests"]],
        "estimate": likely.data() if likely else None,
        "loads": [load_text(each) for each in key_loads([pattern_use(pattern)]) if each.is_known],
        "notes": list(dict.fromkeys(notes)),
        "problem": outcome.problem or None,
    }


def _plan_lines(explanations: Iterable[Explanation]) -> Iterator[str]:
    for each in explanations:
        yield each.title
        yield from (f"  {label}: {text}" for label, text in (*each.request_lines(), *each.after_reading()))


def entity_notes(entity: dict[str, Any], discriminator: str | None) -> list[str]:
    """The notes of an entity's row, from its data."""
    return [
        *(
            f"{key['index'] or key['name']}: {', '.join(notes)}"
            for key in entity["keys"]
            if (notes := list(_key_notes(key)))
        ),
        *_sibling_notes(entity, discriminator),
        *_attribute_notes(entity),
        *_marker_notes(entity),
        *_bound_notes(entity),
    ]


def _key_notes(key: dict[str, Any]) -> Iterator[str]:
    if key["single_item"]:
        yield "single item"
    if key["assigned_later"]:
        yield f"{' and '.join(key['assigned_later'])} assigned later"
    if key["identity"]:
        yield f"identified by {' and '.join(key['identity'])}"
    if key["one_per_bucket"]:
        yield f"one item per bucket of {' and '.join(key['one_per_bucket'])}"
    if key["shard"]:
        of = key["shard"]["of"]
        yield f"{key['shard']['count']} shards {f'by {of}' if of else 'at random'}"
    if key["optional_fields"]:
        names = key["optional_fields"]
        yield f"only if {' and '.join(names)} {'is' if len(names) == 1 else 'are'} set"
    if key["when"]:
        yield f"only when {key['when']}"
    if key["codec"] != "escaped":
        yield f"{key['codec']} keys"
    if key["disjoint"]:
        yield f"disjoint: {key['disjoint']}"


def _sibling_notes(entity: dict[str, Any], discriminator: str | None) -> Iterator[str]:
    if entity["shares_keys_with"]:
        attribute = f", discriminator {discriminator}" if discriminator else ""
        yield f"shares keys with {', '.join(entity['shares_keys_with'])}{attribute}"


def _attribute_notes(entity: dict[str, Any]) -> Iterator[str]:
    """The fields that are key attributes themselves."""
    parts = [part for key in entity["keys"] for part in key["partition"] + key["sort"] if part["field"]]
    fields = {part["attribute"]: part["field"] for part in parts}
    if fields:
        names = [name if name == field else f"{name} ({field})" for name, field in fields.items()]
        yield f"key attributes that are fields: {', '.join(names)}"


def _marker_notes(entity: dict[str, Any]) -> Iterator[str]:
    """The fields of each marker."""
    fields: dict[str, list[str]] = {}
    for field in entity["fields"]:
        for marker in field["markers"]:
            other = f" of {marker['entity']}" if "entity" in marker else ""
            other += f" as {', also '.join(marker['formats'])}" if "formats" in marker else ""
            other += f" within {' and '.join(marker['within'])}" if "within" in marker else ""
            fields.setdefault(marker["marker"], []).append(f"{field['name']}{other}")
    yield from (f"{name.lower()}: {', '.join(names)}" for name, names in fields.items())


def _bound_notes(entity: dict[str, Any]) -> Iterator[str]:
    notes = []
    if entity["items"] is not None:
        notes.append(f"{entity['items']:,} {'item' if entity['items'] == 1 else 'items'}")
    if entity["per_partition"] is not None:
        notes.append(f"{entity['per_partition']:,} per partition")
    if entity["growth"] is not None:
        notes.append(f"growth {entity['growth']}")
    if notes:
        yield ", ".join(notes)


def type_text(annotation: Any) -> str:
    """A short text of an annotation, without the metadata of Annotated."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_text(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(map(type_text, arguments))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if annotation in (None, NoneType):
        return "None"
    if annotation is Ellipsis:
        return "..."
    if isinstance(annotation, list):  # the parameters of a Callable
        return f"[{', '.join(map(type_text, annotation))}]"
    name = getattr(origin or annotation, "__name__", None) or str(annotation).removeprefix("typing.")
    return f"{name}[{', '.join(map(type_text, arguments))}]" if arguments else name
