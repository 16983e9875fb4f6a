"""The rule about access patterns that read a whole table or index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.dataclass import replace
from pksk.model.bill.month_rows import PatternUse
from pksk.model.cost.item_sizes import least_items
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.requests.costs import estimate
from pksk.model.requests.scan import Scan
from pksk.review.money import on_demand_text
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.loads import has_few_values, units_text
from pksk.review.rules.queries import equal_fields
from pksk.review.source_lines import pattern_subject

_PER_DAY = 1 / 86_400
# What a call may read without a remark, what all calls may read a second, and what is an error.
_FEW_UNITS = 4
_LITTLE = 1
_MUCH = 100


@rule("scan", "the rate of the scan (rate=)")
def scan(design: Design) -> Iterator[Result]:
    """An access pattern that scans: every call reads a whole table or index.

    ## What it does

    Finds access patterns that scan more often than once a day: a warning, and an error if they are called every second
    and read 100 units a second or more. Scans that cost no more than 4 read units a call, or less than one a second on
    average, are not reported: a small table, such as that of all settings, may well be read as a whole.

    ## Why is this bad?

    A scan reads and pays for every item, of all entities of the table, whatever it returns. It gets slower and more
    expensive with each item that is added.

    ## Example

        @access(rate=5)
        @classmethod
        def open_orders(cls) -> Scan["Order"]:
            return cls.scan().filter(F.status == "open")

    ## Use instead

    If the fields of the filter are a partition key, query it. If they are a part of one, the key is too fine for this
    access pattern: a time or an id in the partition key puts every item into a partition of its own. That does not make
    more physical partitions, as is sometimes said, but no query can list the items any more. Move it to the sort key.

        primary = Key("{user}", "{at}")  # and not Key("{user}#{at}")

    Otherwise add a key that answers the question, sparse if only few items are wanted:

        is_open = Key("OPEN#{customer}", "{day}", index="open-orders", when=F.status == "open")

    For exports and reports over everything, scan once a day at most, or export the table.
    """
    for use in design.uses:
        scans = [each for each in use.requests if isinstance(each, Scan)]
        if not scans:
            continue
        if use.rate is None:
            yield Missing(use.pattern.name, "its rate (rate=)")
        elif use.rate > _PER_DAY * 1.5 and not _is_small(use):
            yield _finding(use, scans[0])


def _is_small(use: PatternUse) -> bool:
    """Whether a call, or all calls together, are known to read little."""
    cost, total = use.estimate.cost, use.per_second
    return (cost is not None and cost.read <= _FEW_UNITS) or (total is not None and total.read < _LITTLE)


def _finding(use: PatternUse, request: Scan) -> Finding:
    assert use.rate is not None
    plan = request.plan
    what = f"{request.entity.__pksk__.table.name}{f'/{plan.index}' if plan.index else ''}"
    is_known = use.per_second is not None
    units = _least_units(use, request)
    is_much = units is not None and use.rate >= 1 and units * use.rate >= _MUCH
    return Finding(
        scan.code,
        "error" if is_much else "warning",
        pattern_subject(use.pattern),
        f"each call of {use.pattern.name} reads every item of {what}"
        f"{', to return those that its filter accepts' if request.condition is not None else ''}, {_times(use.rate)}.",
        tuple(_evidence(use, request)),
        _fix(request),
        # How many items there are is not declared: they may be few.
        certain=is_known or is_much,
    )


def _least_units(use: PatternUse, request: Scan) -> float | None:
    """What a call reads; if the number of items is declared for some entities only, what it reads of these."""
    if use.estimate.cost is not None:
        return use.estimate.cost.read
    table = request.entity.__pksk__.table
    items = least_items(table, table.index(request.plan.index))
    cost = estimate([request], replace(use.pattern.options, items=items)).cost if items else None
    return None if cost is None else cost.read


def _evidence(use: PatternUse, request: Scan) -> Iterator[str]:
    """What a call and a month cost, if it is known."""
    units = _least_units(use, request)
    if units is not None and use.rate is not None:
        least = "" if use.per_second is not None else "at least "
        yield f"{least}{units_text(units)} read units a call"
        month = on_demand_text(request.entity.__pksk__.table, read=units * use.rate)
        yield from [f"{least}{month}"] if month else []


def _times(rate: float) -> str:
    if rate >= 1:
        return f"{units_text(rate)} times a second" if rate > 1 else "every second"
    return f"{units_text(rate / _PER_DAY)} times a day"


def _fix(request: Scan) -> str:
    if request.condition is None:
        return "add a key whose partition key is known to the caller, or scan once a day at most and keep the result."
    return _better_key(request) or _new_key(request, list(condition_fields(request.condition)))


def _new_key(request: Scan, names: Sequence[str]) -> str:
    """A key with the fields of the filter; if these have few values, an index that holds only what is wanted."""
    fields = request.entity.__pksk__.fields
    if all(has_few_values(fields[name]) for name in names if name in fields):
        return "add a sparse key of an index, which only items that the filter accepts have (when=), and query that."
    return f"add a key that finds items by {' and '.join(names)}, and query that."


def _better_key(request: Scan) -> str:
    """How a key of the entity serves the filter, as it is or with fewer fields in its partition key."""
    equal = set(equal_fields(request.condition))
    for key in request.entity.__pksk__.keys.values():
        partition = key.partition_fields
        if partition and equal >= set(partition) and not key.partial_fields and not key.shard:
            return f"query {key.name}, which finds items by {' and '.join(partition)}."
    for key in request.entity.__pksk__.keys.values():
        named = [name for name in key.partition_fields if name in equal]
        others = [name for name in key.partition_fields if name not in equal]
        if named:
            return (
                f"the partition key of {key.name} is too fine for this: keep {' and '.join(named)} in it, and move "
                f"{' and '.join(others)} to the sort key."
            )
    return ""
