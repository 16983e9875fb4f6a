"""What a read returns: Select, projection and filter, checked against each other and against an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.state.table import Table
from pksk.engine.texts import items as item_texts
from pksk.engine.texts import reads as texts
from pksk.expressions import Condition, Path, Projection
from pksk.expressions.check import operands_of
from pksk.expressions.tree import leaves


def check_select(request: Mapping[str, Any]) -> None:
    """Raise for a Select that conflicts with the rest of the request."""
    select = request.get("Select")
    if select is None:
        return
    parameter = next((name for name in ("ProjectionExpression", "AttributesToGet") if name in request), None)
    if select == "SPECIFIC_ATTRIBUTES":
        if parameter is None:
            raise validation(item_texts.PREFIX + texts.SELECT_NEEDS_NAMES)
    elif parameter is not None:
        raise validation(item_texts.PREFIX + texts.select_and_names(parameter, select))
    elif select == "ALL_PROJECTED_ATTRIBUTES" and "IndexName" not in request:
        raise validation(item_texts.PREFIX + texts.SELECT_NEEDS_INDEX)


def layout_to_read(table: Table, request: Mapping[str, Any], vector_refusal: str) -> RowLayout:
    """The rows that a request reads; raises for a missing index, or one that does not support the read."""
    name = request.get("IndexName")
    if name is None:
        return table.layout
    if name in table.vectors:
        raise validation(vector_refusal)
    layout = table.index(name)
    if layout.kind == "gsi":
        if request.get("ConsistentRead"):
            raise validation(texts.CONSISTENT_INDEX)
        if request.get("Select") == "ALL_ATTRIBUTES" and layout.projected is not None:
            raise validation(texts.select_all(name))
    return layout


def needs_fetch(layout: RowLayout, projection: Projection | None, select: str | None) -> bool:
    """Whether requested attributes are missing from a local index; raises if they are missing from a global one."""
    if layout.projected is None:
        return False
    if projection is None:
        return select == "ALL_ATTRIBUTES"
    lacking = _missing_attributes(layout, (str(path.elements[0]) for path in projection.paths))
    if lacking and layout.kind == "gsi":
        raise validation(texts.not_projected(layout.name or "", lacking))
    return bool(lacking)


def check_filter(layout: RowLayout, condition: Condition, *, legacy: bool) -> None:
    """Raise for a filter on key attributes, or on attributes that are not projected into the index."""
    keys = {attribute.name for attribute in layout.keys}
    for name in _filter_attributes(condition):
        if name in keys:
            raise validation(texts.filters_key(name, legacy=legacy))
    check_filter_projected(layout, condition)


def check_filter_projected(layout: RowLayout, condition: Condition) -> None:
    """Raise for a filter on attributes that are not projected into the index."""
    if layout.projected is not None and (
        lacking := _missing_attributes(layout, _filter_attributes(condition))
    ):
        raise validation(texts.filter_not_projected(layout.name or "", lacking))


def _missing_attributes(layout: RowLayout, names: Iterable[str]) -> list[str]:
    projected = layout.projected or frozenset()
    return [name for name in dict.fromkeys(names) if name not in projected]


def _filter_attributes(condition: Condition) -> list[str]:
    """The attributes of a condition, in the order written."""
    names: dict[str, None] = {}
    pending: list[Any] = []
    for leaf in leaves(condition):
        pending.extend(reversed(operands_of(leaf)))
        while pending:
            operand = pending.pop()
            if type(operand) is Path:
                names[str(operand.elements[0])] = None
            else:
                pending.extend(reversed(getattr(operand, "operands", ())))
    return list(names)
