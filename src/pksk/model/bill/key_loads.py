"""The load that each access pattern puts on its busiest partition key, and how far that is from the ceiling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf, prod
from typing import TYPE_CHECKING, Any

from pksk.capacity import Charge, Cost
from pksk.dataclass import dataclass, replace
from pksk.model.access_options import AccessOptions
from pksk.model.bill.field_shares import (
    FieldShare,
    is_current_time,
    partition_shares,
    shard_choice,
    sort_key_rises,
)
from pksk.model.bill.month_rows import PatternUse
from pksk.model.cost.item_sizes import is_sparse
from pksk.model.cost.tally import Tally
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.requests.costs import COSTS
from pksk.model.requests.keyed_request import Move
from pksk.model.requests.members import RequestGroup
from pksk.model.requests.query import Query
from pksk.model.requests.request import Request
from pksk.model.requests.update import Update
from pksk.model.storing.attributes import value_count
from pksk.partitions import Ceiling, KeyLoad, Share, Spread
from pksk.partitions.ceilings import Side
from pksk.partitions.spread import combine

if TYPE_CHECKING:
    from pksk.model.patterns.pattern import Pattern

# A load that can grow so many times needs no attention.
MUCH_HEADROOM = 100
# An upper bound so many times the lower one says nothing.
_FAR = 1000
# Less than this is not worth its digits.
_LEAST = 0.001
# The kinds of request that create items.
_CREATING = frozenset({"put", "move"})


@dataclass(frozen=True)
class PatternLoad:
    """What one access pattern does to the busiest partition key of a table or an index."""

    pattern: Pattern
    declaration: Declaration
    key: EntityKey
    calls_per_second: float
    load: KeyLoad
    shares: tuple[FieldShare, ...]
    rising: FieldShare | None = None

    @property
    def name(self) -> str:
        """The table, or the table and its index."""
        table = self.declaration.table.name
        return f"{table}/{self.key.index}" if self.key.index else table

    @property
    def side(self) -> Side:
        """Whether it reads or writes."""
        return self.load.ceiling.side

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """The fields of the partition key whose spread is not declared."""
        return tuple(each.field for each in self.shares if not each.is_known)

    @property
    def is_known(self) -> bool:
        """Whether anything is known about the share of the busiest key."""
        return self.load.share.lowest > 0 or not self.unknown

    @property
    def is_open(self) -> bool:
        """Whether one key may receive everything, as the spread of a field is not declared."""
        return bool(self.unknown) and self.load.share.highest == 1

    @property
    def is_assumed(self) -> bool:
        """Whether the share rests on an assumption."""
        return any(each.assumed for each in self.shares)

    @property
    def calls_at_ceiling(self) -> float:
        """The calls per second at which the busiest key certainly reaches its ceiling; infinite if unknown."""
        return self.calls_per_second * self.load.headroom if self.load.headroom != inf else inf


def key_loads(uses: Iterable[PatternUse]) -> list[PatternLoad]:
    """The loads of all patterns whose rate and cost are known."""
    return [load for use in uses if use.per_second is not None for load in _pattern_loads(use)]


def _pattern_loads(use: PatternUse) -> Iterator[PatternLoad]:
    assert use.rate is not None
    for request in use.requests:
        options = use.pattern.options
        for member, times in _members(request, options):
            alone = replace(options, items=None) if isinstance(request, RequestGroup) else options
            tally = Tally(alone, share=max(1, len(use.requests)))
            is_transaction = request.kind == "transaction"
            COSTS[member.kind].estimate(member, tally, is_transaction)
            others = set(map(id, tally.other_items))
            own = [each for each in tally.charges if id(each) not in others]
            for charge in _by_partition_key(member, Cost(own) * (times * use.rate)):
                yield from _charge_loads(use, member, charge)


def _members(request: Request, options: AccessOptions) -> Iterator[tuple[Request, float]]:
    """The requests of a group, each with how many of its kind a call has."""
    if not isinstance(request, RequestGroup):
        yield request, 1.0
        return
    times = 1.0 if options.items is None else options.items / len(request.members)
    for member in request.members:
        yield member, times


def _by_partition_key(request: Request, cost: Cost) -> Iterator[Charge]:
    """The charges of a request; those of local indexes count for the table, whose partitions they share."""
    tables = {entity.__pksk__.table.name: entity.__pksk__.table for entity in request.entities}
    sums: dict[tuple[str, str | None], Charge] = {}
    for charge in cost.charges:
        table = tables.get(charge.table)
        if table is None:
            continue
        is_local = charge.index is not None and table.index(charge.index).kind == "lsi"
        index = None if is_local else charge.index
        before = sums.get((charge.table, index), Charge(charge.table, index))
        sums[charge.table, index] = Charge(
            charge.table, index, before.read + charge.read, before.write + charge.write
        )
    return iter(sums.values())


def _charge_loads(use: PatternUse, request: Request, charge: Charge) -> Iterator[PatternLoad]:
    """The load of one request on one table or index, for reads and for writes."""
    busiest = _key_of(request, charge)
    if busiest is None:
        return
    declaration, key, fan_out = busiest
    sides: tuple[tuple[Side, float], ...] = (("read", charge.read), ("write", charge.write))
    for side, units in sides:
        if units:
            assert use.rate is not None
            yield _load(use, request, declaration, key, side, units, fan_out)


def _key_of(request: Request, charge: Charge) -> tuple[Declaration, EntityKey, int] | None:
    """The entity and the key that a charge is for, and among how many partitions a call divides it."""
    if not request.names_partition:
        return None
    fan_out = 1
    if isinstance(request, Query):
        plan = request.plan
        plans = plan.branches or (plan,)
        fan_out = max(1, min(len(each.shared_requests) for each in plans))
    for entity in request.entities:
        declaration = entity.__pksk__
        if declaration.table.name == charge.table:
            for key in declaration.keys.values():
                if key.index == charge.index:
                    return declaration, key, fan_out
    return None


def _load(
    use: PatternUse,
    request: Request,
    declaration: Declaration,
    key: EntityKey,
    side: Side,
    units: float,
    fan_out: int,
) -> PatternLoad:
    assert use.rate is not None
    of_new_items = request.kind in _CREATING or _sets_current_time(request, declaration, key)
    shares = tuple(_shares(use, request, declaration, key, of_new_items=of_new_items))
    share = combine([each.share for each in shares])
    if declaration.items is not None and request.kind != "put":
        share = _at_least(share, 1 / max(1, declaration.items))
    if fan_out > 1:
        share = share * (1 / fan_out)
    elif key.shard:
        by_field = use.pattern.options.spread
        choice = shard_choice(
            declaration, key, by_field if isinstance(by_field, Mapping) else None, of_new_items=of_new_items
        )
        share = _of_shard(share, key.shard.count, choice)
    if side == "write":
        share = _of_entries(share, request, declaration, key)
    rising = sort_key_rises(declaration, key) if of_new_items else None
    ceiling = Ceiling(side, _why_fixed(declaration, key, side, rising))
    return PatternLoad(
        use.pattern, declaration, key, use.rate, KeyLoad(ceiling, units, share), shares, rising
    )


def _shares(
    use: PatternUse, request: Request, declaration: Declaration, key: EntityKey, *, of_new_items: bool
) -> Iterable[FieldShare]:
    """The share of each field; a spread of the whole pattern is that of the key which its calls name."""
    spread = use.pattern.options.spread
    if isinstance(spread, Spread):
        named = request.plan.index if isinstance(request, Query) else None
        if key.index == named:
            return [FieldShare("", spread.share, f"declared: {spread}")]
    by_field = spread if isinstance(spread, Mapping) else None
    return partition_shares(declaration, key, by_field, of_new_items=of_new_items)


def _of_shard(share: Share, count: int, choice: FieldShare | None) -> Share:
    """The share of the busiest shard: an equal part, or more if one value chooses it for many items.

    The busiest value of the field and the busiest key may be of different items, but not if either is that of all.
    """
    if choice is None:
        return share * (1 / count)
    in_common = share.lowest + choice.share.lowest - 1
    lowest = max(share.lowest / min(count, choice.share.values), in_common)
    highest = min(share.highest, share.highest / count + choice.share.highest)
    return Share(min(lowest, highest), highest, share.values)


def _changed_fields(request: Request) -> frozenset[str]:
    """The fields that an update or a move of one item changes, with those that the store sets."""
    if isinstance(request, Update):
        return request.stamped.image.changed
    return frozenset(request.changed) if isinstance(request, Move) else frozenset()


def _sets_current_time(request: Request, declaration: Declaration, key: EntityKey) -> bool:
    """Whether a change puts the item under the current time, as `Updated()` in a partition key does."""
    changed = _changed_fields(request) & set(key.partition_fields)
    return any(is_current_time(declaration, name) for name in changed)


def _of_entries(share: Share, request: Request, declaration: Declaration, key: EntityKey) -> Share:
    """The share of writes that the busiest key receives, by what a write does to an item or to its entry in an index.

    An entry whose partition key changes is removed under one key and added under another, so that no key receives
    more than half. An item that need not be in a sparse index may cause no write at all.
    """
    changed = _changed_fields(request) & set(key.partition_fields)
    if changed:
        # A part of a field, such as its month, may stay the same.
        highest = share.highest if changed & key.partial_fields else 0.5
        # All keys that there can be receive both together, so one of them receives its equal part at least.
        counts = [value_count(declaration.fields[name]) or inf for name in key.partition_fields]
        lowest = max(share.lowest / 2, 1 / prod(counts))
        share = Share(min(lowest, highest), highest, share.values)
    if is_sparse(declaration, key):
        share = Share(0.0, share.highest, share.values)
    return share


def _at_least(share: Share, lowest: float) -> Share:
    return Share(min(share.highest, max(share.lowest, lowest)), share.highest, min(share.values, 1 / lowest))


def _why_fixed(declaration: Declaration, key: EntityKey, side: Side, rising: FieldShare | None) -> str:
    """Why DynamoDB cannot split the items of one partition key; empty if it can."""
    table = declaration.table
    if key.index is None and not any(part.fields for part in key.sort):
        return "it is one item"
    if key.index is None and any(index.kind == "lsi" for index in table.indexes):
        return "a collection with a local index stays in one partition"
    if side == "write" and rising is not None and not rising.assumed:
        return f"{rising.field} makes each new sort key larger than all before"
    return ""


def load_text(each: PatternLoad) -> str:
    """The load in words: what one key receives, of how much it can serve, and when that runs out."""
    load = each.load
    units = f"{units_text(load.units)} {each.side} units a second on one key of {each.name}"
    text = f"{load.share} of {units}; it serves {load.ceiling}"
    if each.is_open:
        fields = " and ".join(each.unknown)
        text = f"up to {units}, as the spread of {fields} is not declared; it serves {load.ceiling}"
    return f"{text}; {headroom}" if (headroom := headroom_text(each)) else text


def headroom_text(each: PatternLoad) -> str:
    """How far the load can grow, and at which rate of calls that ends; empty if there is no load."""
    load = each.load
    if load.least_headroom == inf:
        return ""
    factors = _range_text(load.least_headroom, load.headroom, "times")
    calls = each.calls_per_second * load.least_headroom, each.calls_at_ceiling
    return f"headroom {factors}, full at {_range_text(*calls, 'calls a second')}"


def _range_text(low: float, high: float, unit: str) -> str:
    """Two bounds as text; if the upper one says nothing, the lower one and "or more"."""
    if high > _FAR * low:
        return f"{units_text(low)} {unit} or more"
    texts = dict.fromkeys((units_text(low), units_text(high)))
    return f"{' to '.join(texts)} {unit}"


def total_loads(
    loads: Sequence[PatternLoad], *, one_key: bool
) -> Iterator[tuple[KeyLoad, list[PatternLoad]]]:
    """The reads and the writes of several patterns together, each with its parts.

    If all of them go to `one_key`, its load is their sum. Otherwise the busiest keys of two patterns may differ.
    """
    sides: tuple[Side, ...] = ("write", "read")
    for side in sides:
        parts = [each for each in loads if each.side == side]
        units = sum(each.load.units for each in parts)
        if units:
            lows = [each.load.lowest for each in parts]
            highs = sum(each.load.highest for each in parts)
            lowest = sum(lows) if one_key else max(lows)
            fixed = next((text for each in parts if (text := each.load.ceiling.why_fixed)), "")
            yield KeyLoad(Ceiling(side, fixed), units, Share(lowest / units, highs / units)), parts


def cannot_be_served(loads: Iterable[PatternLoad]) -> Iterator[str]:
    """The patterns whose busiest key certainly receives more than any split lets it serve, alone or together."""
    by_constant: dict[object, list[PatternLoad]] = {}
    for each in loads:
        if each.load.exceeds and each.load.ceiling.why_fixed:
            yield f"{each.pattern.name}: {load_text(each)}"
        elif not each.key.partition_fields and not each.load.exceeds:
            by_constant.setdefault((each.name, each.key.source.pk), []).append(each)
    for parts in by_constant.values():
        for load, some in total_loads(parts, one_key=True):
            if load.exceeds and load.ceiling.why_fixed:
                names = " and ".join(dict.fromkeys(each.pattern.name for each in some))
                yield (
                    f"{names} together: {units_text(load.lowest)} {load.ceiling.side} units a second on one key of "
                    f"{some[0].name}; it serves {load.ceiling}"
                )


def units_text(units: float) -> str:
    """Units in three digits."""
    if 0 < units < _LEAST:
        return f"<{_LEAST}"
    return f"{units:,.0f}" if units >= 100 else f"{units:.3g}"


def load_data(each: PatternLoad) -> dict[str, Any]:
    """The load as JSON can hold it."""
    load = each.load
    return {
        "pattern": each.pattern.name,
        "table": each.declaration.table.name,
        "index": each.key.index,
        "entity": each.declaration.name,
        "side": each.side,
        "calls_per_second": each.calls_per_second,
        "units_per_second": load.units,
        "share": {"lowest": load.share.lowest, "highest": load.share.highest},
        "busiest_key": {"lowest": load.lowest, "highest": load.highest},
        "ceiling": load.ceiling.units,
        "why_fixed": load.ceiling.why_fixed or None,
        "headroom": None if load.headroom == inf else load.headroom,
        "unknown_spread": list(each.unknown),
    }
