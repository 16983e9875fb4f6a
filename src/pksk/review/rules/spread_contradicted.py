"""The rule about declared spreads that a trace contradicts."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.key_loads import PatternLoad
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.partitions import Share
from pksk.partitions.ceilings import Side
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.traced_keys import traced_keys
from pksk.review.source_lines import key_subject


@rule("spread-contradicted", "a trace (--traffic)")
def spread_contradicted(design: Design) -> Iterator[Finding]:
    """A declared spread that a trace contradicts: one key receives more calls than it allows.

    ## What it does

    Compares the busiest partition key of a trace with what the declared spreads allow. It reports a key only if no
    chance can explain the difference, and only if the spread of every access pattern that uses the key is known.

    ## Why is this bad?

    All figures about busiest keys follow from the declared spreads: the ceilings of this review, of `pksk cost` and of
    `pksk design`. If one key receives ten times what was declared, it reaches its ceiling at a tenth of the rate.

    ## Example

        tenant: Annotated[str, Spread(values=2_000)]

    where one tenant makes a third of the calls in the trace.

    ## Use instead

    Declare what was seen: `Spread(values=2_000, largest=0.33)`. If the trace is of tests, which often use one example
    for everything, record one of realistic traffic.
    """
    for declaration, key, side, share, traffic in traced_keys(design):
        loads = [each for each in design.loads_on(declaration.table, key.index) if each.side == side]
        if not loads or not _all_known(design, declaration, key, loads):
            continue
        highest = max(each.load.share.highest for each in loads)
        if share.lowest > highest:
            yield _finding(declaration, key, side, Share(0.0, highest), share, traffic)


def _all_known(design: Design, declaration: Declaration, key: EntityKey, loads: list[PatternLoad]) -> bool:
    """Whether every pattern on a table or index has a rate and a known spread."""
    source = (declaration.table.name, key.index)
    unclear = any(
        use.per_second is None
        and (not use.estimate.touched or any(each[:2] == source for each in use.estimate.touched))
        for use in design.uses
        if any(use.pattern is each for each in declaration.table.patterns)
    )
    return not unclear and all(each.is_known for each in loads)


def _finding(
    declaration: Declaration, key: EntityKey, side: Side, declared: Share, seen: Share, traffic: str
) -> Finding:
    middle = (seen.lowest + seen.highest) / 2
    return Finding(
        spread_contradicted.code,
        "warning",
        key_subject(declaration, key),
        f"one partition key receives {seen} of the {side}s in the trace, and the declared spreads allow {declared}.",
        (traffic,),
        f"declare what the trace has, such as Spread(largest={middle:.2g}); or record realistic traffic.",
        certain=False,
    )
