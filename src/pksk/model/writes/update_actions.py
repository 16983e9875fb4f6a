"""Makes the update actions of set, add, remove, append and discard, and of actions on F."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import Enum
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pksk.expressions import Action, Add, Arithmetic, Call, Delete, Remove, Set, Value
from pksk.keys.parts.part import type_name
from pksk.keys.parts.part_types import field_type
from pksk.model.fields.condition_paths import condition_fields, rename_fields
from pksk.model.fields.facts import FieldFacts
from pksk.model.storing.stored_value import stored_value
from pksk.model.writes import field_update
from pksk.model.writes.field_update import FieldUpdate, attribute_path, reject
from pksk.model.writes.nested_updates import check_nested_update
from pksk.values import from_wire, to_wire

_MakeUpdate = Callable[["FieldFacts", str, Any, str], "FieldUpdate | None"]


def _set(facts: FieldFacts, name: str, value: Any, _where: str) -> FieldUpdate:
    checked = facts.values.validated(name, value)
    for writer in facts.field_key_writers.get(name, ()) if checked is not None else ():
        # DynamoDB rejects such a key attribute in any item: empty, or too long.
        writer.render({name: checked})
    return field_update.store_or_remove(facts, name, checked)


def remove_field(facts: FieldFacts, name: str, where: str) -> FieldUpdate:
    """The change that resets a field to its default; for most None and empty sets it removes the attribute."""
    field_update.check_field(facts, name, where)
    each = facts.declaration.fields[name]
    # A set needs no default: a missing attribute is read as an empty set.
    empty = each.is_set and each.required
    if not empty and (each.required or facts.default_uses_other_fields(name)):
        reject(
            "write-required",
            f"{where}: {facts.declaration.name}.{name} has no default, and is required to read the item.",
            fix=f"set {name!r} to a value, or give the field a default.",
        )
    return field_update.store_or_remove(facts, name, set() if empty else facts.default(name, {}))


def _add(facts: FieldFacts, name: str, value: Any, where: str) -> FieldUpdate | None:
    each = facts.declaration.fields[name]
    if each.is_set:
        return _update_members(facts, name, value, where, Add)
    kind = field_type(each.annotation).type
    if not _is_number(kind):
        _reject_type(facts, name, where, "numbers and sets", "add")
    _check_plain(facts, name, where, "add")
    field_update.check_never_null(facts, name, where)
    by = _value(stored_value(facts.values.members(name, kind, value), f"{facts.declaration.name}.{name}"))
    start = None if each.required else facts.value_when_absent(name)
    path = attribute_path(facts, name)
    action: Action = Add(path, by)
    if start:
        # ADD begins at zero, but an item without the field is read with its default.
        begin = _value(facts.declaration.stored_value(name, start))
        action = Set(path, Arithmetic("+", Call("if_not_exists", (path, begin)), by))
    return FieldUpdate(name, action, reads=frozenset({name}))


def _discard(facts: FieldFacts, name: str, value: Any, where: str) -> FieldUpdate | None:
    if not facts.declaration.fields[name].is_set:
        _reject_type(facts, name, where, "sets", "discard")
    return _update_members(facts, name, value, where, Delete)


def _check_plain(facts: FieldFacts, name: str, where: str, verb: str, types: Sequence[str] = ()) -> None:
    """Reject a change in place of a value in a custom format: DynamoDB would change what is stored."""
    form = facts.declaration.fields[name].stored_form
    if form is not None and form.is_custom and form.type not in types:
        reject(
            "write-kind",
            f"{where}: {facts.declaration.name}.{name} is stored as {form.name}, and {verb} would change the stored "
            "value.",
            fix=f"read the entity, change {name!r}, and set it whole.",
        )


def _update_members(
    facts: FieldFacts, name: str, value: Any, where: str, action: type[Add | Delete]
) -> FieldUpdate | None:
    if not isinstance(value, AbstractSet):
        reject(
            "write-members",
            f"{where}: {name}={value!r} is not a set of members.",
            fix=f"write {name}={{...}}, also for a single one.",
        )
    field_update.check_never_null(facts, name, where)
    _check_plain(facts, name, where, "add" if action is Add else "discard", ("SS", "NS", "BS"))
    kind = field_type(facts.declaration.fields[name].annotation).type
    stored = facts.values.stored_members(name, kind, value)
    if not stored:
        return None
    if not isinstance(stored, set):
        reject(
            "write-kind",
            f"{where}: {facts.declaration.name}.{name} is stored as a list, since DynamoDB has no sets of its type.",
            expected="DynamoDB has sets of text, numbers or bytes.",
            fix=f"read the entity, change {name!r}, and set it whole.",
        )
    return FieldUpdate(name, action(attribute_path(facts, name), _value(stored)), reads=frozenset({name}))


def _append(facts: FieldFacts, name: str, value: Any, where: str) -> FieldUpdate | None:
    kind = field_type(facts.declaration.fields[name].annotation).type
    if not _is_list(kind):
        _reject_type(facts, name, where, "lists", "append")
    _check_plain(facts, name, where, "append", ("L",))
    if not isinstance(value, (list, tuple)):
        reject(
            "write-members",
            f"{where}: {name}={value!r} is not a list of elements.",
            fix=f"write {name}=[...], also for a single one.",
        )
    field_update.check_never_null(facts, name, where)
    stored = facts.values.stored_members(name, kind, list(value))
    each = facts.declaration.fields[name]
    start = [] if each.required else facts.value_when_absent(name) or []
    path = attribute_path(facts, name)
    begin = _value(facts.declaration.stored_value(name, start))
    joined = Call("list_append", (Call("if_not_exists", (path, begin)), _value(stored)))
    return FieldUpdate(name, Set(path, joined), reads=frozenset({name})) if value else None


def update_by_action(facts: FieldFacts, action: Action, where: str) -> FieldUpdate | None:
    """The change of an action of F; checks an action on a whole field as `set` does."""
    first = action.path.elements[0] if isinstance(action, (Set, Remove, Add, Delete)) else None
    if not isinstance(first, str):
        reject(
            "write-action",
            f"{where}: {action!r} is not an action on a field.",
            fix="write actions of F, such as F.address.city.set('x').",
        )
    field_update.check_field(facts, first, where)
    whole = len(action.path.elements) == 1
    if whole and isinstance(action, Remove):
        return remove_field(facts, first, where)
    if whole and not isinstance(action, Remove) and isinstance(action.value, Value):
        source = action.value.source
        plain = from_wire(action.value.wire) if source is None else source
        return UPDATE_METHODS[_VERBS[type(action)]](facts, first, plain, where)
    for name in condition_fields(action):
        field_update.check_stored_field(facts, name, where)
    action = check_nested_update(facts, action, where)
    reads = condition_fields(action.value if whole and isinstance(action, Set) else action)
    return FieldUpdate(first, rename_fields(action, facts.declaration.attribute), reads=frozenset(reads))


def _value(stored: Any) -> Value:
    return Value(to_wire(stored))


def _is_number(kind: Any) -> bool:
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return all(
        isinstance(each, type)
        and issubclass(each, (int, float, Decimal))
        and not issubclass(each, (bool, Enum))
        for each in kinds
    )


def _is_list(kind: Any) -> bool:
    return kind is list or get_origin(kind) in (list, Sequence)


def _reject_type(facts: FieldFacts, name: str, where: str, takes: str, verb: str) -> None:
    each = facts.declaration.fields[name]
    kind = field_type(each.annotation).type
    other = "add" if each.is_set or _is_number(kind) else "append" if _is_list(kind) else "set"
    reject(
        "write-kind",
        f"{where}: {verb} takes {takes}, and {facts.declaration.name}.{name} is {type_name(kind)}.",
        fix=f"write .{other}({name}=...).",
    )


UPDATE_METHODS: Mapping[str, _MakeUpdate] = {"set": _set, "add": _add, "append": _append, "discard": _discard}
_VERBS: Mapping[type, str] = {Set: "set", Add: "add", Delete: "discard"}
