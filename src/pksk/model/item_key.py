"""Makes the key of one item from the parts of its primary key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from pksk.errors import BoundsError, DesignError, InvalidValue, did_you_mean
from pksk.keys import Operator, ScalarKey
from pksk.model.declaration import Declaration
from pksk.model.entity_key import SHARD_FIELD, EntityKey
from pksk.model.fields.facts import field_facts
from pksk.model.fields.operands import equality_operand, plain_type
from pksk.model.request_values import FrozenValues
from pksk.model.storing.attributes import Field
from pksk.model.storing.compile_function import NotCompiled, compile_function
from pksk.values import WireItem, to_wire
from pksk.values.wire import from_boto3, to_boto3

if TYPE_CHECKING:
    from pksk.model.entity import Entity


def resolve_item_key(entity: type[Entity], key: str, values: Mapping[str, Any], verb: str) -> ResolvedKey:
    """The parts of a primary key, and the key in DynamoDB's JSON; raises unless all parts have plain values."""
    declaration = entity.__pksk__
    resolve = declaration.item_key_functions.get(key)
    if resolve is None:
        resolve = declaration.item_key_functions[key] = compile_item_key(declaration, declaration.key(key))
    try:
        return resolve(values)
    except Exception:  # the uncompiled function resolves these parts, or raises a precise error
        return resolve_item_key_uncompiled(declaration, key, values, verb)


def resolve_item_key_uncompiled(
    declaration: Declaration, key: str, values: Mapping[str, Any], verb: str
) -> ResolvedKey:
    """The same, resolved part by part, with a precise error for an invalid part."""
    facts = field_facts(declaration)
    parts = {
        name: equality_operand(declaration, name, value)
        if name in facts.primary and name in facts.stored and not isinstance(value, Operator)
        else value
        for name, value in values.items()
    }
    return FrozenValues(parts), render_item_key(declaration, key, parts, verb)


def render_item_key(declaration: Declaration, name: str, values: Mapping[str, Any], verb: str) -> WireItem:
    """The primary key of an item in DynamoDB's JSON; raises unless all parts have plain values."""
    key = declaration.key(name)
    where = f"{declaration.name}.{name}.{verb}"
    if key.index is not None:
        reject_vector_key(declaration, key, where)
        raise DesignError(
            "plan-get-index",
            f"{where}: a single item is read by the key of the table, not by index {key.index!r}.",
            fix=f"query with {declaration.name}.{name}(...), or use {declaration.primary.name}.{verb}(...).",
        )
    _check_names(key, values, where)
    for field, value in values.items():
        if isinstance(value, Operator):
            raise BoundsError(
                "plan-get-operator",
                f"{where}: {value!r} on field {field!r} is a range.",
                fix=f"give {field!r} a plain value, or query with {declaration.name}.{name}(...).",
            )
    return {attribute: to_boto3(to_wire(value)) for attribute, value in key.render(values).items()}


def is_vector_key(declaration: Declaration, key: EntityKey) -> bool:
    """Whether a key is one of a vector index."""
    return key.index is not None and declaration.table.index(key.index).kind == "vector"


def reject_vector_key(declaration: Declaration, key: EntityKey, where: str) -> None:
    """Reject a key of a vector index in a query, a scan or a get."""
    if is_vector_key(declaration, key):
        raise DesignError(
            "plan-vector-index",
            f"{where}: index {key.index!r} is a vector index, which is searched by vectors and not read by its key.",
            fix=f"use nearest: {declaration.name}.{key.name}.nearest(vector, 10); or another key.",
        )


def wire_key(key: Mapping[str, Any]) -> WireItem:
    """The key of a request in DynamoDB's JSON."""
    return {name: from_boto3(wire) for name, wire in key.items()}


# What could be an option of a request, and is a method.
_METHODS: Final = {
    ("get", "consistent"): "consistently()",
    ("get", "consistently"): "consistently()",
    ("delete", "when"): "when(...)",
    ("update", "when"): "when(...)",
    ("check", "when"): "when(...)",
}


def _check_names(key: EntityKey, values: Mapping[str, Any], where: str) -> None:
    required = _required_parts(key, where)
    unknown = next((name for name in values if name not in (*required, SHARD_FIELD)), None)
    missing = [name for name in required if name not in values]
    if unknown is None and not missing:
        return
    near = did_you_mean(unknown, required) if unknown else ""
    fix = f"did you mean {near!r}?" if near else "pass exactly these parts."
    method = _METHODS.get((where.rpartition(".")[2], unknown or ""))
    raise InvalidValue(
        "key-unknown-part" if unknown else "key-missing-part",
        f"{where}: field {unknown!r} is not a part of this key."
        if unknown
        else f"{where}: {', '.join(map(repr, missing))} missing.",
        expected=f"Its parts are: {', '.join(required) or 'none'}.",
        fix=f"it is a method of the request: {where}(...).{method}." if method else fix,
    )


def _required_parts(key: EntityKey, where: str) -> tuple[str, ...]:
    if key.shard is None or key.shard.of in key.fields:
        return key.fields
    if key.shard.of is None:
        raise DesignError(
            "plan-random-shard",
            f"{where}: the shard of an item is random, so its key cannot be derived from these parts.",
            fix="choose the shard by a field of the key: Shard(4, of='...').",
        )
    return (*key.fields, key.shard.of)


# The parts as the model holds them, and the key attributes that they make.
ResolvedKey = tuple[FrozenValues, "WireItem"]

# Tests for values of exactly these types, which a validator without conditions returns unchanged.
_UNCHANGED = {
    "str": "type({v}) is str and ({v}.isascii() or {v}.encode())",
    "int": "type({v}) is int",
    "date": "type({v}) is date",
    "uuid": "type({v}) is UUID",
}


def compile_item_key(declaration: Declaration, key: EntityKey) -> Callable[[Mapping[str, Any]], ResolvedKey]:
    """The function from the parts of a key to the key of the item; it raises an error for any unusual value.

    `resolve_item_key_uncompiled` then handles the parts. Tests check that both return the same.
    """
    fields = declaration.fields
    known = all(name in fields and not fields[name].computed for name in key.fields)
    names: dict[str, Any] = {
        "FrozenValues": FrozenValues,
        "Operator": Operator,
        "UUID": UUID,
        "Unusual": NotCompiled,
        "date": date,
        "to_boto3": to_boto3,
        "to_wire": to_wire,
    }
    usual = key.index is None and key.shard is None and known
    lines = _lines(declaration, key, names) if usual else ["    raise Unusual"]
    return compile_function("resolve", ["def resolve(values):", *lines], names)  # type: ignore[no-any-return]


def _lines(declaration: Declaration, key: EntityKey, names: dict[str, Any]) -> list[str]:
    validators = field_facts(declaration).values
    lines = [f"    if len(values) != {len(key.fields)}:", "        raise Unusual"]
    changed = []
    for number, name in enumerate(key.fields):
        value = f"v{number}"
        lines.append(f"    {value} = values[{name!r}]")
        test = _unchanged_test(declaration, declaration.fields[name])
        if test:
            lines += [f"    if not ({test.format(v=value)}):", "        raise Unusual"]
            continue
        names[f"validate{number}"] = validators.validator(name).validate_python
        changed.append(f"{name!r}: validate{number}({value})")
        lines += [f"    if {value}.__class__ is Operator:", "        raise Unusual"]
    parts = f"{{**values, {', '.join(changed)}}}" if changed else "values"
    attributes = []
    for number, part in enumerate(key.parts):
        names[f"render{number}"] = part.writer.render
        rendered = f"render{number}(parts)"
        scalar = isinstance(part.writer, ScalarKey)
        wire = f"to_boto3(to_wire({rendered}))" if scalar else f"{{'S': {rendered}}}"
        attributes.append(f"{part.attribute!r}: {wire}")
    return [*lines, f"    parts = FrozenValues({parts})", f"    return parts, {{{', '.join(attributes)}}}"]


def _unchanged_test(declaration: Declaration, each: Field) -> str:
    """The test for values that the validator of the field returns unchanged; empty if there is none."""
    return _UNCHANGED.get(plain_type(declaration, each), "")
