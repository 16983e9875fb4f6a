"""Items in every stored format change only as intended, and conditions, filters, updates and keys go by the formats."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, Field, StringConstraints
from typing_extensions import TypedDict

from pksk import (
    GSI,
    TTL,
    BoundsError,
    Clock,
    Created,
    CustomFormat,
    DesignError,
    Engine,
    Entity,
    F,
    InvalidValue,
    ItemUnreadable,
    Key,
    N,
    Put,
    Store,
    Stored,
    Table,
    Unique,
    Updated,
    Version,
    between,
    changes_of,
    connect,
    gt,
    gte,
    lt,
    lte,
    unchecked,
)
from tests.store.random_items import WIRES, names_except

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CENTS = CustomFormat(
    "N",
    store=lambda euros: int(euros * 100),
    read=lambda number: Decimal(number) / 100,
    name="cents",
    ordered=True,
)
EUROS = CustomFormat("S", store=str, read=Decimal, name="euros as text")

docks = Table(
    "docks",
    indexes=[GSI("by-start", pk="dock", sk=N("start")), GSI("by-end", pk="dock", sk="end")],
    ttl="expires",
)


class Leg(BaseModel):
    at: Annotated[datetime, Stored("epoch-seconds", reads=["iso-seconds", "iso-offset"])]
    note: str = ""


class Ship(Entity, table=docks):
    id: str
    name: str = ""
    dock: str = "d"
    start: Annotated[datetime, Stored("epoch-milliseconds")] = NOON
    end: Annotated[datetime, Stored("iso-seconds")] = NOON
    seen: AwareDatetime = NOON
    left: Annotated[datetime | None, Stored("epoch-seconds", reads=["iso-microseconds", "iso-offset"])] = None
    local: Annotated[datetime, Stored("iso-offset")] = NOON
    legs: list[Leg] = Field(default_factory=list)
    days: set[Annotated[datetime, Stored("iso-minutes")]] = Field(default_factory=set)
    hours: dict[str, Annotated[datetime, Stored("iso-milliseconds")]] = Field(default_factory=dict)
    price: Annotated[Decimal, Stored(CENTS, reads=[EUROS])] = Decimal(0)
    expires: Annotated[datetime | None, TTL(), Stored("epoch-seconds")] = None
    primary = Key("SHIP#{id}", "META")
    by_start = Key("{dock}", "{start}", index="by-start")
    by_end = Key("{dock}", "{end}", index="by-end")


class Boat(Ship, table=docks):
    count: Decimal = Decimal(0)
    times: list[Annotated[datetime, Stored("epoch-seconds")]] = Field(default_factory=list)


def text(layout: str) -> Callable[[int], dict[str, str]]:
    return lambda second: {"S": (NOON + timedelta(seconds=second)).strftime(layout)}


def number(factor: int) -> Callable[[int], dict[str, str]]:
    return lambda second: {"N": str((int(NOON.timestamp()) + second) * factor)}


def offset(second: int) -> dict[str, str]:
    return {"S": (NOON + timedelta(seconds=second)).astimezone(timezone(timedelta(hours=2))).isoformat()}


FORMATS = {
    "seconds": number(1), "milliseconds": number(1000), "iso": text("%Y-%m-%dT%H:%M:%SZ"), "offset": offset,
    "fine": text("%Y-%m-%dT%H:%M:%S.000250Z"), "micro": text("%Y-%m-%dT%H:%M:%S.000000Z"),
    "milli": text("%Y-%m-%dT%H:%M:%S.000Z"), "minute": text("%Y-%m-%dT%H:%MZ"),
}  # fmt: skip


def stored_in(*names: str) -> st.SearchStrategy[dict[str, str]]:
    return st.builds(
        lambda name, second: FORMATS[name](second), st.sampled_from(names), st.integers(-(10**7), 10**7)
    )


LEG = st.builds(
    lambda at, note, more: {"M": {"at": at, "note": {"S": note}} | more},
    stored_in("seconds", "iso", "offset"),
    st.text(max_size=3),
    st.dictionaries(names_except(("at", "note")), WIRES, max_size=1),
)
# For each field, what items of other programs hold.
FIELDS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "start": stored_in("milliseconds"),
    "end": stored_in("iso"),
    "seen": stored_in("micro", "fine"),
    "left": stored_in("seconds", "micro", "fine", "offset"),
    "local": stored_in("offset", "iso", "milli"),
    "legs": st.lists(LEG, max_size=3).map(lambda each: {"L": each}),
    "days": st.lists(stored_in("minute"), min_size=1, max_size=3).map(
        lambda each: {"SS": sorted({wire["S"] for wire in each})}
    ),
    "hours": st.dictionaries(st.text(min_size=1, max_size=3), stored_in("milli"), max_size=2).map(
        lambda each: {"M": each}
    ),
    "price": st.one_of(
        st.integers(-999, 999).map(lambda n: {"N": str(n)}),
        st.integers(0, 99).map(lambda n: {"S": f"{n}.50"}),
    ),
    "expires": st.integers(10**10, 10**10 + 99).map(lambda n: {"N": str(n)}),
}
ITEMS = st.builds(
    lambda fields, unknown: {**unknown, **fields},
    st.fixed_dictionaries(FIELDS),
    st.dictionaries(
        names_except(Ship.__pksk__.known_attributes | Ship.__pksk__.fields.keys()), WIRES, max_size=2
    ),
)
NEW = {
    "pk": {"S": "SHIP#1"}, "sk": {"S": "META"}, "type": {"S": "Ship"}, "id": {"S": "1"}, "name": {"S": "old"},
    "dock": {"S": "d"},
}  # fmt: skip
WAYS: dict[str, Callable[[Store, Ship], object]] = {
    "put": lambda db, ship: db.put(ship),
    "batch": lambda db, ship: db.batch_put(ship),
    "transaction": lambda db, ship: db.transaction(Put(ship)),
    "move": lambda db, ship: db.move(ship, id="2"),
}


def store() -> Store:
    db = connect(Engine.open())
    db.create_tables(docks)
    return db


def only_item(db: Store) -> dict[str, Any]:
    (item,) = db.client.call("Scan", {"TableName": "docks"})["Items"]
    return dict(item)


@pytest.mark.parametrize("way", sorted(WAYS))
@given(ITEMS)
def test_an_item_in_any_formats_changes_only_as_intended(way: str, given_item: dict[str, Any]) -> None:
    db = store()
    db.client.call("PutItem", {"TableName": "docks", "Item": {**NEW, **given_item}})
    before = only_item(db)

    ship = db.get(Ship.primary.get(id="1"))
    assert ship is not None
    if way != "move":
        ship = ship.model_copy(update={"name": "new"})
    WAYS[way](db, ship)

    changed = {"id": {"S": "2"}, "pk": {"S": "SHIP#2"}} if way == "move" else {"name": {"S": "new"}}
    assert only_item(db) == {**before, **changed}


@given(ITEMS, st.sampled_from(sorted(FIELDS)))
def test_a_changed_field_is_stored_in_its_own_format(given_item: dict[str, Any], name: str) -> None:
    if name == "legs":
        given_item = {**given_item, "legs": {"L": []}}
    values: dict[str, Any] = {
        "legs": [Leg(at=NOON)], "days": {NOON}, "hours": {"a": NOON}, "price": Decimal("0.07"),
        "expires": datetime(2300, 1, 1, tzinfo=UTC),
    }  # fmt: skip
    db = store()
    db.client.call("PutItem", {"TableName": "docks", "Item": {**NEW, **given_item}})
    before = only_item(db)

    ship = db.get(Ship.primary.get(id="1"))
    assert ship is not None
    changed = ship.model_copy(update={name: values.get(name, datetime(1999, 1, 1, tzinfo=UTC))})
    db.put(changed)

    own = Ship(id="1", **{name: getattr(changed, name)}).to_item()[name]
    assert only_item(db) == {**before, name: own}


@pytest.fixture
def db() -> Store:
    return store()


def ships(db: Store, count: int = 5) -> None:
    for second in range(count):
        at = NOON + timedelta(seconds=second)
        db.put(Ship(id=str(second), start=at, end=at, seen=at, left=at, local=at, price=Decimal(second)))


HALF = NOON + timedelta(seconds=2, microseconds=500)
RANGES: list[tuple[Any, Any, str]] = [
    (lt(HALF), lambda path: path < HALF, "012"), (lte(HALF), lambda path: path <= HALF, "012"),
    (gt(HALF), lambda path: path > HALF, "34"), (gte(HALF), lambda path: path >= HALF, "34"),
    (between(NOON, HALF), lambda path: path.between(NOON, HALF), "012"),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "condition", "expected"), RANGES, ids=range(len(RANGES)))
def test_ranges_go_by_time_in_keys_filters_and_conditions(
    db: Store, operator: Any, condition: Any, expected: str
) -> None:
    ships(db)

    for query in (Ship.by_start(dock="d", start=operator), Ship.by_end(dock="d", end=operator)):
        assert "".join(ship.id for ship in db.iter(query)) == expected
        assert query.plan.exact
    for name in ("start", "end", "seen", "left"):
        scan = Ship.scan().filter(condition(F[name]))
        assert "".join(sorted(ship.id for ship in db.iter(scan))) == expected
        for ship in "01234":
            held = (
                db.transaction(Ship.primary.check(id=ship).when(condition(F[name])))
                if ship in expected
                else None
            )
            assert held is None or len(held) == 1


expiring = Table(
    "sessions",
    ttl="ends",
    indexes=[GSI("by-end", pk="all", sk=N("ends")), GSI("by-text", pk="all", sk="text")],
)


class Session(Entity, table=expiring):
    id: int
    ends: Annotated[datetime, TTL()]
    primary = Key("SESSION#{id}", "META")
    by_end = Key("ALL", "{ends}", index="by-end")
    by_text = Key("ALL", "{ends}", index="by-text")


COMPARISONS: list[tuple[Callable[..., Any], Callable[[Any, Any], Any]]] = [
    (lt, operator.lt), (lte, operator.le), (gt, operator.gt), (gte, operator.ge),
]  # fmt: skip


@given(
    st.lists(st.integers(0, 3_000_000), max_size=5), st.integers(0, 3_000_000), st.sampled_from(COMPARISONS)
)
def test_an_expiry_is_rounded_and_what_it_is_compared_with_is_not(
    expiries: list[int], microseconds: int, comparison: tuple[Callable[..., Any], Callable[[Any, Any], Any]]
) -> None:
    ranged, compare = comparison
    db = connect("memory:", clock=Clock(NOON.timestamp() - 60))
    db.create_tables(expiring)
    stored = [
        db.put(Session(id=number, ends=NOON + timedelta(microseconds=each)))
        for number, each in enumerate(expiries)
    ]
    bound = NOON + timedelta(microseconds=microseconds)
    expected = {session.id for session in stored if compare(session.ends, bound)}

    for query in (
        Session.by_end(ends=ranged(bound)),
        Session.by_text(ends=ranged(bound)),
        Session.scan().filter(compare(F.ends, bound)),
    ):
        assert {session.id for session in db.iter(query)} == expected


@pytest.mark.parametrize(
    ("ends", "problem"),
    [((1, 2), "contains no value that can be stored"), ((2, 1), "ends before it begins")],
)
def test_a_range_over_a_key_attribute_between_two_stored_times_says_so(ends: Any, problem: str) -> None:
    low, high = (NOON + timedelta(microseconds=each) for each in ends)
    for query in (
        lambda: Ship.by_start(dock="d", start=between(low, high)),
        lambda: Session.by_end(ends=between(low, high)),
    ):
        with pytest.raises(BoundsError, match=problem):
            query()


def test_a_lease_is_taken_if_it_has_ended(db: Store) -> None:
    ships(db, 1)
    take = Ship.primary.update(id="0").set(left=NOON + timedelta(hours=1))

    db.update(take.when(F.left < NOON + timedelta(microseconds=1)))
    with pytest.raises(Exception, match="does not hold"):
        db.update(take.when(F.left < NOON + timedelta(minutes=59, seconds=59)))

    assert only_item(db)["left"] == {"N": str(int(NOON.timestamp()) + 3600)}


def test_text_with_an_offset_has_no_order(db: Store) -> None:
    ships(db, 1)
    east = NOON.astimezone(timezone(timedelta(hours=2)))

    with pytest.raises(DesignError) as caught:
        list(db.iter(Ship.scan().filter(F.local < NOON)))
    assert caught.value.code == "stored-unordered"
    assert len(list(db.iter(Ship.scan().filter(F.local == NOON)))) == 1
    db.update(Ship.primary.update(id="0").set(local=east))
    assert only_item(db)["local"] == {"S": "2026-01-01T14:00:00+02:00"}


def test_updates_write_the_format_of_each_path(db: Store) -> None:
    ships(db, 1)
    db.update(Ship.primary.update(id="0").set(legs=[Leg(at=NOON)], hours={"a": NOON}, price=Decimal("1.25")))
    db.update(Ship.primary.update(id="0").add(days={NOON}).append(legs=[Leg(at=NOON)]))
    db.update(Ship.primary.update(id="0").apply(F.legs[0].at.set(NOON + timedelta(seconds=1))))
    db.update(
        Ship.primary.update(id="0").apply(F.hours["b"].set(NOON), F.left.set(F.left.if_not_exists(NOON)))
    )
    ship = db.update(
        Ship.primary.update(id="0").set(name="x").when(F.legs[1].at <= NOON + timedelta(microseconds=5))
    )
    item = only_item(db)

    seconds = int(NOON.timestamp())
    assert [leg["M"]["at"] for leg in item["legs"]["L"]] == [{"N": str(seconds + 1)}, {"N": str(seconds)}]
    assert item["hours"] == {"M": {name: {"S": "2026-01-01T12:00:00.000Z"} for name in "ab"}}
    assert item["days"] == {"SS": ["2026-01-01T12:00Z"]}
    assert item["price"] == {"N": "125"}
    assert ship == db.get(Ship.primary.get(id="0"))
    with pytest.raises(InvalidValue, match="finer than its stored format"):
        db.update(Ship.primary.update(id="0").apply(F.legs[0].at.set(NOON + timedelta(microseconds=1))))
    with pytest.raises(InvalidValue):
        db.update(Ship.primary.update(id="0").apply(F.legs[0].at.set(F.end)))


@pytest.mark.parametrize(
    "action",
    [
        lambda update: update.add(price=1),
        lambda update: update.apply(F.count.set(F.price)),
        lambda update: update.apply(F.price.set(F.count + 1)),
        lambda update: update.apply(F.price.set(F.count.if_not_exists(Decimal(5)))),
        lambda update: update.apply(F.left.set(F.start)),
        lambda update: update.apply(F.expires.set(F.start)),
        lambda update: update.apply(F.expires.set(F.left)),
        lambda update: update.apply(F.end.set(F.seen)),
        lambda update: update.apply(F.hours["a"].set(F.seen)),
    ],
)
def test_an_update_neither_copies_a_value_into_another_format_nor_adds_to_a_custom_one(
    db: Store, action: Callable[[Any], Any]
) -> None:
    db.put(Boat(id="0", price=Decimal(3), left=NOON, expires=NOON + timedelta(days=9999)))
    before = only_item(db)

    with pytest.raises(InvalidValue, match="is stored as"):
        db.update(action(Boat.primary.update(id="0")))

    assert only_item(db) == before


def test_an_update_copies_a_value_of_the_same_format(db: Store) -> None:
    db.put(Boat(id="0", left=NOON, expires=NOON + timedelta(days=9999)))

    ship = db.update(Boat.primary.update(id="0").apply(F.left.set(F.expires)))

    assert ship.left == ship.expires == NOON + timedelta(days=9999)


@pytest.mark.parametrize(
    "condition",
    [
        F.left < F.start, F.start == F.expires, F.end == F.seen, F.count < F.price, F.legs[0].at > F.start,
        F.seen.is_in(F.end), F.start.between(F.left, F.expires), F.hours["a"] != F.seen,
    ],
)  # fmt: skip
def test_fields_in_different_formats_are_not_compared(db: Store, condition: Any) -> None:
    db.put(Boat(id="0", left=NOON))

    for run in (
        lambda: list(db.iter(Boat.scan().filter(condition))),
        lambda: db.update(Boat.primary.update(id="0").set(name="x").when(condition)),
    ):
        with pytest.raises(DesignError) as caught:
            run()
        assert caught.value.code == "stored-formats-differ"


def test_fields_in_the_same_format_are_compared(db: Store) -> None:
    db.put(Boat(id="0", left=NOON, expires=NOON + timedelta(days=9999), legs=[Leg(at=NOON)]))

    condition = (F.left < F.expires) & (F.legs[0].at == F.left)
    assert len(list(db.iter(Boat.scan().filter(condition)))) == 1


def test_contains_goes_by_the_format_of_members(db: Store) -> None:
    db.put(Boat(id="0", days={NOON}, times=[NOON]))
    for name, member, number in (("days", NOON, 1), ("times", NOON, 1), ("times", NOON + timedelta(1), 0)):
        assert len(list(db.iter(Boat.scan().filter(F[name].contains(member))))) == number
    raw = unchecked(int(NOON.timestamp()))
    assert len(list(db.iter(Boat.scan().filter(F.times.contains(raw) & (F.left != raw))))) == 1

    with pytest.raises(InvalidValue, match="finer than its stored format"):
        list(db.iter(Boat.scan().filter(F.days.contains(NOON + timedelta(seconds=1)))))


@pytest.mark.parametrize("operand", ["2026-01-02T12:00:00Z", 5])
@pytest.mark.parametrize("name", ["start", "end", "left", "local"])
def test_an_operand_that_is_not_a_time_raises_unless_it_is_unchecked(
    db: Store, name: str, operand: object
) -> None:
    db.put(Boat(id="0", left=NOON))

    with pytest.raises(InvalidValue, match=f"Boat.{name}: .* is compared with a field that is stored as"):
        list(db.iter(Boat.scan().filter(F[name] == operand)))

    assert len(list(db.iter(Boat.scan().filter(F[name] != unchecked(operand))))) == 1


class Sail(BaseModel):
    kind: Literal["sail"] = "sail"
    at: Annotated[datetime, Stored("epoch-seconds")]
    due: Annotated[datetime, Stored("epoch-seconds")]


class Motor(BaseModel):
    kind: Literal["motor"] = "motor"
    at: Annotated[datetime, Stored("epoch-seconds")]
    due: Annotated[datetime, Stored("iso-seconds")]


@dataclass
class Crew:
    since: Annotated[datetime, Stored("iso-minutes")]


class Rest(TypedDict):
    until: Annotated[datetime, Stored("epoch-seconds")]


class Trip(Entity, table=docks):
    id: str
    drive: Annotated[Sail | Motor, Field(discriminator="kind")]
    span: tuple[Annotated[datetime, Stored("epoch-seconds")], str]
    stops: tuple[Annotated[datetime, Stored("iso-seconds")], ...]
    crew: Crew
    rest: Rest
    port: Annotated[str, StringConstraints(to_upper=True, strip_whitespace=True)] = ""
    primary = Key("TRIP#{id}", "META")


@pytest.mark.parametrize("path", [F.drive.at, F.span[0], F.stops[1], F.crew.since, F.rest.until], ids=str)
def test_paths_into_unions_tuples_and_classes_have_the_format_of_their_member(db: Store, path: Any) -> None:
    db.put(
        Trip(id="1", drive=Sail(at=NOON, due=NOON), span=(NOON, ""), stops=(NOON, NOON), crew=Crew(NOON),
             rest={"until": NOON})
    )  # fmt: skip
    later = NOON + timedelta(hours=1)

    db.update(Trip.primary.update(id="1").apply(path.set(later)).when(path < later))

    assert len(list(db.iter(Trip.scan().filter(path == later)))) == 1
    with pytest.raises(InvalidValue, match="finer than its stored format"):
        db.update(Trip.primary.update(id="1").apply(path.set(NOON + timedelta(microseconds=1))))


def test_a_path_that_a_union_stores_in_several_formats_raises(db: Store) -> None:
    for run in (
        lambda: db.update(Trip.primary.update(id="1").apply(F.drive.due.set(NOON))),
        lambda: list(db.iter(Trip.scan().filter(F.drive.due == NOON))),
    ):
        with pytest.raises(DesignError) as caught:
            run()
        assert caught.value.code == "stored-formats-differ"


def test_a_part_of_a_text_is_looked_for_in_the_letter_case_of_its_field(db: Store) -> None:
    trip = Trip(
        id="1", drive=Sail(at=NOON, due=NOON), span=(NOON, ""), stops=(), crew=Crew(NOON), rest={"until": NOON},
        port="le havre",
    )  # fmt: skip
    db.put(trip)

    found = [len(list(db.iter(Trip.scan().filter(F.port.contains(part))))) for part in ("hav", " HA", " vr")]
    assert found == [1, 1, 0]


def test_a_value_in_a_format_that_is_not_read_is_unreadable(db: Store) -> None:
    ships(db, 2)
    item = Ship(id="1").to_item()
    for name, wire in {
        "seen": {"N": "1767268800"},
        "start": {"S": "2026-01-01T12:00:00Z"},
        "left": {"S": "x"},
    }.items():
        if name != "start":
            db.client.call("PutItem", {"TableName": "docks", "Item": {**item, name: wire}})
            with pytest.raises(ItemUnreadable, match="and the field holds") as caught:
                db.get(Ship.primary.get(id="1"))
            assert name in caught.value.fields
    unreadable: list[ItemUnreadable] = []
    assert [ship.id for ship in db.iter(Ship.scan(), unreadable=unreadable)] == ["0"]
    assert len(unreadable) == 1


class Stamped(Entity, table=Table("stamped", ttl="ends")):
    id: str
    mail: Annotated[datetime | None, Stored("epoch-seconds"), Unique()] = None
    created: Annotated[datetime | None, Created(), Stored("epoch-seconds")] = None
    updated: Annotated[datetime | None, Updated(), Stored("iso-milliseconds")] = None
    version: Annotated[int, Version()] = 0
    ends: Annotated[datetime | None, TTL(), Stored("epoch-seconds")] = None
    primary = Key("STAMPED#{id}", "META")


def test_times_of_the_store_are_cut_to_the_format_and_an_expiry_is_never_rounded() -> None:
    clock = Clock(NOON.timestamp() + 0.123456)
    db = connect("memory:", clock=clock)
    db.create_tables(Stamped.__pksk__.table)

    made = db.create(Stamped(id="1", mail=NOON, ends=NOON + timedelta(seconds=60)))
    item = db.client.call("Scan", {"TableName": "stamped"})["Items"]
    clock.advance(1)
    changed = db.update(Stamped.primary.update(id="1").set(mail=NOON + timedelta(seconds=1)))

    assert {"N": str(int(NOON.timestamp()))} in [each.get("created") for each in item]
    assert {"S": "2026-01-01T12:00:00.123Z"} in [each.get("updated") for each in item]
    assert (made.created, changed.created) == (NOON, NOON)
    assert changed.updated == NOON + timedelta(seconds=1, milliseconds=123)
    db.create(Stamped(id="2", mail=NOON))
    with pytest.raises(InvalidValue, match="finer"):
        db.create(Stamped(id="3", ends=HALF))
    clock.advance(60)
    assert db.get(Stamped.primary.get(id="1")) is None


def test_changes_are_read_in_every_format() -> None:
    item = {
        **NEW,
        **Ship(id="1", start=NOON, left=NOON).to_item(),
        "left": {"S": "2026-01-01T14:00:00+02:00"},
    }
    image = {"Keys": {name: item[name] for name in ("pk", "sk")}, "NewImage": item}
    record = {"eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": image}

    (change,) = changes_of([record], docks)

    assert change.new is not None
    assert change.new.left == change.new.start == NOON


def test_a_transaction_writes_back_what_several_items_held(db: Store) -> None:
    wires = [{"S": "2026-01-01T14:00:00+02:00"}, {"N": "1767268800"}]
    for number_, wire in enumerate(wires):
        db.client.call(
            "PutItem", {"TableName": "docks", "Item": {**Ship(id=str(number_)).to_item(), "left": wire}}
        )
    found = [db.get(Ship.primary.get(id=each)) for each in "01"]

    db.transaction(*(Put(ship.model_copy(update={"name": "n"})) for ship in found if ship))

    items = db.client.call("Scan", {"TableName": "docks"})["Items"]
    assert sorted(each["left"].popitem() for each in items) == sorted(wire.popitem() for wire in wires)
