"""The rule about a partition key that receives more than it can serve."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.field_shares import value_count
from pksk.model.bill.key_loads import PatternLoad
from pksk.review.change import Change
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.changes import shard_key
from pksk.review.rules.loads import (
    ceiling_evidence,
    load_evidence,
    shard_field,
    shard_text,
    shards_for,
    units_text,
)
from pksk.review.source_lines import key_subject


@rule("busy-partition-key", "how calls spread over keys (spread=)")
def busy_partition_key(design: Design) -> Iterator[Result]:
    """One partition key that receives more than it can serve, as calls spread unevenly.

    ## What it does

    Compares the busiest key of every access pattern with what one key can serve, by the declared spread of its calls.
    If the busiest key certainly receives more, and no split can help, that is an error; if DynamoDB can split its
    partition, or if the spread allows both, a warning. Keys whose spread is not declared are listed as not reviewed.

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


def _is_of_another_rule(each: PatternLoad) -> bool:
    """Few values and current times have rules of their own."""
    fields = [each.declaration.fields[name] for name in each.key.partition_fields]
    few = all(value_count(field) is not None for field in fields)
    return few or (bool(each.shares) and all(share.is_current_time for share in each.shares))


def _check(each: PatternLoad) -> Iterator[Finding]:
    load = each.load
    if not load.exceeds:
        return
    yield Finding(
        busy_partition_key.code,
        "error" if load.ceiling.why_fixed and not each.is_assumed else "warning",
        key_subject(each.declaration, each.key),
        f"{each.pattern.name} makes its busiest key receive {units_text(load.lowest)} {each.side} units a second, "
        f"and it serves {load.ceiling.units:,}.",
        (
            load_evidence(each),
            *(f"{share.field or 'partition keys'}: {share.reason}" for share in each.shares),
            f"it is full at {units_text(each.calls_at_ceiling)} calls a second",
            *ceiling_evidence(each.declaration.table, load.ceiling),
        ),
        _fix(each),
        certain=not each.is_assumed,
        change=_change(each),
    )


def _fix(each: PatternLoad) -> str:
    if each.side == "read":
        return "keep the busiest items in a cache, or divide the key by another field."
    field = shard_field(each.declaration, each.key)
    return f"divide the key by another field, or shard it: {shard_text(shards_for(each.load), field)}."


def _change(each: PatternLoad) -> Change | None:
    if each.side == "read":
        return None
    field = shard_field(each.declaration, each.key)
    return shard_key(each.declaration, each.key, shards_for(each.load), field)
