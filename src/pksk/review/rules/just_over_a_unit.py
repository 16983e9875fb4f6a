"""The rule about items that are a few bytes larger than a unit."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.limits import WRITE_UNIT_BYTES
from pksk.model.bill.month_rows import PatternUse, declared_sizes
from pksk.model.declaration import Declaration
from pksk.model.requests.put import Put
from pksk.model.requests.update import Update
from pksk.review.money import on_demand_text
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import entity_subject

# So much above a unit, a few shorter names save one; and so many units a second are worth it.
_FEW_PERCENT = 0.05
_LEAST_SAVED_PER_SECOND = 100


@rule("just-over-a-unit", "the rates of writes (rate=), and how large items are (item_size=)")
def just_over_a_unit(design: Design) -> Iterator[Finding]:
    """Items that are a few bytes larger than a write unit.

    ## What it does

    Finds entities whose declared size is up to 5% above a multiple of 1 KB, if their puts and updates would take 100
    write units a second less with the size below it. It says how many bytes the names of attributes take.

    ## Why is this bad?

    DynamoDB rounds each write up to 1 KB: an item of 1,040 bytes costs as much as one of 2,048. Below 1 KB nothing
    is saved, whatever the size.

    ## Example

        @access(rate=2_000, item_size=1_040)

    ## Use instead

    Shorter names of attributes (`Annotated[str, Attribute("d")]`, the field keeps its name), numbers in place of texts,
    or a compressed value, until the item is below the unit.
    """
    sizes = declared_sizes(design.uses)
    for declaration in design.entities:
        size, _ = sizes.get(declaration.entity, (0, ""))
        excess = size % WRITE_UNIT_BYTES
        if size > WRITE_UNIT_BYTES and 0 < excess <= _FEW_PERCENT * (size - excess):
            saved = sum(use.rate or 0.0 for use in design.uses if _writes_one(use, declaration))
            if saved >= _LEAST_SAVED_PER_SECOND:
                yield _finding(declaration, size, excess, saved)


def _writes_one(use: PatternUse, declaration: Declaration) -> bool:
    """Whether a call writes one item of an entity."""
    return len(use.requests) == 1 and any(
        isinstance(each, Put | Update) and each.entities == (declaration.entity,) for each in use.requests
    )


def _finding(declaration: Declaration, size: int, excess: int, saved: float) -> Finding:
    cost = on_demand_text(declaration.table, write=saved)
    names = sum(len(each.attribute.encode()) for each in declaration.fields.values())
    return Finding(
        just_over_a_unit.code,
        "info",
        entity_subject(declaration),
        f"its items have {size:,} bytes: with {excess:,} less, each write would take one unit less.",
        (
            f"{units_text(saved)} writes a second",
            f"the names of its attributes take {names:,} bytes",
            *([f"one unit less for each saves {cost}"] if cost else []),
        ),
        "shorten the names of attributes (Attribute), or what they hold.",
        certain=False,
    )
