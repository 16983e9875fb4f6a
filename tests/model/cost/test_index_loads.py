"""Loads of busiest keys, in the table and in its indexes, beside what the engine meters for the same calls."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from pksk import (
    GSI,
    LSI,
    Created,
    Engine,
    Entity,
    F,
    Key,
    Put,
    Query,
    Shard,
    Spread,
    Store,
    Table,
    Update,
    Updated,
    access,
)
from pksk.model.bill.key_loads import PatternLoad, cannot_be_served, key_loads, load_text
from pksk.model.bill.month_rows import pattern_uses

OWNERS, STATES = ("ann", "bob", "eve"), ("open", "paid", "sent")
# The units of all kinds of a call, and the busiest key of each table and index.
Metered = dict[tuple[str | None, str], tuple[float, float]]


def design(owners: Spread, rate: int, size: int) -> Any:
    """Orders in indexes with all kinds of keys and projections; a call of a pattern per second and order."""
    shop = Table(
        "shop",
        indexes=[
            GSI("by-state", pk="g1", sk="g2", projection="keys"),
            GSI("by-owner", pk="g3", sk="g4", projection=["note"]),
            GSI("unpaid", pk="g5", sk="g6"),
            GSI("all", pk="g7", sk="g8", projection="keys"),
            GSI("recent", pk="g9", sk="g10", projection="keys"),
            LSI("by-note", sk="l1", projection="keys"),
        ],
    )

    class Order(Entity, table=shop):
        number: int
        owner: Annotated[str, owners]
        state: Literal["open", "paid", "sent"]
        note: str = "note"
        text: str = ""
        made: Annotated[datetime, Created()] = datetime(2025, 1, 1, tzinfo=UTC)
        changed: Annotated[datetime, Updated()] = datetime(2025, 1, 1, tzinfo=UTC)
        primary = Key("ORDER#{number:06d}", "META")
        by_state = Key("{state}", "{number:06d}", index="by-state")
        by_owner = Key("{owner}", "{state}#{number:06d}", index="by-owner")
        unpaid = Key("{owner}", "{number:06d}", index="unpaid", when=F.state == "open")
        all = Key("ALL#{shard}", "{number:06d}", index="all", shard=Shard(4, of="number"))
        recent = Key("{changed:%Y}", "{changed}#{number:06d}", index="recent")
        by_note = Key("ORDER#{number:06d}", "{note}", index="by-note")

        @access(rate=rate, item_size=size)
        @classmethod
        def add(cls, order: Order) -> Put[Order]:
            return Put(order)

        @access(rate=rate, item_size=size)
        @classmethod
        def set_state(cls, number: int, state: Literal["open", "paid", "sent"]) -> Update[Order]:
            return cls.primary.update(number=number).set(state=state)

        @access(rate=rate, item_size=size)
        @classmethod
        def set_note(cls, number: int, note: str) -> Update[Order]:
            return cls.primary.update(number=number).set(note=note)

        @access(rate=rate, items=1, item_size=size)
        @classmethod
        def of_owner(cls, owner: str, number: int) -> Query[Order]:
            return cls.unpaid(owner=owner, number=number)

    return Order


def loads_of(order: Any, name: str) -> dict[tuple[str | None, str], PatternLoad]:
    uses = [each for each in pattern_uses([order.__pksk__.table]) if each.pattern.name == f"Order.{name}"]
    return {(each.key.index, each.side): each for each in key_loads(uses)}


def metered(engine: Engine) -> Metered:
    table = engine.heat().tables["shop"]
    return {
        (name, side): (traffic.units, max((each.units for each in traffic.keys), default=0.0))
        for name, part in ((None, table), *table.indexes.items())
        for side, traffic in (("read", part.reads), ("write", part.writes))
        if traffic.units
    }


def check(loads: dict[tuple[str | None, str], PatternLoad], found: Metered) -> None:
    """Every busiest key is within its bounds, and nothing is metered of which there is no load."""
    local = found.pop(("by-note", "write"), (0.0, 0.0))
    assert found.keys() <= loads.keys()
    for place, each in loads.items():
        units, busiest = found.get(place, (0.0, 0.0))
        if place == (None, "write"):
            # A local index is written in the partition of its table.
            units, busiest = units + local[0], busiest + local[1]
        assert units <= each.load.units + 1e-9, place
        # A few items need not be divided evenly among shards.
        highest = units if each.key.shard else each.load.highest
        assert each.load.lowest - 1e-9 <= busiest <= highest + 1e-9, f"{place}: {each.load}"


orders = st.lists(st.tuples(st.sampled_from(OWNERS), st.sampled_from(STATES)), min_size=1, max_size=12)


@settings(max_examples=20)
@given(orders, st.lists(st.sampled_from([1, 2]), min_size=12, max_size=12), st.sampled_from([0, 900, 3000]))
def test_the_busiest_key_that_the_engine_meters_is_within_the_bounds(
    made: list[tuple[str, str]], steps: list[int], text: int
) -> None:
    counts = Counter(owner for owner, _ in made)
    spread = Spread(values=len(counts), largest=max(counts.values()) / len(made))
    engine = Engine.open()
    store = Store(engine)
    order = design(spread, len(made), 400 + text)
    store.create_tables(order.__pksk__.table)
    engine.heat(reset=True)

    for number, (owner, state) in enumerate(made):
        store.put(order(number=number, owner=owner, state=state, text="x" * text))
    check(loads_of(order, "add"), metered(engine))

    engine.heat(reset=True)
    for number, step in zip(range(len(made)), steps, strict=False):
        now = STATES.index(made[number][1])
        store.run(order.set_state(number, STATES[(now + step) % 3]))
    check(loads_of(order, "set_state"), metered(engine))

    engine.heat(reset=True)
    for number in range(len(made)):
        store.run(order.set_note(number, "another"))
    check(loads_of(order, "set_note"), metered(engine))


def test_an_entry_counts_with_its_size_under_the_projection_of_its_index() -> None:
    loads = loads_of(design(Spread(values=3), 100, 3500), "add")
    units = {index: each.load.units for (index, _), each in loads.items()}

    # The entry of a local index is written beside the item.
    assert units == {None: 500, "by-state": 100, "by-owner": 100, "unpaid": 400, "all": 100, "recent": 100}


def test_of_an_entry_that_moves_one_key_receives_half_of_the_writes_at_most() -> None:
    loads = loads_of(design(Spread(values=3), 100, 400), "set_state")
    state, owner = loads["by-state", "write"].load, loads["by-owner", "write"].load

    assert (state.units, state.share.highest) == (200, 0.5)
    # The state is in the sort key: the entry stays under its owner.
    assert (owner.units, owner.share.lowest) == (200, 1 / 3)


def test_of_a_sparse_index_only_the_upper_bound_is_known() -> None:
    loads = loads_of(design(Spread(values=3), 100, 400), "add")

    assert loads["unpaid", "write"].load.share.lowest == 0
    assert loads["unpaid", "write"].load.share.highest == 1 / 3


def test_an_updated_time_in_a_partition_key_receives_every_update() -> None:
    load = loads_of(design(Spread(values=3), 100, 400), "set_note")["recent", "write"].load

    assert (load.units, load.lowest, load.highest) == (200, 100, 200)


def test_a_spread_of_a_pattern_is_that_of_the_key_which_its_calls_name() -> None:
    table = Table("jobs", indexes=[GSI("by-state", pk="g1", sk="g2")])

    class Job(Entity, table=table):
        id: str
        state: Literal["open", "done"]
        primary = Key("{id}", "META")
        by_state = Key("{state}", "{id}", index="by-state")

        @access(rate=100, item_size=400, spread=Spread(values=1_000_000))
        @classmethod
        def add(cls, job: Job) -> Put[Job]:
            return Put(job)

    loads = {each.key.index: each.load for each in key_loads(pattern_uses([table]))}

    assert loads[None].share.highest == 1e-6
    assert (loads["by-state"].share.lowest, loads["by-state"].share.highest) == (0.5, 1)


def test_patterns_that_together_exceed_a_ceiling_cannot_be_served() -> None:
    table = Table("events")

    class Event(Entity, table=table, items=10):
        at: Annotated[datetime, Created()]
        primary = Key("EVENTS", "{at}")

        @access(rate=600, item_size=400)
        @classmethod
        def add(cls, event: Event) -> Put[Event]:
            return Put(event)

        @access(rate=700, item_size=400)
        @classmethod
        def add_again(cls, event: Event) -> Put[Event]:
            return Put(event)

    loads = key_loads(pattern_uses([table]))

    assert list(cannot_be_served(loads[:1])) == []
    assert list(cannot_be_served(loads)) == [
        "Event.add and Event.add_again together: 1,300 write units a second on one key of events; it serves "
        "1,000 write units a second, which no split raises: at makes each new sort key larger than all before"
    ]
    assert load_text(loads[0]).endswith("headroom 1.67 times, full at 1,000 calls a second")
