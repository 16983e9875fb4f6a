"""The rule about partition keys that are the same for all items."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.cost.item_sizes import is_sparse
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.partitions import KeyLoad
from pksk.review.change import Change
from pksk.review.rule import Design, Finding, Result, rule
from pksk.review.rules.changes import add_to_partition_key, queries_without, shard_key
from pksk.review.rules.loads import (
    ceiling_evidence,
    dividing_field,
    load_evidence,
    missing_loads,
    shard_field,
    shard_text,
    shards_for,
    total_loads,
    units_text,
)
from pksk.review.source_lines import key_subject

# How many shards to suggest where no rate is declared.
_FEW_SHARDS = 4


@rule("constant-partition-key")
def constant_partition_key(design: Design) -> Iterator[Result]:
    """A partition key without a field: all items share one key.

    ## What it does

    Finds keys whose partition key has no field, in a table or an index. If the declared rates are more than one key can
    serve, that is an error. Without a bound on the number of items (`items=`) it is a warning, unless the index is
    sparse. A `single_item` has one key on purpose.

    ## Why is this bad?

    One partition key begins in one partition, which serves 1,000 write and 3,000 read units a second, however much the
    table could. DynamoDB can split a busy collection after some minutes, but not one with a local index, and not one
    whose sort keys only increase.

    ## Example

        class User(Entity, table=shop):
            user_id: str
            primary = Key("USER", "{user_id}")

    ## Use instead

        class User(Entity, table=shop, items=1_000_000):
            user_id: str
            primary = Key("USER#{user_id}", "PROFILE")

    To list all items all the same, keep the constant key in an index, sharded if the writes need that:
    `Key("USERS#{shard}", "{user_id}", index="all", shard=Shard(4, of="user_id"))`. A small set that changes rarely,
    such as settings or categories, is fine under one key: declare `items=` and the rates.
    """
    for declaration, key in design.keys:
        if not key.partition_fields and key.shard is None and not key.source.single_item:
            yield from _check(design, declaration, key)


def _check(design: Design, declaration: Declaration, key: EntityKey) -> Iterator[Result]:
    loads = [
        each
        for each in design.loads_on(declaration.table, key.index)
        if not each.key.partition_fields and each.key.source.pk == key.source.pk
    ]
    totals = list(total_loads(loads, one_key=True))
    subject, value = key_subject(declaration, key), " and ".join(map(repr, key.source.pk))
    exceeded = [(load, parts) for load, parts in totals if load.may_exceed]
    for load, parts in exceeded:
        yield Finding(
            constant_partition_key.code,
            # Of a sparse index it is not known how many of the writes reach it.
            "error" if load.exceeds else "warning",
            subject,
            f"all items have the partition key {value}, which receives {'' if load.exceeds else 'up to '}"
            f"{units_text(load.highest)} "
            f"{load.ceiling.side} units a second and serves {load.ceiling.units:,}.",
            (*map(load_evidence, parts), *ceiling_evidence(declaration.table, load.ceiling)),
            _fix(design, declaration, key, load),
            change=_change(design, declaration, key, load),
        )
    if not exceeded:
        if declaration.items is None and not is_sparse(declaration, key):
            yield Finding(
                constant_partition_key.code,
                "warning",
                subject,
                f"all items have the partition key {value}, and the design does not say how many there are.",
                tuple(map(load_evidence, loads)),
                f"{_move_or_shard(design, declaration, key)}; or if there are few, declare items= and the rates of "
                "calls.",
                change=_change(design, declaration, key, None),
            )
        yield from missing_loads(design, declaration, key)


def _move_field(declaration: Declaration, key: EntityKey) -> str:
    field = dividing_field(declaration, key)
    return (
        f"put {{{field}}} into the partition key"
        if field
        else "put a field with many values into the partition key"
    )


def _move_or_shard(design: Design, declaration: Declaration, key: EntityKey) -> str:
    """A field in the partition key; if queries do not name it, shards instead, which they read together."""
    field = dividing_field(declaration, key)
    if field and not _is_listed(design, key, field):
        return _move_field(declaration, key)
    return f"its queries read all items, so shard the key: {shard_text(_FEW_SHARDS, shard_field(declaration, key))}"


def _is_listed(design: Design, key: EntityKey, field: str) -> bool:
    """Whether a query is known to read a key without a value for a field."""
    return not any(use.problem for use in design.uses) and queries_without(design, key, field)


def _change(design: Design, declaration: Declaration, key: EntityKey, load: KeyLoad | None) -> Change | None:
    """The field in the partition key if the key is of the table and all queries name it; otherwise shards."""
    field = dividing_field(declaration, key)
    if key.index is None and field and not queries_without(design, key, field):
        return add_to_partition_key(declaration, key, field)
    if load is None or load.ceiling.side == "read":
        return None
    return shard_key(declaration, key, shards_for(load), shard_field(declaration, key))


def _fix(design: Design, declaration: Declaration, key: EntityKey, load: KeyLoad) -> str:
    move, field = _move_field(declaration, key), dividing_field(declaration, key)
    shard = shard_text(shards_for(load), shard_field(declaration, key))
    is_listed = _is_listed(design, key, field)
    if load.ceiling.side == "read":
        return (
            f"its queries read all items, so keep the result in a cache, or shard the key: {shard}."
            if is_listed
            else f"{move}, or keep what is read in a cache."
        )
    if is_listed:
        return f"its queries read all items, so shard the key: {shard}."
    return f"{move}; to list all items, shard the key: {shard}."
