"""The rule about partition keys with few values, such as a status or a flag."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.cost.item_sizes import is_sparse
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.sequences import Counter
from pksk.model.storing.attributes import value_count
from pksk.partitions import KeyLoad
from pksk.review.change import Change
from pksk.review.rule import Design, Finding, Result, rule
from pksk.review.rules.changes import own_attribute, shard_key
from pksk.review.rules.loads import (
    ceiling_evidence,
    divide_text,
    has_few_values,
    is_one_item,
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

_FEW = 100


@rule("few-partition-keys")
def few_partition_keys(design: Design) -> Iterator[Result]:
    """A partition key with few values, such as a status, a flag or a category.

    ## What it does

    Finds partition keys whose fields are all of a type with few values: bool, Enum or Literal. If one value certainly
    receives more than a key can serve, that is an error; if it does unless calls spread evenly, a warning. Without a
    bound on the number of items (`items=`) there is a warning too, unless the index is sparse.

    A text or a number counts if its name says that it has few values, such as `status` or `country`, and if its spread
    is not declared. It is a warning if all values together receive more than one key serves, otherwise a remark.

    ## Why is this bad?

    The load is divided among that many keys at best, and values are rarely equally common: most orders are closed, or
    most users are in one country. A busy index slows its table as well: DynamoDB rejects writes to the table that the
    index cannot take.

    ## Example

        by_status = Key("{status}", "{day}", index="by-status")

    ## Use instead

    Put a field with many values beside it, so that each value has many keys:

        by_status = Key("{status}#{customer}", "{day}", index="by-status")

    Or spread each value over shards, which every query then reads together:

        by_status = Key("{status}#{shard}", "{day}", index="by-status", shard=Shard(4, of="order_id"))

    If only a rare value is ever queried, keep only its items in the index: `when=F.status == "open"`.
    """
    for declaration, key in design.keys:
        count = _count_keys(declaration, key)
        if count is not None and count <= _FEW and key.shard is None:
            yield from _check(design, declaration, key, count)
        elif count is None and key.shard is None and _has_few_by_name(declaration, key):
            yield from _check_named(design, declaration, key)


def _has_few_by_name(declaration: Declaration, key: EntityKey) -> bool:
    """Whether all fields of a partition key have few values, by their types or their names."""
    fields = [declaration.fields[name] for name in key.partition_fields]
    return bool(fields) and not issubclass(declaration.entity, Counter) and all(map(has_few_values, fields))


def _check_named(design: Design, declaration: Declaration, key: EntityKey) -> Iterator[Result]:
    """The finding about a key that has few values by its name; silent if a pattern declares how its calls spread."""
    loads = [each for each in loads_of(design, declaration, key) if each.unknown]
    fields = " and ".join(key.partition_fields)
    exceeded = [
        (load, parts) for load, parts in total_loads(loads, one_key=True) if load.units > load.ceiling.units
    ]
    for load, parts in exceeded:
        yield Finding(
            few_partition_keys.code,
            "warning",
            key_subject(declaration, key),
            f"there are probably few values of {fields}, which together receive {units_text(load.units)} "
            f"{load.ceiling.side} units a second, and one key serves {load.ceiling.units:,}.",
            tuple(map(load_evidence, parts)),
            f"{_beside(declaration, key)}; or if calls spread over many values, declare it: "
            "Annotated[str, Spread(values=...)].",
            certain=False,
        )
    if not exceeded and declaration.items is None and not is_sparse(declaration, key):
        yield Finding(
            few_partition_keys.code,
            "info",
            key_subject(declaration, key),
            f"there are probably few values of {fields}, and the design does not say how many items share them.",
            tuple(map(load_evidence, loads)),
            f"{_beside(declaration, key)}; or if there are few items, declare items= and the rates of the access "
            "patterns.",
            certain=False,
        )
    if not exceeded:
        yield from missing_loads(design, declaration, key)


def _count_keys(declaration: Declaration, key: EntityKey) -> int | None:
    """How many partition keys there can be; None if one of the fields can have many values."""
    total = 1
    for name in key.partition_fields:
        count = value_count(declaration.fields[name])
        if count is None:
            return None
        total *= count
    return total if key.partition_fields else None


def _check(design: Design, declaration: Declaration, key: EntityKey, count: int) -> Iterator[Result]:
    loads = loads_of(design, declaration, key)
    fields = " and ".join(key.partition_fields)
    gives = f"the type of {fields} gives the partition key {count} {'value' if count == 1 else 'values'}"
    subject = key_subject(declaration, key)
    busy = [each for each in total_loads(loads, one_key=count == 1) if each[0].may_exceed]
    for load, parts in busy:
        yield Finding(
            few_partition_keys.code,
            "error" if load.exceeds else "warning",
            subject,
            f"{gives}, and one of them receives {_received(load)} and serves {load.ceiling.units:,}.",
            (*map(load_evidence, parts), *ceiling_evidence(declaration.table, load.ceiling)),
            _fix(declaration, key, load, shard_field(declaration, key)),
            change=_change(declaration, key, load),
        )
    if not busy:
        if declaration.items is None and not is_sparse(declaration, key):
            yield Finding(
                few_partition_keys.code,
                "warning",
                subject,
                f"{gives}, and the design does not say how many items share them.",
                tuple(map(load_evidence, loads)),
                f"{_beside(declaration, key)}, or shard it if queries name nothing else; or if there are few, declare "
                "items= and the rates of the access patterns.",
            )
        yield from missing_loads(design, declaration, key)


def _received(load: KeyLoad) -> str:
    low, high = units_text(load.lowest), units_text(load.highest)
    return f"{low if low == high else f'{low} to {high}'} {load.ceiling.side} units a second"


def _beside(declaration: Declaration, key: EntityKey) -> str:
    own = own_attribute(declaration, key)
    return f"{own}put a field with many values beside {' and '.join(key.partition_fields)}"


def _change(declaration: Declaration, key: EntityKey, load: KeyLoad) -> Change | None:
    if load.ceiling.side == "read":
        return None
    return shard_key(declaration, key, shards_for(load), shard_field(declaration, key))


def _fix(declaration: Declaration, key: EntityKey, load: KeyLoad, field: str) -> str:
    if load.ceiling.side == "read":
        return f"{_beside(declaration, key)}, or keep what is read in a cache."
    if is_one_item(key):
        return divide_text(declaration, key, shards_for(load))
    return f"{_beside(declaration, key)}, or shard the key: {shard_text(shards_for(load), field)}."
