"""Checks the conditions of sparse keys: that stored items can be tested, and that they have an effect."""

from __future__ import annotations

from typing import NoReturn

from pksk.errors import DesignError, PkskError, did_you_mean, quote
from pksk.expressions import Condition
from pksk.expressions.fields import Field
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.fields.condition_paths import condition_fields


def check_when(declaration: Declaration) -> None:
    """Reject conditions of keys that cannot be evaluated on items, or that exclude none."""
    for key in declaration.keys.values():
        if key.when is not None:
            where = f"{declaration.name}.{key.name}"
            _check_condition(where, declaration, key)
            _check_effect(where, declaration, key)


def _reject(where: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError("key-when", f"{where}: {problem}", expected=expected, fix=fix)


def _check_condition(where: str, declaration: Declaration, key: EntityKey) -> None:
    if key.index is None:
        _reject(
            where, "when= is on the key of the table, which every item has.",
            fix="remove it here, and use it on the key of an index.",
        )  # fmt: skip
    if not isinstance(key.when, Condition):
        named = (
            f"{key.when!r} == True, or {key.when!r}.exists()"
            if isinstance(key.when, Field)
            else "F.open == True"
        )
        _reject(where, f"when={quote(key.when)} is not a condition on fields.", fix=f"write when={named}.")
    for name in condition_fields(key.when):
        _check_field(where, declaration, name)
    try:
        declaration.sparse_condition(key)
    except PkskError as error:
        _reject(where, f"when= cannot be evaluated. {error.problem}", expected=error.expected, fix=error.fix)


def _check_field(where: str, declaration: Declaration, name: str) -> None:
    if name not in declaration.fields:
        near = did_you_mean(name, declaration.fields)
        _reject(
            where, f"when= names field {name!r}, which {declaration.name} does not declare.",
            expected=f"Fields are: {', '.join(declaration.fields)}.",
            fix=f"did you mean {near!r}?" if near else "name one of them.",
        )  # fmt: skip
    if declaration.fields[name].computed:
        _reject(
            where, f"when= names {name!r}, which is computed and not stored.",
            fix="name the fields that it is computed from, or make the key of a computed field that may be None.",
        )  # fmt: skip


def _check_effect(where: str, declaration: Declaration, key: EntityKey) -> None:
    """Reject a condition without effect: an item is in an index if it has all of its attributes.

    So at least one attribute must be written only under the condition.
    """
    if not key.parts:
        _reject(
            where, f"when= has no effect on index {key.index!r}: the key writes no attribute, so every item with a "
            "vector is in the index.",
            fix="set the vector to None if an item should not be in the index, or give the index a pk= of its own.",
        )  # fmt: skip
    stored_by = {part.attribute: _always_stored_by(declaration, key, part.attribute) for part in key.parts}
    if not all(stored_by.values()):
        return
    listed = "; ".join(f"{attribute!r} is {reason}" for attribute, reason in stored_by.items())
    shared = any(reason.startswith("written") for reason in stored_by.values())
    raise DesignError(
        "entity-key-conflict" if shared else "key-when",
        f"{where}: when= has no effect on index {key.index!r}, as its attributes are stored anyway: {listed}.",
        fix="give the index its own attribute; a field can be stored under another name: "
        "Annotated[..., Attribute('other')].",
    )


def _always_stored_by(declaration: Declaration, key: EntityKey, attribute: str) -> str:
    """What writes an attribute also if the condition does not hold; empty if nothing does."""
    for name, each in declaration.fields.items():
        if each.attribute == attribute and not each.computed:
            return f"field {name!r} itself"
    if attribute in declaration.table.key_attributes:
        return "a key of the table"
    for other in declaration.keys.values():
        if attribute in [part.attribute for part in other.parts] and other.when != key.when:
            return f"written by key {other.name!r} too"
    return ""
