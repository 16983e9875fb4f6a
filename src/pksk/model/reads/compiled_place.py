"""Checks the parts of a primary key and makes the key the quick way, by a function compiled for one entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pksk.keys import Operator, ScalarKey
from pksk.model.given import Given
from pksk.model.storing.compiled import Unusual, compiled
from pksk.values import to_wire
from pksk.values.boto3_form import to_boto3

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.declaring.attributes import Field
    from pksk.model.entity_key import EntityKey
    from pksk.values import WireItem

__all__ = ["Placed", "compiled_place"]

# The parts as the model holds them, and the key attributes that they make.
Placed = tuple[Given, "WireItem"]

# Values that a validator without conditions gives back as they are: of exactly these types.
_AS_THEY_ARE = {
    "str": "type({v}) is str and ({v}.isascii() or {v}.encode())",
    "int": "type({v}) is int",
    "date": "type({v}) is date",
    "uuid": "type({v}) is UUID",
}
# All that such a node holds; anything else, such as a least length, is a condition.
_NO_CONDITION = frozenset(("type", "ref", "metadata", "serialization"))


def compiled_place(declaration: Declaration[Any], key: EntityKey) -> Callable[[Mapping[str, Any]], Placed]:
    """The function from the parts of a key to where the item stands; it raises for everything unusual.

    The careful way is `placed_carefully`, to which tests hold it equal.
    """
    fields = declaration.fields
    known = all(name in fields and not fields[name].computed for name in key.fields)
    names: dict[str, Any] = {
        "Given": Given,
        "Operator": Operator,
        "UUID": UUID,
        "Unusual": Unusual,
        "date": date,
        "to_boto3": to_boto3,
        "to_wire": to_wire,
    }
    usual = key.index is None and key.shard is None and known
    lines = _lines(declaration, key, names) if usual else ["    raise Unusual"]
    return compiled("place", ["def place(given):", *lines], names)  # type: ignore[no-any-return]


def _lines(declaration: Declaration[Any], key: EntityKey, names: dict[str, Any]) -> list[str]:
    from pksk.model.writes.facts import write_facts

    values = write_facts(declaration).values
    lines = [f"    if len(given) != {len(key.fields)}:", "        raise Unusual"]
    changed = []
    for number, name in enumerate(key.fields):
        value = f"v{number}"
        lines.append(f"    {value} = given[{name!r}]")
        test = _as_it_is(declaration, declaration.fields[name])
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
    return [*lines, f"    parts = Given({parts})", f"    return parts, {{{', '.join(attributes)}}}"]


def _as_it_is(declaration: Declaration[Any], each: Field) -> str:
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
    if node["type"] not in _AS_THEY_ARE or not _NO_CONDITION.issuperset(node) or config:
        return ""
    return _AS_THEY_ARE[node["type"]]
