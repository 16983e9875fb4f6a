"""The rule about single items that all calls read or write, such as counters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.keys import ScalarKey
from pksk.keys.parts.numbers import IntPart
from pksk.model.bill.key_loads import PatternLoad
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.sequences import Counter
from pksk.partitions import KeyLoad
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.loads import load_evidence, loads_of, missing_loads, total_loads, units_text
from pksk.review.source_lines import Subject, key_subject, pattern_subject

# Peaks are above the declared average.
_NEAR = 0.7


@rule("busy-item", "the rates of calls (rate=), and for a sequence an access pattern that draws numbers")
def busy_item(design: Design) -> Iterator[Result]:
    """A single item, such as a counter or settings, that more calls read or write than one item serves.

    ## What it does

    Adds up the calls on entities that have one item: a `single_item`, or the counter of a sequence. Above 1,000 write
    or 3,000 read units a second it is an error, above 70% of that a warning. If calls draw numbers from a sequence, the
    rule also says how far that can grow, as a remark.

    ## Why is this bad?

    DynamoDB splits busy partitions, but never an item. Nothing raises the ceiling of a counter, and each of its writes
    costs as many units as the whole item has kilobytes, twice as many in a transaction.

    The numbers themselves are no problem. It is often said that sequential ids as partition keys end up in one
    partition: they do not, as DynamoDB hashes partition keys. Only sort keys that increase, and keys that begin with
    the current time, gather the writes.

    ## Example

        orders = sequence("orders", table=shop)

        @access(rate=2_000)
        def number() -> Update:
            return orders.take()

    ## Use instead

    Draw numbers in blocks (`orders.take(100)`), have a sequence for each of many parts
    (`sequence("orders::{customer}", ...)`), or use ids that need no counter, such as a ULID. Count events in shards,
    and add these up when reading. Keep settings in a cache for some seconds.
    """
    for declaration, key in design.keys:
        if key.index is not None:
            continue
        if not key.fields:
            yield from _check(design, declaration, key)
        elif issubclass(declaration.entity, Counter) and not loads_of(design, declaration, key):
            yield from _no_draws(design, declaration, key)


def _check(design: Design, declaration: Declaration, key: EntityKey) -> Iterator[Result]:
    loads = loads_of(design, declaration, key)
    totals = list(total_loads(loads, one_key=True))
    for load, parts in totals:
        if load.lowest > _NEAR * load.ceiling.units:
            yield _finding(declaration, key, load, parts)
    if not issubclass(declaration.entity, Counter):
        yield from missing_loads(design, declaration, key)
    elif not loads:
        yield from _no_draws(design, declaration, key)
    else:
        yield from _room_to_grow(design, declaration, key, totals)


def _no_draws(design: Design, declaration: Declaration, key: EntityKey) -> Iterator[Missing]:
    missing = missing_loads(design, declaration, key)
    figure = "how often numbers are drawn (an access pattern that returns take(), with its rate)"
    yield from missing or [Missing(declaration.name, figure)]


def _finding(
    declaration: Declaration, key: EntityKey, load: KeyLoad, parts: Sequence[PatternLoad]
) -> Finding:
    receives = f"it is one item, which receives {units_text(load.lowest)} {load.ceiling.side} units a second"
    return Finding(
        busy_item.code,
        "error" if load.exceeds else "warning",
        _subject(declaration, key, parts),
        f"{receives} and serves {load.ceiling.units:,}.",
        tuple(map(load_evidence, parts)),
        _fix(declaration, load),
    )


def _subject(declaration: Declaration, key: EntityKey, parts: Sequence[PatternLoad]) -> Subject:
    """The key; a sequence has no class statement, so its lines are those of the pattern with the most calls."""
    if not issubclass(declaration.entity, Counter):
        return key_subject(declaration, key)
    busiest = max(parts, key=lambda each: each.calls_per_second)
    return Subject(declaration.name, pattern_subject(busiest.pattern).lines)


def _fix(declaration: Declaration, load: KeyLoad) -> str:
    if load.ceiling.side == "read":
        return "keep it in a cache for some seconds, or store several copies under keys of their own."
    if issubclass(declaration.entity, Counter):
        return "draw numbers in blocks, divide the sequence by a field, or use ids that need no counter, such as ULIDs."
    return "divide it into several items and add these up when reading, or write it less often."


def _room_to_grow(
    design: Design,
    declaration: Declaration,
    key: EntityKey,
    totals: Sequence[tuple[KeyLoad, list[PatternLoad]]],
) -> Iterator[Finding]:
    """How far draws can grow, with a remark that keys made of their numbers are fine, if there are such keys."""
    numbered = [each.name for each in design.entities if _has_number_key(each)]
    for load, parts in totals:
        if load.ceiling.side == "write" and load.lowest <= _NEAR * load.ceiling.units and numbered:
            yield Finding(
                busy_item.code,
                "info",
                _subject(declaration, key, parts),
                f"the counter is one item, and can serve {units_text(load.headroom)} times as many draws; the numbers "
                f"are good partition keys, as these are hashed ({', '.join(numbered)}).",
                tuple(map(load_evidence, parts)),
            )


def _has_number_key(declaration: Declaration) -> bool:
    """Whether the partition key is a whole number, with or without a literal, and nothing else."""
    parts = declaration.primary.partition
    writers = [each.writer for each in parts]
    if len(writers) != 1 or len(parts[0].fields) != 1 or issubclass(declaration.entity, Counter):
        return False
    (writer,) = writers
    return (
        writer.attribute_type == "N"
        if isinstance(writer, ScalarKey)
        else isinstance(writer.parts[0], IntPart)
    )
