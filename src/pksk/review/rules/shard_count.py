"""The rule about write shards that are too few or too many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.model.bill.field_shares import FieldShare, shard_choice
from pksk.model.bill.key_loads import PatternLoad
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, Shard, whole_fields
from pksk.partitions import KeyLoad
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.changes import shard_key
from pksk.review.rules.loads import (
    load_evidence,
    loads_of,
    shard_field,
    shard_text,
    shards_for,
    total_loads,
    units_text,
)
from pksk.review.source_lines import key_subject

# From so many times as many shards as the load needs.
_TOO_MANY = 10
_FEW = 4


@rule("shard-count", "the rates of writes (rate=)")
def shard_count(design: Design) -> Iterator[Finding]:
    """A sharded key with too few shards for its writes, or with many more than they need.

    ## What it does

    Compares the writes of the busiest value of a sharded key with what its shards serve. If one shard certainly
    receives more than 1,000 write units a second, that is an error, also if it does so because the field that chooses
    the shard is the same in many items, such as the day. A field of the partition key as the one that chooses the shard
    is a warning, as all items of a key have it. Ten times as many shards as needed are reported with what they
    cost to read.

    ## Why is this bad?

    Too few shards throttle as one hot key does. Each shard too many makes every query of the key one request longer,
    and each request costs at least half a read unit.

    ## Example

        by_day = Key("{day}#{shard}", "{event_id}", index="by-day", shard=Shard(2, of="event_id"))

    with 8,000 writes a second.

    ## Use instead

    Twice as many shards as the peak of the writes divided by 1,000: `Shard(16, of="event_id")`. New shards share
    partitions at first, so set warm throughput for a launch. Doubling later is easy: read both numbers of shards while
    items of the old one remain.
    """
    for declaration, key in design.keys:
        if key.shard is not None and key.shard.of in whole_fields(key.partition):
            yield _dividing_nothing(declaration, key, key.shard)
        elif key.shard is not None:
            loads = loads_of(design, declaration, key)
            totals = {
                load.ceiling.side: (load, parts)
                for load, parts in total_loads(loads, one_key=_one_key(loads))
            }
            if "write" in totals:
                yield from _check(declaration, key, key.shard, *totals["write"])


def _one_key(loads: Sequence[PatternLoad]) -> bool:
    """Whether all loads go to one value of the key, as it is constant or the current time."""
    return all(
        each.load.share.highest * (each.key.shard.count if each.key.shard else 1) >= 1 for each in loads
    )


def _check(
    declaration: Declaration, key: EntityKey, shard: Shard, load: KeyLoad, parts: Sequence[PatternLoad]
) -> Iterator[Finding]:
    choice = shard_choice(declaration, key, of_new_items=True)
    if choice is not None and choice.share.lowest * shard.count > 1:
        yield from _uneven(declaration, key, shard, choice, load, parts)
        return
    all_shards = KeyLoad(load.ceiling, load.units, load.share * shard.count)
    sufficient = shards_for(all_shards)
    evidence = (*map(load_evidence, parts), str(load.ceiling))
    if load.exceeds:
        yield Finding(
            shard_count.code,
            "error",
            key_subject(declaration, key),
            f"each of {shard.count} shards receives {units_text(load.lowest)} write units a second, "
            f"and serves {load.ceiling.units:,}.",
            evidence,
            f"use {sufficient} shards: shard=Shard({sufficient}{f', of={shard.of!r}' if shard.of else ''}).",
            change=shard_key(declaration, key, sufficient, shard.of or ""),
        )
    elif shard.count > _FEW and shard.count >= _TOO_MANY * sufficient and load.share.lowest:
        yield Finding(
            shard_count.code,
            "info",
            key_subject(declaration, key),
            f"{shard.count} shards serve {shard.count * load.ceiling.units:,} write units a second of one key, and it "
            f"receives {units_text(all_shards.highest)}.",
            (
                *evidence,
                f"a query of the key takes {shard.count} requests, and at least {shard.count / 2:g} read units",
            ),
            f"{sufficient} shards are enough with a margin.",
            change=shard_key(declaration, key, sufficient, shard.of or ""),
        )


def _dividing_nothing(declaration: Declaration, key: EntityKey, shard: Shard) -> Finding:
    """The finding about shards chosen by a field of the partition key."""
    field = shard_field(declaration, key)
    return Finding(
        shard_count.code,
        "warning",
        key_subject(declaration, key),
        f"the shards are chosen by {shard.of}, which the partition key holds, so all items of a key have one shard.",
        (),
        f"choose the shard by a field that differs from item to item: {shard_text(shard.count, field)}.",
        change=shard_key(declaration, key, shard.count, field) if field else None,
    )


def _uneven(
    declaration: Declaration,
    key: EntityKey,
    shard: Shard,
    choice: FieldShare,
    load: KeyLoad,
    parts: Sequence[PatternLoad],
) -> Iterator[Finding]:
    """The finding about shards chosen by a field that is the same in many items, so that one shard has these all."""
    if not load.exceeds:
        return
    field = shard_field(declaration, key)
    yield Finding(
        shard_count.code,
        "warning" if choice.assumed else "error",
        key_subject(declaration, key),
        f"the shards are chosen by {shard.of}, so one of {shard.count} receives {units_text(load.lowest)} write units "
        f"a second, and serves {load.ceiling.units:,}.",
        (*map(load_evidence, parts), f"{shard.of}: {choice.reason}", str(load.ceiling)),
        f"choose the shard by a field that differs from item to item: {shard_text(shard.count, field)}.",
        certain=not choice.assumed,
        change=shard_key(declaration, key, shard.count, field) if field else None,
    )
