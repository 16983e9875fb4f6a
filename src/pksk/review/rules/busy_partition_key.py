"""The rule about a partition key that receives more than it can serve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.model.bill.key_loads import PatternLoad, total_loads
from pksk.model.storing.attributes import value_count
from pksk.partitions import KeyLoad
from pksk.review.change import Change
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.changes import shard_key
from pksk.review.rules.loads import (
    ceiling_evidence,
    divide_text,
    is_one_item,
    load_evidence,
    shard_field,
    shards_for,
    units_text,
)
from pksk.review.source_lines import key_subject

# Bounds that are further apart say nothing.
_FAR = 100


@rule("busy-partition-key", "how calls spread over keys (spread=)")
def busy_partition_key(design: Design) -> Iterator[Result]:
    """One partition key that receives more than it can serve, as calls spread unevenly.

    ## What it does

    Compares the busiest key of every access pattern with what one key can serve, by the declared spread of its calls.
    If the busiest key certainly receives more, and no split can help, that is an error; if DynamoDB can split its
    partition, a warning. If a key has several fields, their spreads allow more or less: where the busiest key may
    receive too much, and need not, that is a remark. If the spread is declared beside the fields, the calls of all
    access patterns on their busiest value are added up. Keys whose spread is not declared are listed as not reviewed.

    ## Why is this bad?

    Many values are not enough if a few of them receive most calls: a celebrity, the largest tenant, the country where
    everybody lives. DynamoDB serves 1,000 write and 3,000 read units a second of one key until it splits its
    partition, which takes minutes, and it cannot split a single item.

    ## Example

        class Post(Entity, table=feed):
            author: Annotated[str, Spread(values=1_000_000, zipf=1.2)]
            at: AwareDatetime
            primary = Key("AUTHOR#{author}", "{at}")

            @access(rate=20_000, items=20)
            @classmethod
            def newest(cls, author: str) -> Query["Post"]: ...

    ## Use instead

    Shard the busy keys, keep what they serve in a cache, or add a field that divides them:
    `Key("AUTHOR#{author}#{at:%Y-%m}", "{at}")`.
    """
    for each in design.loads:
        if not each.key.partition_fields or _is_of_another_rule(each):
            continue
        if each.is_known:
            yield from _check(each)
        elif each.load.may_exceed:
            fields = " and ".join(each.unknown)
            yield Missing(
                f"{each.declaration.name}.{each.key.name}", f"how calls spread over {fields} (spread=)"
            )
    yield from _together(design)


def _is_of_another_rule(each: PatternLoad) -> bool:
    """Few values and current times have rules of their own."""
    fields = [each.declaration.fields[name] for name in each.key.partition_fields]
    few = all(value_count(field) is not None for field in fields)
    return few or (bool(each.shares) and all(share.is_current_time for share in each.shares))


def _check(each: PatternLoad) -> Iterator[Finding]:
    load = each.load
    if not load.exceeds:
        if load.may_exceed and load.highest <= _FAR * load.lowest:
            yield _possible(each)
        return
    yield Finding(
        busy_partition_key.code,
        "error" if load.ceiling.why_fixed and not each.is_assumed else "warning",
        key_subject(each.declaration, each.key),
        f"the busiest key of {each.pattern.name} receives {units_text(load.lowest)} {each.side} units a second, "
        f"and serves {load.ceiling.units:,}.",
        (
            load_evidence(each),
            *(f"{share.field or 'partition keys'}: {share.reason}" for share in each.shares),
            f"it is full at {units_text(each.calls_at_ceiling)} calls a second",
            *ceiling_evidence(each.declaration.table, load.ceiling),
        ),
        _fix(each, load),
        certain=not each.is_assumed,
        change=_change(each, load),
    )


def _together(design: Design) -> Iterator[Finding]:
    """The findings about keys that are busy by several access patterns, of which each alone would be served.

    The spread of a field says which part belongs to its busiest value. This is one value for all access patterns, and
    for all entities whose items are in the same partition.
    """
    by_key: dict[object, list[PatternLoad]] = {}
    for each in design.loads:
        if each.shares and all(share.is_of_field for share in each.shares):
            spreads = tuple((share.field, share.share) for share in each.shares)
            by_key.setdefault((each.name, each.key.source.pk, spreads, each.side), []).append(each)
    for loads in by_key.values():
        load, parts = next(total_loads(loads, one_key=True))
        if load.exceeds and not any(each.load.exceeds for each in parts):
            yield _total(load, parts)


def _total(load: KeyLoad, parts: Sequence[PatternLoad]) -> Finding:
    first = parts[0]
    return Finding(
        busy_partition_key.code,
        "warning",
        key_subject(first.declaration, first.key),
        f"all access patterns together make the busiest key receive {units_text(load.lowest)} {first.side} units a "
        f"second, and it serves {load.ceiling.units:,}.",
        (
            *map(load_evidence, parts),
            *(f"{share.field}: {share.reason}" for share in first.shares),
            *ceiling_evidence(first.declaration.table, load.ceiling),
        ),
        _fix(first, load),
        certain=False,
        change=_change(first, load),
    )


def _possible(each: PatternLoad) -> Finding:
    """The remark about a key whose spread allows too much, and less."""
    load = each.load
    return Finding(
        busy_partition_key.code,
        "info",
        key_subject(each.declaration, each.key),
        f"the busiest key of {each.pattern.name} receives {units_text(load.lowest)} to {units_text(load.highest)} "
        f"{each.side} units a second, and serves {load.ceiling.units:,}.",
        (
            load_evidence(each),
            *(f"{share.field}: {share.reason}" for share in each.shares),
            *ceiling_evidence(each.declaration.table, load.ceiling),
        ),
        f"declare how the calls of {each.pattern.name} spread over whole keys: spread=Spread(...).",
        certain=False,
    )


def _fix(each: PatternLoad, load: KeyLoad) -> str:
    if each.side == "read":
        return "keep the busiest items in a cache, or divide the key by another field."
    return divide_text(each.declaration, each.key, _shards(each, load))


def _change(each: PatternLoad, load: KeyLoad) -> Change | None:
    if each.side == "read" or is_one_item(each.key):
        return None
    field = shard_field(each.declaration, each.key)
    return shard_key(each.declaration, each.key, _shards(each, load), field)


def _shards(each: PatternLoad, load: KeyLoad) -> int:
    """The shards that the load needs, of which the key may have some already."""
    return shards_for(load) * (each.key.shard.count if each.key.shard else 1)
