"""The rule about items near the limit of 400 KB."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.limits import ITEM_BYTES
from pksk.model.bill.month_rows import declared_sizes
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import entity_subject

_NEAR = 350 * 1024


@rule("large-item", "how large items are (item_size=)")
def large_item(design: Design) -> Iterator[Finding]:
    """Items near the limit of 400 KB.

    ## What it does

    Finds entities whose declared items (`item_size=` of their access patterns) are above 350 KB, a warning, or above
    DynamoDB's limit of 400 KB, an error.

    ## Why is this bad?

    DynamoDB rejects an item above 400 KB, names of attributes included. Long before that it is expensive: writing one
    byte of an item of 350 KB takes 350 write units, and reading it 88 read units.

    ## Example

        class Park(Entity, table=parks):
            park_id: str
            boundary: bytes  # hundreds of kilobytes
            primary = Key("PARK#{park_id}", "META")

    ## Use instead

    Keep large values in an object store, and in the item their location, hash and size. Or divide what is read apart
    into items of one partition: `Key("PARK#{park_id}", "BOUNDARY#{number:03d}")`.
    """
    sizes = declared_sizes(design.uses)
    for declaration in design.entities:
        size, pattern = sizes.get(declaration.entity, (0, ""))
        if size > _NEAR:
            yield Finding(
                large_item.code,
                "error" if size > ITEM_BYTES else "warning",
                entity_subject(declaration),
                f"its items have {size:,} bytes, and DynamoDB accepts {ITEM_BYTES:,}.",
                (f"{pattern}: item_size={size}", f"one write takes {-(-size // 1024)} write units"),
                "keep large values in an object store with a reference in the item, or divide the item into several.",
            )
