"""The rule about small updates of large items."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.capacity.units import write_units
from pksk.model.bill.month_rows import PatternUse
from pksk.model.requests.update import Update
from pksk.review.money import on_demand_text
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.growing_item import grows
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import pattern_subject

_LARGE = 10 * 1024
# What the others cost is not worth a second item.
_LEAST_UNITS_PER_SECOND = 50
_SMALL = 512


@rule("large-item-update", "the rate of the update (rate=), and how large items are (item_size=)")
def large_item_update(design: Design) -> Iterator[Finding]:
    """A frequent update that changes a few bytes of a large item.

    ## What it does

    Finds updates that set at most 512 bytes of items of 10 KB or more, with 50 write units a second or more. Updates
    that append to a list or a set are left to `growing-item`: what they change may be most of the item.

    ## Why is this bad?

    DynamoDB charges an update for the whole item: one more view of a page of 20 KB takes 20 write units. It also
    reaches the ceiling of the item's key at a twentieth of the rate.

    ## Example

        @access(rate=30, item_size=20_000)
        @classmethod
        def viewed(cls, page: str) -> Update["Page"]:
            return cls.primary.update(page=page).add(views=1)

    ## Use instead

    Two items in one partition: what changes often, and what is large. One query still reads both.

        class Views(Entity, table=pages):
            page: str
            count: int = 0
            primary = Key("PAGE#{page}", "VIEWS")
    """
    for use in design.uses:
        for request in use.requests:
            size = use.pattern.options.item_size
            if (
                isinstance(request, Update)
                and size is not None
                and size >= _LARGE
                and request.size <= _SMALL
                and not any(grows(request, change.field) for change in request.changes)
            ):
                yield from _check(use, request, size)


def _check(use: PatternUse, update: Update, size: int) -> Iterator[Finding]:
    units = write_units(size)
    if use.rate is None or use.rate * units < _LEAST_UNITS_PER_SECOND:
        return
    table = update.declaration.table
    saved = on_demand_text(table, write=use.rate * (units - 1))
    fields = " and ".join(sorted({change.field for change in update.changes}))
    yield Finding(
        large_item_update.code,
        "warning",
        pattern_subject(use.pattern),
        f"it writes {fields} with {units:,.0f} write units a call, since the whole item counts.",
        (
            f"{size:,} bytes an item, {units_text(use.rate)} times a second",
            *([f"in an item of its own it would save {saved}"] if saved else []),
        ),
        f"keep {fields} in a small item of its own in the same partition.",
    )
