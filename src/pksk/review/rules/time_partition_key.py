"""The rule about partition keys that are the current day, hour or month."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.model.bill.field_shares import FieldShare
from pksk.model.bill.key_loads import PatternLoad
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.partitions import KeyLoad
from pksk.review.rule import Design, Finding, Result, rule
from pksk.review.rules.changes import shard_key
from pksk.review.rules.loads import (
    ceiling_evidence,
    load_evidence,
    loads_of,
    missing_loads,
    shard_field,
    shard_text,
    shards_for,
    total_loads,
    units_text,
)
from pksk.review.source_lines import key_subject


@rule("time-partition-key", "the rates of writes (rate=)")
def time_partition_key(design: Design) -> Iterator[Result]:
    """A partition key made of the current time, which receives all writes.

    ## What it does

    Finds keys whose partition key is a day, an hour or another time, where new items have the current time. If all
    writes together are more than one key can serve, that is an error for times that pksk or a clock sets, and a
    warning for others, which need not be the current time: dates, and texts and numbers with a name such as `day` or
    `month`. Otherwise it says how far the writes can grow.

    ## Why is this bad?

    All writes of a day go to the key of that day, so the table is as fast as one partition, however many it has. The
    partitions of other days are idle. It is sometimes advised to provision more for the key of the current year, and
    less for those before. That is not possible: capacity belongs to a table or to an index, and not to one of its keys.

    ## Example

        class Event(Entity, table=events):
            day: date
            event_id: str
            primary = Key("{day}", "{event_id}")

    ## Use instead

    Use what the event belongs to as the partition key, and the time in the sort key:

        class Event(Entity, table=events):
            device: str
            at: AwareDatetime
            primary = Key("{device}", "{at}")

    For a report over everything, shard the day: `Key("{day}#{shard}", "{event_id}", shard=Shard(10, of="event_id"))`.
    A key with few writes, such as the month of a small business, is fine as it is.
    """
    for declaration, key in design.keys:
        if key.shard is not None:
            continue  # The rule about shards has its load.
        writes = [each for each in loads_of(design, declaration, key) if _is_current_time(each)]
        for load, parts in total_loads(writes, one_key=True):
            if load.lowest and (load.exceeds or not any(share.is_by_name for share in _shares(parts))):
                yield _finding(declaration, key, load, parts)
        if writes:
            yield from missing_loads(design, declaration, key)


def _is_current_time(each: PatternLoad) -> bool:
    """Whether new items of a pattern have a partition key that depends on nothing but the current time."""
    return each.side == "write" and bool(each.shares) and all(share.is_current_time for share in each.shares)


def _shares(parts: Sequence[PatternLoad]) -> Iterator[FieldShare]:
    for each in parts:
        yield from each.shares


def _finding(
    declaration: Declaration, key: EntityKey, load: KeyLoad, parts: Sequence[PatternLoad]
) -> Finding:
    fields, certain = " and ".join(key.partition_fields), not any(each.is_assumed for each in parts)
    receives = f"the key of the current {fields} receives all {units_text(load.lowest)} write units a second"
    reasons = dict.fromkeys(f"{share.field}: {share.reason}" for share in _shares(parts))
    ceiling = ceiling_evidence(declaration.table, load.ceiling)
    evidence = (*map(load_evidence, parts), *reasons, *ceiling)
    subject, code = key_subject(declaration, key), time_partition_key.code
    if not load.exceeds:
        problem = f"{receives}, and can serve {units_text(load.headroom)} times as many."
        capacity = "capacity belongs to the table or the index: it cannot be higher for the current key"
        return Finding(code, "info", subject, problem, (*evidence, capacity), certain=certain)
    return Finding(
        code,
        "error" if certain else "warning",
        subject,
        f"{receives}, and serves {load.ceiling.units:,}.",
        evidence,
        f"put {fields} into the sort key, under a partition key of what the items belong to; or shard it: "
        f"{shard_text(shards_for(load), shard_field(declaration, key))}.",
        certain=certain,
        change=shard_key(declaration, key, shards_for(load), shard_field(declaration, key)),
    )
