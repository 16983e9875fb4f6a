"""What unique fields and references add to the cost of a write."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any

from pksk.capacity import read_units, write_units
from pksk.errors import PkskError
from pksk.model.cost.tally import Tally
from pksk.model.item_key import render_item_key
from pksk.model.markers import TTL, Reference, Unique

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.markers.reference import ResolvedReference
    from pksk.model.requests.delete import Delete
    from pksk.model.requests.put import Put
    from pksk.model.requests.update import Update

__all__ = [
    "delete_guards",
    "extra_item_reasons",
    "guards_that_change",
    "move_guards",
    "put_guards",
    "unknown_references",
    "update_guards",
]


def extra_item_reasons(
    declaration: Declaration[Any], written: Container[str], *, references: bool = True
) -> Iterator[str]:
    """The markers for which a write of these fields takes further items."""
    for name, _ in declaration.marked(Unique):
        if name in written:
            yield f"{declaration.name}.{name} is unique"
    for name, _ in declaration.marked(Reference) if references else ():
        if name in written:
            yield f"{declaration.name}.{name} is a reference"


def put_guards(put: Put[Any], tally: Tally) -> bool:
    """A guard for each unique value, and a check for each reference; whether there are any."""
    declaration = put.declaration
    values = declaration.values(put.value)
    unique = [name for name, _ in declaration.marked(Unique) if values[name] is not None]
    for name in unique:
        _guard(declaration, name, tally, "one more item")
    if declaration.marked(Unique) and not put.requires_absence:
        tally.touch(declaration.table, None, "read")
        tally.charge(declaration.table, read=read_units(0, consistent=True))
        tally.assumptions.append(
            f"what stands there is read before, for guards of {declaration.name}: nothing"
        )
    return _references(declaration, declaration.marked(Reference), values, tally) or bool(unique)


def delete_guards(delete: Delete[Any], tally: Tally) -> bool:
    """The guards go with the item; a reference needs nothing."""
    unique = [name for name, _ in delete.declaration.marked(Unique)]
    for name in unique:
        _guard(delete.declaration, name, tally, "its guard is deleted too")
    return bool(unique)


def update_guards(update: Update[Any], tally: Tally) -> bool:
    """A changed unique value has an old guard and a new one; a changed reference is checked."""
    declaration, changed, after = update.declaration, update.image.changed, update.image.after
    unique = guards_that_change(declaration, changed)
    for name in unique:
        if name not in changed:
            _guard(declaration, name, tally, "its guard ends when the item does")
            continue
        _guard(declaration, name, tally, "the guard of the old value is deleted")
        if after.get(name, name) is not None:
            _guard(declaration, name, tally, "one more item")
    references = _changed_references(declaration, changed)
    return _references(declaration, references, after, tally) or bool(unique)


def move_guards(
    declaration: Declaration[Any], changed: frozenset[str], tally: Tally, *, elsewhere: bool
) -> bool:
    """A changed unique value has an old guard and a new one; one that stays has another owner, `elsewhere`, or end."""
    unique = guards_that_change(declaration, changed, all_of_them=elsewhere)
    for name in unique:
        if name in changed:
            _guard(declaration, name, tally, "the guard of the old value is deleted")
        _guard(declaration, name, tally, "one more item" if name in changed else "its guard changes with it")
    return _references(declaration, _changed_references(declaration, changed), {}, tally) or bool(unique)


def guards_that_change(
    declaration: Declaration[Any], changed: Set[str], *, all_of_them: bool = False
) -> list[str]:
    """The unique fields whose guards are written where these fields change: all, where the time of their end does."""
    anew = all_of_them or any(name in changed for name, _ in declaration.marked(TTL))
    return [name for name, _ in declaration.marked(Unique) if anew or name in changed]


def unknown_references(update: Update[Any]) -> bool:
    """Whether only the stored item tells what a changed reference becomes."""
    declaration, after = update.declaration, update.image.after
    return any(
        not after.keys() >= set(declaration.reference(name).parts.values())
        for name, _ in _changed_references(declaration, update.image.changed)
    )


def _changed_references(declaration: Declaration[Any], changed: Set[str]) -> list[tuple[str, Any]]:
    return [
        (name, marker)
        for name, marker in declaration.marked(Reference)
        if changed & set(declaration.reference(name).parts.values())
    ]


def _guard(declaration: Declaration[Any], name: str, tally: Tally, what: str) -> None:
    tally.charge(declaration.table, write=write_units(0, transactional=True))
    tally.assumptions.append(f"{declaration.name}.{name} is unique: {what}, in a transaction")


def _references(
    declaration: Declaration[Any],
    references: Any,
    values: Mapping[str, Any],
    tally: Tally,
) -> bool:
    """A check of each item that is referred to, unless the transaction has one; whether there are any."""
    found = [name for name, _ in references if _names_an_item(declaration.reference(name), values)]
    # A write that is no member of a transaction has one of its own.
    checked = tally.checked if tally.members else []
    for name in found:
        referral = declaration.reference(name)
        other, key = referral.declaration, _key(referral, values)
        if _is_in_transaction(other, key, tally) or (other.table.name, key) in checked:
            continue
        if key is not None:
            checked.append((other.table.name, key))
        size = tally.sizes(other, declared=other is declaration).item
        tally.charge(other.table, write=write_units(size or 0, transactional=True))
        tally.assumptions.append(f"{declaration.name}.{name} is a reference: a check, in a transaction")
    return bool(found)


def _names_an_item(referral: ResolvedReference, values: Mapping[str, Any]) -> bool:
    """Whether the fields name an item; where one is known to be None they do not."""
    return all(values.get(field, field) is not None for field in referral.parts.values())


def _is_in_transaction(other: Declaration[Any], key: Any, tally: Tally) -> bool:
    """Whether a member of the transaction checks or writes the item; the entity decides where the key is not known."""
    members = [each for each in tally.members if _keeps_item(each, other)]
    return any(key is None or each.item_key == key for each in members)


def _keeps_item(member: Any, other: Declaration[Any]) -> bool:
    """Whether a member makes sure that an item of the entity is there: it writes or checks it, and does not delete it."""
    if member.action == "Delete" or (member.action == "ConditionCheck" and member.requires_absence):
        return False
    return member.table_name == other.table.name and issubclass(member.entity, other.entity)


def _key(referral: ResolvedReference, values: Mapping[str, Any]) -> Any:
    other = referral.declaration
    try:
        parts = {part: values[field] for part, field in referral.parts.items()}
        return render_item_key(other, other.primary.name, parts, "check")
    except (KeyError, PkskError):
        return None
