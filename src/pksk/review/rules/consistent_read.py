"""The rule about what strongly consistent reads cost."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.review.money import on_demand_text
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import pattern_subject

# About thirty dollars a month on demand; what costs less is not worth a thought.
_LEAST_UNITS_PER_SECOND = 100


@rule("consistent-read", "the rates of reads (rate=)")
def consistent_read(design: Design) -> Iterator[Finding]:
    """A frequent read that asks for strong consistency, which doubles its cost.

    ## What it does

    Reports access patterns whose requests read consistently, with 100 read units a second or more, and what they would
    save with eventual consistency.

    ## Why is this bad?

    It is not, where a read must see the write before it: a balance before a payment, an item that a redirect leads to.
    Elsewhere it costs twice as much, reads from one of three replicas instead of all, and so reaches the ceiling of a
    key at half the rate. Data is usually consistent within a second anyway.

    ## Example

        @access(rate=2_000)
        @classmethod
        def one(cls, product: str) -> Get["Product"]:
            return cls.primary.get(product=product).consistently()

    ## Use instead

    Leave `.consistently()` out. A write that depends on what was read is safe without it, with a condition or a
    `Version()` field.
    """
    for use in design.uses:
        units = use.per_second.read if use.per_second is not None else 0.0
        if units < _LEAST_UNITS_PER_SECOND or not use.requests:
            continue
        if all(getattr(each, "consistent", False) for each in use.requests):
            tables = {entity.__pksk__.table for each in use.requests for entity in each.entities}
            saved = on_demand_text(tables.pop(), read=units / 2) if len(tables) == 1 else ""
            yield Finding(
                consistent_read.code,
                "info",
                pattern_subject(use.pattern),
                f"its consistent reads take {units_text(units)} read units a second, and eventual ones "
                f"{units_text(units / 2)}.",
                (f"half of it is {saved}",) if saved else (),
                "leave .consistently() out, unless the caller must see the latest write.",
            )
