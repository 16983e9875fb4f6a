"""Makes the key of one item from the parts of its primary key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pksk.errors import BoundsError, DesignError, InvalidValue, did_you_mean
from pksk.keys import Operator, ScalarKey
from pksk.model.frozen_values import FrozenValues
from pksk.model.shard import SHARD_FIELD
from pksk.model.storing.compile_function import NotCompiled, compile_function
from pksk.model.vector_keys import reject_vector_key
from pksk.values import WireItem, to_wire
from pksk.values.boto3_form import to_boto3

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.model.entity_key import EntityKey
    from pksk.model.storing.attributes import Field


def resolve_item_key(entity: type[Entity], key: str, given: Mapping[str, Any], verb: str) -> ResolvedKey:
    """The parts of a primary key, and the key in DynamoDB's JSON; refused unless all are given, as plain values."""
    declaration = entity.__pksk__
    place = declaration.item_key_functions.get(key)
    if place is None:
        place = declaration.item_key_functions[key] = compile_item_key(declaration, declaration.key(key))
    try:
        found: ResolvedKey = place(given)
    except Exception:  # whatever it stumbles over, the careful way does it or says what it is
        return resolve_item_key_carefully(declaration, key, given, verb)
    return found


def resolve_item_key_carefully(
    declaration: Declaration[Any], key: str, given: Mapping[str, Any], verb: str
) -> ResolvedKey:
    """The same part by part, with the words for what is wrong."""
    from pksk.model.fields.field_facts import field_facts

    facts = field_facts(declaration)
    parts = {
        name: facts.values.validated(name, value)
        if name in facts.primary and name in facts.stored and not isinstance(value, Operator)
        else value
        for name, value in given.items()
    }
    return FrozenValues(parts), render_item_key(declaration, key, parts, verb)


def render_item_key(
    declaration: Declaration[Any], name: str, given: Mapping[str, Any], verb: str
) -> WireItem:
    """The primary key of an item in DynamoDB's JSON; refused unless every part is given, as a plain value."""
    key = declaration.key(name)
    where = f"{declaration.name}.{name}.{verb}"
    if key.index is not None:
        reject_vector_key(declaration, key, where)
        raise DesignError(
            "plan-get-index",
            f"{where}: a single item is read by the key of the table, not by index {key.index!r}.",
            fix=f"query with {declaration.name}.{name}(...), or use {declaration.primary.name}.{verb}(...).",
        )
    _check_names(key, given, where)
    for field, value in given.items():
        if isinstance(value, Operator):
            raise BoundsError(
                "plan-get-operator",
                f"{where}: {value!r} on field {field!r} is a range.",
                fix=f"give {field!r} a plain value, or query with {declaration.name}.{name}(...).",
            )
    return {attribute: to_boto3(to_wire(value)) for attribute, value in key.render(given).items()}


def _check_names(key: EntityKey, given: Mapping[str, Any], where: str) -> None:
    needed = _required_parts(key, where)
    unknown = next((name for name in given if name not in (*needed, SHARD_FIELD)), None)
    missing = [name for name in needed if name not in given]
    if unknown is None and not missing:
        return
    near = did_you_mean(unknown, needed) if unknown else ""
    raise InvalidValue(
        "key-unknown-part" if unknown else "key-missing-part",
        f"{where}: field {unknown!r} is not a part of this key."
        if unknown
        else f"{where}: {', '.join(map(repr, missing))} missing.",
        expected=f"Its parts are: {', '.join(needed) or 'none'}.",
        fix=f"did you mean {near!r}?" if near else "give all of them, and nothing else.",
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

# Values that a validator without conditions gives back as they are: of exactly these types.
_UNCHANGED = {
    "str": "type({v}) is str and ({v}.isascii() or {v}.encode())",
    "int": "type({v}) is int",
    "date": "type({v}) is date",
    "uuid": "type({v}) is UUID",
}
# All that such a node holds; anything else, such as a least length, is a condition.
_NO_CONDITION = frozenset(("type", "ref", "metadata", "serialization"))


def compile_item_key(
    declaration: Declaration[Any], key: EntityKey
) -> Callable[[Mapping[str, Any]], ResolvedKey]:
    """The function from the parts of a key to where the item stands; it raises for everything unusual.

    The careful way is `placed_carefully`, to which tests hold it equal.
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
    return compile_function("place", ["def place(given):", *lines], names)  # type: ignore[no-any-return]


def _lines(declaration: Declaration[Any], key: EntityKey, names: dict[str, Any]) -> list[str]:
    from pksk.model.fields.field_facts import field_facts

    values = field_facts(declaration).values
    lines = [f"    if len(given) != {len(key.fields)}:", "        raise Unusual"]
    changed = []
    for number, name in enumerate(key.fields):
        value = f"v{number}"
        lines.append(f"    {value} = given[{name!r}]")
        test = _unchanged_test(declaration, declaration.fields[name])
        if test:
            lines += [f"    if not ({test.format(v=value)}):", "        raise Unusual"]
            continue
        names[f"validate{number}"] = values.validator(name).validate_python
        changed.append(f"{name!r}: validate{number}({value})")
        lines += [f"    if {value}.__class__ is Operator:", "        raise Unusual"]
    parts = f"{{**given, {', '.join(changed)}}}" if changed else "given"
    attributes = []
    for number, part in enumerate(key.parts):
        names[f"render{number}"] = part.writer.render
        rendered = f"render{number}(parts)"
        scalar = isinstance(part.writer, ScalarKey)
        wire = f"to_boto3(to_wire({rendered}))" if scalar else f"{{'S': {rendered}}}"
        attributes.append(f"{part.attribute!r}: {wire}")
    return [*lines, f"    parts = FrozenValues({parts})", f"    return parts, {{{', '.join(attributes)}}}"]


def _unchanged_test(declaration: Declaration[Any], each: Field) -> str:
    """The test that a value passes which the field holds as it is given; empty where only its validator knows."""
    if each.schema is None:
        return ""
    node = each.schema[0]
    while node["type"] in ("default", "nullable"):
        node = node["schema"]
    # Lengths and letter cases that hold for every text of the model.
    config = any(
        value for option, value in declaration.entity.model_config.items() if option.startswith("str_")
    )
    if node["type"] not in _UNCHANGED or not _NO_CONDITION.issuperset(node) or config:
        return ""
    return _UNCHANGED[node["type"]]
