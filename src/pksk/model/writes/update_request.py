"""Builds update requests: actions on fields and keys, attributes of a new item, and conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError
from pksk.expressions import Action, Condition, Placeholders, render, tree
from pksk.expressions import update as update_tree
from pksk.model.fields.facts import field_facts
from pksk.model.writes import write_conditions as conditions
from pksk.model.writes.field_update import attribute_path, reject

if TYPE_CHECKING:
    from pksk.model.requests.update import Update


def update_request(update: Update) -> dict[str, Any]:
    """The UpdateItem request; raises if fields must be read first."""
    check_changes(update)
    where = _where(update)
    new = _new_item_actions(update, where) if update.is_upsert else []
    _check_read(update, where)
    if update.facts.primary_is_computed:
        update.index_keys.check_primary_key(update.item_key)
    actions = _actions(update, new)
    placeholders = Placeholders()
    request = dict(update.table_and_key)
    if actions:
        request["UpdateExpression"] = render(update_tree(*actions), placeholders).text
    condition = _condition(update)
    if condition is not None:
        request["ConditionExpression"] = render(condition, placeholders).text
    return request | placeholders.request()


def check_changes(update: Update) -> None:
    """Reject an update without changes: a version and a time of its own make no change of the item."""
    if not update.changes and not update.is_upsert:
        reject(
            "write-no-change",
            f"{_where(update)}: the update has no changes.",
            fix="add .set(...) or another change.",
        )


def _where(update: Update) -> str:
    return f"{update.declaration.name}.{update.key}.update"


def read_request(update: Update) -> dict[str, Any]:
    """The GetItem request for the fields that an update needs."""
    table = update.declaration.table
    names = dict.fromkeys(
        (table.primary.partition[0], *map(update.declaration.attribute, update.fields_to_read))
    )
    placeholders = Placeholders()
    text = render(tree.Projection(tuple(tree.Path((name,)) for name in names)), placeholders).text
    return {
        **update.table_and_key,
        "ConsistentRead": True,
        "ProjectionExpression": text,
        **placeholders.request(),
    }


def _check_read(update: Update, where: str) -> None:
    missing = update.index_keys.fields_to_read
    if missing:
        fields = set(missing)
        keys = [each.key.name for each in update.facts.keys if each.fields & fields]
        keys_text = (
            ", ".join(name for name in update.changed_index_keys if name in keys or not keys) or update.key
        )
        raise DesignError(
            "write-unread",
            f"{where}: to derive {keys_text}, it must first read {', '.join(map(repr, missing))}.",
            expected="A store reads missing fields, and writes only if they have not changed since.",
            fix="run the update with a store, set them too, or pass what you have read: .with_read({...}).",
        )


def _actions(update: Update, new: list[Action]) -> list[Action]:
    """The actions, fields before keys; several on one attribute only for different paths inside it."""
    keys = update.index_keys.actions()
    fields = (*(change.action for change in update.changes), *new)
    return [*(action for action in fields if action.path.elements[0] not in keys), *keys.values()]


def _new_item_actions(update: Update, where: str) -> list[Action]:
    """The attributes that a new item needs to be readable, set only if they are missing."""
    facts, declaration = update.facts, update.declaration
    _check_sets(update, where)
    changed = {change.field for change in update.changes}
    missing: list[str] = []
    actions: list[Action] = []
    for name in facts.stored:
        if name in changed or declaration.attribute(name) in declaration.table.key_attributes:
            continue
        each = declaration.fields[name]
        if name not in update.parts and each.required and not each.is_set:
            missing.append(name)
            continue
        wire = facts.values.stored(name, update.image.new_item[name])
        if wire is not None:
            actions.append(_set_if_missing(attribute_path(facts, name), tree.Value(wire)))
    if missing:
        reject(
            "write-upsert-incomplete",
            f"{where}: a new item would lack {', '.join(map(repr, missing))}.",
            expected=f"{declaration.name} cannot be read without them.",
            fix="set them too, give the fields defaults, or use Put.",
        )
    if declaration.table.discriminator:
        name = declaration.table.discriminator
        actions.append(_set_if_missing(tree.Path((name,)), tree.Value({"S": declaration.tag})))
    return actions


def _check_sets(update: Update, where: str) -> None:
    """Reject non-empty default sets: a missing set may be an empty one of an existing item."""
    facts, image = update.facts, update.image
    for name in facts.stored:
        each, changes = update.declaration.fields[name], image.changes.get(name, ())
        replaced = bool(changes) and not any(name in change.reads for change in changes)
        if (
            each.is_set
            and not each.required
            and not replaced
            and facts.values.stored(name, image.new_item[name])
        ):
            reject(
                "write-upsert-set",
                f"{where}: a new item would begin with {name} = {image.new_item[name]!r}, its default.",
                expected="DynamoDB cannot distinguish a new item from one whose set is empty: both lack the attribute.",
                fix=f"set {name!r} too, let its default be an empty set, or use Put.",
            )


def _set_if_missing(path: tree.Path, value: tree.Value) -> Action:
    return tree.Set(path, tree.Call("if_not_exists", (path, value)))


def _condition(update: Update) -> Condition | None:
    declaration = update.declaration
    there: Condition | None = conditions.existence_condition(declaration.table, absent=update.is_upsert)
    kind = conditions.shared_key_condition(declaration)
    if update.is_upsert and there is not None:
        # There may be no item, but not one of another entity.
        there, kind = (None if kind is None else tree.Or((there, kind))), None
    read = conditions.same_value_conditions(declaration, update.read_values)
    others, own = _exclude_subclasses(update), conditions.user_condition(declaration, update.condition)
    return conditions.join_conditions(there, kind, *others, *read, own, *update.extra_conditions)


def _exclude_subclasses(update: Update) -> list[Condition]:
    """The condition that the item is not of a subclass whose own index keys the update would leave stale."""
    declaration, changed = update.declaration, update.image.changed
    if declaration.table.discriminator is None:
        return []
    path = tree.Path((declaration.table.discriminator,))
    own = {id(key.source) for key in declaration.keys.values()}
    return [
        tree.Compare("<>", path, tree.Value({"S": other.tag}))
        for other in declaration.table.entities
        if other is not declaration and other.is_subclass_of(declaration)
        if any(key.touched(changed) for key in field_facts(other).keys if id(key.key.source) not in own)
    ]
