"""Translates conditions on fields into conditions on stored attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from pksk.errors import BoundsError, DesignError, ExpressionMisuse, InvalidValue, quote
from pksk.expressions import And, Between, Call, Compare, Condition, In, Not, Or, Path, Value
from pksk.expressions.check import ORDERED_TYPES, check_leaf, is_above, operands_of, operator_of
from pksk.expressions.literals import Unchecked
from pksk.limits import IN_OPERANDS
from pksk.model.entity_of_item import entities_sharing_key
from pksk.model.fields.condition_paths import rename_fields
from pksk.model.fields.operand_types import (
    COMPARISONS,
    ORDER_OPERATORS,
    check_comparable,
    check_contains,
    check_order,
    check_size,
    check_time,
    check_type,
    in_words,
    is_nullable,
    reject_type,
    reject_unordered,
    rule_at_path,
    stored_types,
    types_at_path,
)
from pksk.model.fields.operands import OperandRule, field_rule, inner_rule, member_rule
from pksk.model.markers import StoredForm
from pksk.model.markers.stored import coarse_bound, is_comparable
from pksk.schema import Table
from pksk.values import Wire, from_wire, sortable_wire, to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

_CHECKED = {*ORDER_OPERATORS, "=", "<>", "IN", "contains"}
# For each operand of a range, whether the first stored time is the one at or after it, or the one at or before it.
_ENDS = {"<": (True,), ">=": (True,), ">": (False,), "<=": (False,), "BETWEEN": (True, False)}


def condition_on_attributes(declaration: Declaration, condition: object) -> Condition:
    """The condition on stored attributes; raises for a value that its field cannot hold."""
    if not isinstance(condition, Condition):
        raise ExpressionMisuse(
            "filter-not-a-condition",
            f"{declaration.name}: {quote(condition)} is not a condition.",
            fix="write one with F, such as F.total > 10, F.note.exists() or (F.a == 1) & (F.b == 2).",
        )
    if isinstance(condition, And | Or):
        converted = tuple(condition_on_attributes(declaration, each) for each in condition.conditions)
        if isinstance(condition, And):
            check_ranges(declaration, converted)
        return type(condition)(converted)
    if isinstance(condition, Not):
        return Not(condition_on_attributes(declaration, condition.condition))
    return _comparison_on_attribute(declaration, condition)


def _comparison_on_attribute(declaration: Declaration, leaf: Condition) -> Condition:
    """One comparison, with its operands checked by the rule of the field, and in its stored form."""
    path, operator = operands_of(leaf)[0], operator_of(leaf)
    if isinstance(path, Call) and path.name == "size":
        check_size(declaration, leaf)
    if not isinstance(path, Path) or operator not in _CHECKED or not isinstance(path.elements[0], str):
        return rename_fields(leaf, declaration.attribute)
    renamed = rename_fields(path, declaration.attribute)
    operands = operands_of(leaf)[1:]
    if operator in ("=", "<>") and _is_none(operands[0]) and len(path.elements) == 1:
        _check_none(declaration, path.elements[0], operands[0])
        return none_condition(renamed) if operator == "=" else Not(none_condition(renamed))
    for each in operands:
        if isinstance(each, Path | Call):
            _check_other_field(declaration, path, each, operator)
    stored_operands = [
        _stored_operand(declaration, path, operator, position, each)
        if isinstance(each, Value)
        else rename_fields(each, declaration.attribute)
        for position, each in enumerate(operands)
    ]
    comparison = _with_operands(leaf, renamed, stored_operands)
    if isinstance(comparison, Between) and isinstance(leaf, Between):
        _check_ends(declaration, path, leaf, comparison)
        check_leaf(comparison, "ConditionExpression")
    return comparison


def _check_ends(declaration: Declaration, path: Path, written: Between, stored: Between) -> None:
    """Reject a range that ends before it begins in its stored form, which may be coarser than what was written."""
    if not is_above(stored.low, stored.high):
        return
    low, high = (quote(_source(each)) for each in (written.low, written.high))
    form = _format_at(declaration, path)
    if is_above(written.low, written.high) or form is None:
        problem, fix = "ends before it begins", f"write between({high}, {low})."
    else:
        problem, fix = f"contains no value of {form.name}", "write a range that contains one."
    raise BoundsError(
        "bounds-backwards", f"{in_words(declaration, path)}: between({low}, {high}) {problem}.", fix=fix
    )


def _source(operand: object) -> Any:
    assert isinstance(operand, Value)
    return from_wire(operand.wire) if operand.source is None else operand.source


def check_ranges(declaration: Declaration, conditions: Sequence[Condition]) -> None:
    """Reject bounds of one attribute that no value is between: `(F.total > 9) & (F.total < 3)`."""
    ends: dict[tuple[Path, str], list[tuple[str, Value]]] = {}
    parts = chain.from_iterable(each.conditions if isinstance(each, And) else (each,) for each in conditions)
    for path, operator, value in chain.from_iterable(map(_ends_of, parts)):
        ends.setdefault((path, value.kind), []).append((operator, value))
    for (path, kind), bounds in ends.items():
        lows = [each for each in bounds if each[0] in ("=", ">", ">=")]
        highs = [each for each in bounds if each[0] in ("=", "<", "<=")]
        if kind not in ORDERED_TYPES or not lows or not highs:
            continue
        low = max(lows, key=lambda each: (sortable_wire(each[1].wire), each[0] == ">"))
        high = min(highs, key=lambda each: (sortable_wire(each[1].wire), each[0] != "<"))
        first, last = sortable_wire(low[1].wire), sortable_wire(high[1].wire)
        if first > last or (first == last and (low[0] == ">" or high[0] == "<")):
            one, other = (f"{operator} {quote(from_wire(value.wire))}" for operator, value in (low, high))
            field = next(
                (name for name, each in declaration.fields.items() if each.attribute == path.elements[0]), ""
            )
            where = in_words(declaration, Path((field, *path.elements[1:])))
            raise BoundsError(
                "bounds-backwards",
                f"{where}: no value is both {one} and {other}.",
                fix="swap the bounds, or join the conditions with | if either may hold.",
            )


def _ends_of(condition: Condition) -> Iterator[tuple[Path, str, Value]]:
    """The ends of the range that a condition sets for a field."""
    if (
        isinstance(condition, Compare)
        and isinstance(condition.left, Path)
        and isinstance(condition.right, Value)
    ):
        yield condition.left, condition.operator, condition.right
    elif isinstance(condition, Between) and isinstance(condition.operand, Path):
        for operator, value in ((">=", condition.low), ("<=", condition.high)):
            if isinstance(value, Value):
                yield condition.operand, operator, value


def _is_none(operand: Any) -> bool:
    return isinstance(operand, Value) and operand.kind == "NULL"


def _check_none(declaration: Declaration, field: str, operand: Any) -> None:
    """Reject None for a field that cannot be None."""
    each = declaration.fields[field]
    if each.schema is not None and not isinstance(operand.source, Unchecked):
        field_rule(declaration, field).equal(f"{declaration.name}.{field}", None)


def _with_operands(leaf: Condition, path: Path, operands: Sequence[Any]) -> Condition:
    if isinstance(leaf, Compare):
        return replace(leaf, left=path, right=operands[0])
    if isinstance(leaf, Between):
        return Between(path, *operands)
    if isinstance(leaf, In):
        return In(path, tuple(operands))
    return Call(operator_of(leaf), (path, *operands))


def _stored_operand(
    declaration: Declaration, path: Path, operator: str, position: int, operand: Value
) -> Value:
    """One operand in the stored form of its field; raises if no valid item could match."""
    source = from_wire(operand.wire) if operand.source is None else operand.source
    field, *inside = path.elements
    where = in_words(declaration, path)
    if isinstance(source, Unchecked):
        is_raw = inside or operator == "contains"
        return operand if is_raw else _stored_unchecked(declaration, str(field), operand, source.operand)
    rule = rule_at_path(declaration, path)
    if operator == "contains":
        check_contains(where, types_at_path(declaration, path), operand, source)
        return _contained(declaration, rule, where, operand, source)
    if inside:
        return operand if rule is None else _stored_inside(rule, where, operator, position, source)

    def stored(value: Any) -> Value:
        return stored_operands(declaration, str(field), operator, [value], position)[0]

    # A text that is read as something else, such as JSON.
    own = declaration.fields[str(field)]
    is_read = isinstance(source, str) and own.form.store is not None and own.stored_form is None
    if rule is None or rule.converts or (is_read and operator not in ORDER_OPERATORS):
        return stored(source if rule is None else _checked_value(rule, where, operator, source))
    stored_value = stored(source)
    checked = _checked_value(rule, where, operator, source)
    return stored_value if checked is source else stored(checked)


def _stored_inside(rule: OperandRule, where: str, operator: str, position: int, source: Any) -> Value:
    """One operand of a comparison with a part of a field, in the format of that part."""
    check_order(where, operator, rule.types, rule)
    check_time(where, rule, source)
    checked = _checked_value(rule, where, operator, source)
    if operator in ORDER_OPERATORS and isinstance(checked, str) and rule.holds_text:
        return Value({"S": checked})
    try:
        wire = rule.stored(_bound(rule.format, operator, position, checked), where)
    except TypeError:  # no time, for a format of times
        name = rule.format.name if rule.format else ""
        reject_type(where, source, f"a value that is stored as {name}", "is compared with")
    check_type(where, rule.types, source, wire, inside=True)
    return Value(wire)


def _checked_value(rule: OperandRule, where: str, operator: str, source: Any) -> Any:
    return rule.bound(where, source, operator) if operator in ORDER_OPERATORS else rule.equal(where, source)


def _contained(
    declaration: Declaration, rule: OperandRule | None, where: str, operand: Value, source: Any
) -> Value:
    """An operand of `contains`: a member of a list or set in the format of members, or a part of a text."""
    members = None if rule is None else member_rule(declaration, rule)
    if members is not None:
        check_time(where, members, source)
        return Value(members.stored(members.equal(f"{where}[...]", source), where))
    if rule is not None and isinstance(source, str):
        return Value({"S": rule.part(where, source)})
    return operand


def _check_other_field(declaration: Declaration, path: Path, other: Path | Call, operator: str) -> None:
    """Reject a comparison of two fields in different types or formats: DynamoDB compares what is stored."""
    nullable = is_nullable(declaration, path) and isinstance(other, Path) and is_nullable(declaration, other)
    check_comparable(declaration, path, other, operator, nullable=nullable)
    if isinstance(other, Call):
        return
    mine, theirs = (_format_at(declaration, each) for each in (path, other))
    if operator in COMPARISONS and not is_comparable(mine, theirs):
        one, two = (in_words(declaration, each) for each in (path, other))
        texts = ["that of its type" if each is None else each.name for each in (mine, theirs)]
        raise DesignError(
            "stored-formats-differ",
            f"{one} {operator} {two}: the fields are stored in different formats, {texts[0]} and {texts[1]}.",
            expected="DynamoDB compares the stored values, without any conversion.",
            fix="store both in one format, compare each with a value, or compare them in Python.",
        )


def _format_at(declaration: Declaration, path: Path) -> StoredForm | None:
    """The format of a field, or of a part of it."""
    field, *inside = path.elements
    each = declaration.fields.get(str(field))
    if each is None:
        return None
    if not inside and each.stored_form is not None and each.stored_form.name:
        return each.stored_form
    rule = inner_rule(declaration, path.elements)
    return None if rule is None else rule.format


def _stored_form(declaration: Declaration, field: str, operator: str, position: int, value: Any) -> Wire:
    """The stored form of a value; a text may be only the beginning of one."""
    each = declaration.fields[field]
    # The beginning of a text is not a value that the field could store.
    is_beginning = operator in ORDER_OPERATORS or each.form.store is None
    is_text = type(value) is str and is_beginning and (each.stored_form is None or not each.stored_form.name)
    if value is None or each.computed or is_text:
        return to_wire(value)
    try:
        return to_wire(declaration.stored_value(field, _bound(each.stored_form, operator, position, value)))
    except TypeError:  # no time, for a format of times
        name = each.stored_form.name if each.stored_form else ""
        reject_type(
            f"{declaration.name}.{field}", value, f"a field that is stored as {name}", "is compared with"
        )


def _stored_unchecked(declaration: Declaration, field: str, operand: Value, value: Any) -> Value:
    """The stored form of a value that the field may be unable to hold."""
    try:
        return Value(_stored_form(declaration, field, "=", 0, value))
    except InvalidValue:
        return operand


def none_condition(path: Path) -> Condition:
    """The condition that the attribute is missing or NULL: both are read as None."""
    return Or((Call("attribute_not_exists", (path,)), Compare("=", path, Value({"NULL": True}))))


def stored_operands(
    declaration: Declaration, field: str, operator: str, sources: Sequence[Any], first: int = 0
) -> list[Value]:
    """The stored form of values that a field is compared with; raises for a type that no item could match."""
    where, types, each = (
        f"{declaration.name}.{field}",
        stored_types(declaration, field),
        declaration.fields[field],
    )
    check_order(where, operator, types, field_rule(declaration, field) if each.schema else None)
    form = each.stored_form
    if operator in ORDER_OPERATORS and form is not None and form.name and not form.ordered:
        reject_unordered(where, operator, form)
    if operator == "begins_with":
        wires = [to_wire(source) for source in sources]
    else:
        wires = [
            _stored_form(declaration, field, operator, position, each)
            for position, each in enumerate(sources, first)
        ]
    for source, wire in zip(sources, wires, strict=True):
        check_type(where, types, source, wire)
    return [Value(wire) for wire in wires]


def _bound(form: StoredForm | None, operator: str, position: int, value: Any) -> Any:
    """An end of a range over times, as coarse as the times that are stored; other values as they are."""
    if form is None or form.resolution is None or operator not in _ENDS or not isinstance(value, datetime):
        return value
    return coarse_bound(form, value, up=_ENDS[operator][position])


def discriminator_values(declaration: Declaration) -> list[str]:
    """The discriminators of the entity and of its subclasses."""
    return sorted(
        tag for tag, each in entities_sharing_key(declaration).items() if each.is_subclass_of(declaration)
    )


def discriminator_condition(declaration: Declaration) -> Condition | None:
    """The condition that an item is of this entity or a subclass; None in a table without discriminator."""
    discriminator = declaration.table.discriminator
    if discriminator is None:
        return None
    tags = discriminator_values(declaration)
    return (
        Compare("=", Path((discriminator,)), Value({"S": tags[0]}))
        if len(tags) == 1
        else _is_one_of(discriminator, tags)
    )


def exclude_discriminators(table: Table, tags: Sequence[str]) -> Condition | None:
    """The condition that an item has none of these discriminators; None in a table without discriminator.

    Items with another discriminator, or without one, meet it, and the store checks them.
    """
    if table.discriminator is None or not tags:
        return None
    if len(tags) == 1:
        return Compare("<>", Path((table.discriminator,)), Value({"S": tags[0]}))
    return Not(_is_one_of(table.discriminator, tags))


def _is_one_of(discriminator: str, tags: Sequence[str]) -> Condition:
    path, values = Path((discriminator,)), tuple(Value({"S": name}) for name in tags)
    some = [In(path, values[start : start + IN_OPERANDS]) for start in range(0, len(values), IN_OPERANDS)]
    return some[0] if len(some) == 1 else Or(tuple(some))
