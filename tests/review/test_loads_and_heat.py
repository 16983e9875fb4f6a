"""Random designs: what the review says of busiest keys, beside brute force and the heat of the same calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pksk import Engine, Put, Spread, Store
from pksk.review import Review, review
from tests.review.designs import design_module

# The values of three fields of an item; its number makes it differ from all others.
Values = tuple[str, str, bool]
FIELDS = ("tenant", "state", "paid")
_DESIGN = """
    shop = Table("shop", indexes=[GSI("other", pk="g1", sk="g2", projection="keys")])

    class Order(Entity, table=shop):
        number: int
        tenant: Annotated[str, {tenant!r}]
        state: Annotated[Literal["open", "sent", "late"], {state!r}]
        paid: Annotated[bool, {paid!r}]
        text: str = ""
        primary = Key("{primary}", "ITEM#{{number:06d}}")
        other = Key("{other}", "{{number:06d}}", index="other")

        @access(rate={rate}, item_size={size})
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order)

        @access(rate={rate}, item_size={size})
        @classmethod
        def one(cls, {parameters}number: int) -> Get["Order"]:
            return cls.primary.get({arguments}number=number)
    """
_TYPES = {"tenant": "str", "state": 'Literal["open", "sent", "late"]', "paid": "bool"}


_PARTS = {"tenant": "{tenant}", "state": "{state}", "paid": "{paid:yes/no}"}


def spread_of(field: str, items: Sequence[Values]) -> Spread:
    """The spread of a field, as an author would declare it who knows the calls."""
    counts = Counter(item[FIELDS.index(field)] for item in items)
    return Spread(values=len(counts), largest=max(counts.values()) / len(items))


def design_of(items: Sequence[Values], keys: Sequence[Sequence[str]], rate: int, size: int) -> Any:
    """The module of a design whose table and index have these fields in their partition keys."""
    primary, other = ("#".join(("KEY", *(_PARTS[field] for field in fields))) for fields in keys)
    return design_module(
        _DESIGN.format(
            **{field: spread_of(field, items) for field in FIELDS},
            primary=primary,
            other=other,
            rate=rate,
            size=size,
            parameters="".join(f"{field}: {_TYPES[field]}, " for field in keys[0]),
            arguments="".join(f"{field}={field}, " for field in keys[0]),
        )
    )


def share_by_hand(items: Sequence[Values], fields: Sequence[str]) -> float:
    """The share of the items that have the most common values of some fields."""
    counts = Counter(tuple(item[FIELDS.index(field)] for field in fields) for item in items)
    return max(counts.values()) / len(items)


items_of_calls = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["open", "sent", "late"]), st.booleans()),
    min_size=1,
    max_size=24,
)
some_fields = st.lists(st.sampled_from(FIELDS), unique=True, max_size=3)


def put_items(store: Store, module: Any, items: Sequence[Values], size: int) -> None:
    for number, values in enumerate(items):
        order = module.Order(number=number, **dict(zip(FIELDS, values, strict=True)))
        store.put(order.model_copy(update={"text": "x" * (size - Put(order).size)}))


def found_loads(result: Review, pattern: str) -> dict[tuple[str | None, str], Any]:
    return {
        (each.key.index, each.side): each.load
        for each in result.design.loads
        if each.pattern.name == f"Order.{pattern}"
    }


@given(items_of_calls, some_fields, some_fields, st.sampled_from([400, 2500]))
def test_the_busiest_keys_of_a_random_design_are_those_of_its_calls(
    items: list[Values], primary: list[str], other: list[str], size: int
) -> None:
    module = design_of(items, (primary, other), len(items), size)
    result = review(module.shop)
    engine = Engine.open()
    store = Store(engine)
    store.create_tables(module.shop)
    engine.heat(reset=True)

    put_items(store, module, items, size)
    table = engine.heat().tables["shop"]
    for index, part, fields in ((None, table, primary), ("other", table.indexes["other"], other)):
        load, by_hand = found_loads(result, "add")[index, "write"], share_by_hand(items, fields)
        assert part.writes.units == load.units
        assert abs(part.writes.top_share - by_hand) < 1e-9
        assert load.share.lowest - 1e-9 <= by_hand <= load.share.highest + 1e-9

    engine.heat(reset=True)
    for number, values in enumerate(items):
        store.run(
            module.Order.one(
                **{f: v for f, v in zip(FIELDS, values, strict=True) if f in primary}, number=number
            )
        )
    reads = engine.heat().tables["shop"].reads
    load = found_loads(result, "one")[None, "read"]
    assert reads.units == load.units
    assert load.lowest - 1e-9 <= reads.top_share * reads.units <= load.highest + 1e-9


KEY_RULES = {"constant-partition-key", "few-partition-keys", "busy-partition-key", "shard-count"}


@given(items_of_calls, some_fields, some_fields, st.integers(200, 20_000), st.sampled_from([400, 2500]))
def test_an_error_about_a_random_design_is_right_by_hand(
    items: list[Values], primary: list[str], other: list[str], rate: int, size: int
) -> None:
    """If the review says that a key certainly receives more than it serves, it does so in the calls behind it."""
    module = design_of(items, (primary, other), rate, size)
    shares = {"Order.primary": share_by_hand(items, primary), "Order.other": share_by_hand(items, other)}
    units = -(-size // 1024)
    writes = {"Order.primary": rate * units, "Order.other": rate}
    reads = {"Order.primary": rate * 0.5, "Order.other": 0.0}

    for each in review(module.shop).findings:
        name = each.subject.name
        if each.rule in KEY_RULES and each.severity == "error" and name in shares:
            assert writes[name] * shares[name] > 1000 - 1e-6 or reads[name] * shares[name] > 3000 - 1e-6


@given(items_of_calls, some_fields, st.integers(200, 20_000))
def test_a_random_key_without_a_finding_serves_its_calls_unless_more_may_be_wrong(
    items: list[Values], primary: list[str], rate: int
) -> None:
    """Of a key of one field both bounds are equal, so that nothing above the ceiling goes unnoticed."""
    fields = primary[:1]
    module = design_of(items, (fields, ("tenant", "state", "paid")), rate, 400)
    found = {each.rule for each in review(module.shop).findings if each.subject.name == "Order.primary"}

    if rate * share_by_hand(items, fields) > 1000 + 1e-6:
        assert found & KEY_RULES


_MOVES = """
    shop = Table("shop", indexes=[GSI("other", pk="g1", sk="g2")])

    class Order(Entity, table=shop):
        number: int
        tenant: str
        state: Literal["open", "sent", "late"]
        paid: bool
        primary = Key("ORDER#{{number}}", "ORDER")
        other = Key("{other}", "{{number:06d}}", index="other", shard={shard})

        @access(rate={rate}, item_size=400)
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order)

        @access(rate={rate}, item_size=400)
        @classmethod
        def move(cls, number: int, state: Literal["open", "sent", "late"]) -> Update["Order"]:
            return cls.primary.update(number=number).set(state=state)
    """
_STATES = ("open", "sent", "late")


@given(
    items_of_calls, st.sampled_from([("state",), ("state", "paid"), ("tenant", "state")]), st.integers(1, 2)
)
def test_the_busiest_keys_of_changes_that_move_entries_are_within_the_bounds(
    items: list[Values], fields: Sequence[str], step: int
) -> None:
    template = "#".join(("KEY", *(_PARTS[field] for field in fields)))
    module = design_module(_MOVES.format(other=template, shard=None, rate=len(items)))
    engine = Engine.open()
    store = Store(engine)
    store.create_tables(module.shop)
    for number, values in enumerate(items):
        store.put(module.Order(number=number, **dict(zip(FIELDS, values, strict=True))))

    engine.heat(reset=True)
    for number, (_, state, _) in enumerate(items):
        store.run(module.Order.move(number, _STATES[(_STATES.index(state) + step) % 3]))
    writes = engine.heat().tables["shop"].indexes["other"].writes
    load = found_loads(review(module.shop), "move")["other", "write"]

    assert writes.units == load.units
    assert load.share.lowest - 1e-9 <= writes.top_share <= load.share.highest + 1e-9


@given(items_of_calls, st.sampled_from(["tenant", "state", "paid", "number"]), st.integers(2, 6))
def test_the_busiest_shard_receives_what_the_review_says_at_least(
    items: list[Values], of: str, shards: int
) -> None:
    module = design_module(
        _MOVES.format(other="ALL#{shard}", shard=f"Shard({shards}, of={of!r})", rate=len(items))
    )
    engine = Engine.open()
    store = Store(engine)
    store.create_tables(module.shop)
    engine.heat(reset=True)

    for number, values in enumerate(items):
        store.put(module.Order(number=number, **dict(zip(FIELDS, values, strict=True))))
    writes = engine.heat().tables["shop"].indexes["other"].writes
    load = found_loads(review(module.shop), "add")["other", "write"]

    assert writes.units == load.units
    assert load.share.lowest - 1e-9 <= writes.top_share
    assert load.share.lowest >= 1 / shards
