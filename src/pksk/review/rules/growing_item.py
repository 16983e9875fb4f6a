"""The rule about lists and sets that grow with every call until the item is full."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.expressions import Add, Call, Set
from pksk.keys.parts.part_types import field_type
from pksk.limits import ITEM_BYTES
from pksk.model.bill.month_rows import PatternUse
from pksk.model.markers import TTL
from pksk.model.requests.members import RequestGroup
from pksk.model.requests.request import Request
from pksk.model.requests.update import Update
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import pattern_subject

_SECONDS_PER_YEAR = 365 * 86_400
# The least that an element of a list takes; elements are usually larger.
_ELEMENT_BYTES = 10


@rule("growing-item", "the rate of the update (rate=), and how many items there are (items=)")
def growing_item(design: Design) -> Iterator[Result]:
    """An update that appends to a list or a set until the item is full.

    ## What it does

    Finds access patterns that append to a list or add to a set, if no pattern removes anything from it. From their rate
    and the number of items it computes how many elements an item gets in a year. If these alone are more than 400 KB,
    at 10 bytes each, that is a warning; of a set a remark, as it has each value once. Items that expire are not
    reported.

    ## Why is this bad?

    DynamoDB rejects an item above 400 KB, so one day the update fails for the busiest items. Until then each append
    costs as many write units as the item has kilobytes, and so does every other update of it.

    ## Example

        @access(rate=50)
        @classmethod
        def log(cls, device: str, line: str) -> Update["Device"]:
            return cls.primary.update(device=device).append(lines=[line])

    with 1,000 devices.

    ## Use instead

    One item for each element, in the partition of what it belongs to:

        class Line(Entity, table=devices):
            device: str
            at: AwareDatetime
            primary = Key("{device}", "LINE#{at}")

    `between`, `limit()` and a TTL then keep what is read and stored small.
    """
    updates = [
        (use, update) for use in design.uses for request in use.requests for update in _updates(request)
    ]
    shrinking = {
        (update.entity, change.field)
        for _, update in updates
        for change in update.changes
        if not grows(update, change.field)
    }
    for use, update in updates:
        for change in update.changes:
            is_left_alone = (update.entity, change.field) not in shrinking
            if is_left_alone and grows(update, change.field) and not _expires(update):
                yield from _check(use, update, change.field)


def _expires(update: Update) -> bool:
    fields = update.declaration.fields.values()
    return any(isinstance(marker, TTL) for field in fields for marker in field.markers)


def _updates(request: Request) -> Iterator[Update]:
    members = request.members if isinstance(request, RequestGroup) else (request,)
    yield from (each for each in members if isinstance(each, Update))


def grows(update: Update, field: str) -> bool:
    """Whether all changes of a field append to a list or add to a set."""
    return all(
        (isinstance(each.action, Set) and _is_append(each.action.value))
        or (isinstance(each.action, Add) and not _is_number(update, field))
        for each in update.changes
        if each.field == field
    )


def _is_append(value: object) -> bool:
    return isinstance(value, Call) and value.name == "list_append"


def _is_number(update: Update, field: str) -> bool:
    kind = field_type(update.declaration.fields[field].annotation).type
    return isinstance(kind, type) and not issubclass(kind, list | set | frozenset | tuple)


def _check(use: PatternUse, update: Update, field: str) -> Iterator[Result]:
    declaration = update.declaration
    if use.rate is None:
        yield Missing(use.pattern.name, "its rate (rate=)")
    elif declaration.items is None:
        yield Missing(declaration.name, "how many items there are (items=)")
    else:
        is_list = all(isinstance(each.action, Set) for each in update.changes if each.field == field)
        elements = use.rate * _SECONDS_PER_YEAR / max(1, declaration.items)
        if elements * _ELEMENT_BYTES > ITEM_BYTES:
            yield Finding(
                growing_item.code,
                "warning" if is_list else "info",
                pattern_subject(use.pattern),
                f"each item gets {'' if is_list else 'up to '}{elements:,.0f} elements of {field} a year, and holds "
                f"{ITEM_BYTES:,} bytes at most.",
                (f"{units_text(use.rate)} calls a second, divided among {declaration.items:,} items",),
                f"store each element of {field} as an item of its own, in the partition of {declaration.name}.",
                certain=False,
            )
