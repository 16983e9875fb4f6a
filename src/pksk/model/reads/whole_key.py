"""The key attributes of one item, from all parts of the primary key of its entity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import BoundsError, DesignError, InvalidValue, did_you_mean
from pksk.keys import Operator
from pksk.model.reads.vector_keys import refuse_vector_key
from pksk.model.shard import SHARD_FIELD
from pksk.values import WireItem, to_wire
from pksk.values.boto3_form import to_boto3

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey

__all__ = ["whole_key"]


def whole_key(declaration: Declaration[Any], name: str, given: Mapping[str, Any], verb: str) -> WireItem:
    """The primary key of an item in DynamoDB's JSON; refused unless every part is given, as a plain value."""
    key = declaration.key(name)
    where = f"{declaration.name}.{name}.{verb}"
    if key.index is not None:
        refuse_vector_key(declaration, key, where)
        raise DesignError(
            "plan-get-index",
            f"{where}: index {key.index!r} finds rows, and a single item is reached by the key of the table alone.",
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
    needed = _needed(key, where)
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


def _needed(key: EntityKey, where: str) -> tuple[str, ...]:
    if key.shard is None or key.shard.of in key.fields:
        return key.fields
    if key.shard.of is None:
        raise DesignError(
            "plan-random-shard",
            f"{where}: the shard of an item was drawn at random, so its parts do not tell where it stands.",
            fix="choose the shard by a field of the key: Shard(4, of='...').",
        )
    return (*key.fields, key.shard.of)
