"""The rule about a key that is hot in a trace, and not by the design."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.key_loads import units_text
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.partitions import KeyLoad
from pksk.review.rule import Design, Finding, Result, rule
from pksk.review.rules.loads import divide_text, missing_loads, shards_for
from pksk.review.rules.traced_keys import traced_keys
from pksk.review.source_lines import key_subject


@rule("hot-key", "a trace (--traffic)", "the rates of calls (rate=)")
def hot_key(design: Design) -> Iterator[Result]:
    """A partition key that receives more than it serves, by its share of a trace.

    ## What it does

    Takes the share of the busiest partition key from a trace, and the units per second from the declared rates. If
    their product is more than one key serves, that is a warning. Keys whose spread is declared are left to
    `busy-partition-key`, and rates are never taken from a trace: tests run as fast as they can.

    ## Why is this bad?

    DynamoDB serves 1,000 write and 3,000 read units a second of one key until it splits its partition, which takes
    minutes, and some keys cannot split. Until then it throttles the calls to that key.

    ## Example

    A trace in which a quarter of all writes go to one customer, of a design that declares 8,000 writes a second.

    ## Use instead

    Shard the key, divide it by another field, or keep what is read most in a cache. If the trace is of tests, record
    one of realistic traffic; or declare how calls spread: `customer: Annotated[str, Spread(values=10_000)]`.
    """
    for declaration, key, side, share, traffic in traced_keys(design):
        loads = [each for each in design.loads_on(declaration.table, key.index) if each.side == side]
        units = sum(each.load.units for each in loads)
        if not any(each.unknown for each in loads):
            yield from () if loads else missing_loads(design, declaration, key)
            continue
        own = [each for each in loads if each.key.source is key.source]
        load = KeyLoad((own or loads)[0].load.ceiling, units, share)
        if load.exceeds:
            yield _finding(declaration, key, load, traffic)


def _finding(declaration: Declaration, key: EntityKey, load: KeyLoad, traffic: str) -> Finding:
    side = load.ceiling.side
    fix = "keep the busiest items in a cache, or divide the key by another field."
    if side == "write":
        fix = divide_text(declaration, key, shards_for(load))
    return Finding(
        hot_key.code,
        "warning",
        key_subject(declaration, key),
        f"one key receives {load.share} of the {side}s in the trace. Of the declared rates that is at least "
        f"{units_text(load.lowest)} {side} units a second, and it serves {load.ceiling.units:,}.",
        (traffic, f"the access patterns declare {units_text(load.units)} units a second", str(load.ceiling)),
        fix,
        certain=False,
    )
