"""The compiled ways to write, read and plan return and reject the same as the general ways."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from random import Random
from types import FunctionType
from typing import Annotated, Any, Literal
from uuid import UUID

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    computed_field,
    field_validator,
    model_validator,
)

from pksk import (
    GSI,
    LSI,
    TTL,
    Attribute,
    Entity,
    F,
    Key,
    N,
    PkskError,
    Put,
    Shard,
    Table,
    begins,
    between,
    gt,
)
from pksk.model import BoundKey
from pksk.model.item_key import resolve_item_key, resolve_item_key_uncompiled
from pksk.model.planning.key_plan import cached_key_plan, plan_key
from pksk.model.requests.get import Get
from pksk.model.requests.query import Query
from pksk.model.writes.size_limits import surely_fits
from pksk.values import item_size, item_to_wire
from tests.model.field_types import EXACT, Kind, Level, Mixed
from tests.model.strict_equality import equal
from tests.model.test_fields_in_keys import Bed
from tests.model.test_items import INEXACT, entity_of, shown
from tests.model.test_random_designs import key_values, make_entity, make_table
from tests.model.test_random_designs import values as random_values
from tests.values import strategies

wide = Table(
    "wide",
    ttl="expires",
    indexes=[
        GSI("by-state", pk="g1", sk="g2"),
        GSI("by-mail", pk="mail"),
        GSI("by-level", pk="g3", sk=N("level")),
        LSI("by-day", sk="l1"),
    ],
)


class Inner(BaseModel):
    n: int = 0
    tags: set[str] = Field(default_factory=set)


class Wide(Entity, table=wide):
    """A field of every sort that the quick ways treat apart."""

    id: str
    number: int
    day: date
    level: Decimal
    kind: Kind = Kind.TENT
    mixed: Mixed = Mixed.ONE
    mail: str | None = None
    state: Literal["open", "shut"] | None = None
    total: Annotated[Decimal, Attribute("t"), Field(gt=-5)] = Decimal(0)
    maybe: Mixed | None = None
    flag: bool = False
    raw: bytes = b""
    at: AwareDatetime | None = None
    ratio: float = 0.5
    tags: set[str] = Field(default_factory=set)
    inner: Inner | None = None
    many: list[int | str] = Field(default_factory=list)
    nothing: str | None = "something"
    expires: Annotated[datetime | None, TTL()] = None
    rank: Level | None = Level.LOW

    primary = Key("W#{id}", "N#{number:06d}")
    by_state = Key("S#{state}", "{day}", index="by-state", when=F.flag == True)  # noqa: E712 - a condition
    by_level = Key("L#{first}", "{level}", index="by-level")
    by_day = Key("W#{id}", "{day}#{number:03d}", index="by-day")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def first(self) -> str | None:
        return self.id[:1] or None


class Checked(Entity, table=Table("checked", discriminator=None)):
    """A validator of the author's own, and a shard."""

    name: str
    count: Decimal = Decimal(1)
    note: str | None = None

    primary = Key("C#{shard}#{name}", "META", shard=Shard(3, of="name"))

    @field_validator("count", "name", mode="before")
    @classmethod
    def _seen(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value


class Open(Entity, table=Table("open")):
    """Values beside the fields."""

    model_config = ConfigDict(extra="allow")
    id: UUID
    size: Annotated[int, Attribute("größe")] = 0

    primary = Key("O#{id}", "META")


# Valid values and all sorts of others, for any field.
VALUES: list[Any] = [
    "", "a", " b ", "open", "é#", "\ud800", "x" * 1500, "x" * 3000, "2025-01-01", "12",
    0, -3, 7, 10**38, 10**38 + 1, -(10**40), 10**200, Decimal("1.50"), Decimal(12), Decimal("-0"), Decimal("NaN"),
    0.1, float("nan"), None, True, b"", b"\xff", [], [1, "a"], set(), {"a"}, {""}, {1}, {"n": 1}, {"": 1}, print,
    date(2025, 1, 2), datetime(2025, 1, 2, 3, 4, 5, 6), datetime(2025, 1, 2, tzinfo=UTC), UUID(int=7),
    *Kind, *Mixed, *Level, Inner(tags={"x"}),
]  # fmt: skip
ANYTHING = st.sampled_from(VALUES)
GOOD: dict[str, Any] = {
    "id": "7", "number": 1, "day": date(2025, 1, 2), "level": Decimal("1.5"), "kind": Kind.HUT, "mixed": Mixed.NONE,
    "mail": "a@b", "state": "open", "total": Decimal("9.50"), "maybe": Mixed.TWO, "flag": True, "raw": b"x",
    "at": datetime(2025, 1, 2, tzinfo=UTC), "ratio": 0.25, "tags": {"a"}, "inner": Inner(n=3), "many": [1, "a"],
    "nothing": None, "expires": datetime(2099, 1, 1, tzinfo=UTC), "rank": Level.HIGH,
}  # fmt: skip


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call, or the message of its error."""
    try:
        return call()
    except Exception as error:
        return type(error), shown(error)


def same_outcome(one: Any, other: Any) -> bool:
    if isinstance(one, Entity) and isinstance(other, Entity):
        exact = all(
            str(one.__dict__[name]) == str(other.__dict__[name])
            for name, value in one.__dict__.items()
            if isinstance(value, Decimal)
        )
        return exact and one.model_fields_set == other.model_fields_set and equal(one, other)
    return equal(one, other) and (not isinstance(one, dict) or list(one) == list(other))


def check_written(entity: Entity) -> None:
    declaration = type(entity).__pksk__

    quick = outcome(lambda: declaration.to_item(entity))
    careful = outcome(lambda: declaration.to_item_uncompiled(entity))
    assert same_outcome(quick, careful)


def check_read(kind: type[Entity], item: Any) -> None:
    declaration = kind.__pksk__

    quick = outcome(lambda: declaration.from_item(item))
    careful = outcome(lambda: declaration._items.read(item))
    assert same_outcome(quick, careful)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_compiled_and_generic_writers_agree_on_any_value_of_a_field(name: str) -> None:
    for value in VALUES:
        check_written(Wide.model_construct(**{**GOOD, name: value}))


@given(st.dictionaries(st.sampled_from(sorted(GOOD)), ANYTHING, max_size=4))
def test_compiled_and_generic_writers_agree_on_any_entity(other: dict[str, Any]) -> None:
    check_written(Wide.model_construct(**{**GOOD, **other}))


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_compiled_and_generic_writers_agree_on_shards_validators_and_extra_values(value: Any) -> None:
    check_written(Checked.model_construct(name=value))
    check_written(Checked.model_construct(name="a", count=value))
    check_written(Open.model_construct(id=value))
    for name in ("size", "more", "pk", "größe", ""):
        check_written(Open.model_construct(**{"id": UUID(int=7), name: value}))


@pytest.mark.parametrize("lacking", sorted(GOOD))
def test_compiled_and_generic_writers_agree_on_a_missing_value(lacking: str) -> None:
    entity = Wide(**GOOD)
    del entity.__dict__[lacking]

    check_written(entity)


def test_compiled_and_generic_writers_agree_on_a_subclass_without_a_table() -> None:
    class Wider(Wide):
        pass

    check_written(Wider(**GOOD))


CASES = [(kind, value) for kind, values in EXACT for value in values] + [case[:2] for case in INEXACT]


@pytest.mark.parametrize(
    ("kind", "value"), CASES, ids=[shown(f"{n} {kind}") for n, (kind, _) in enumerate(CASES)]
)
def test_compiled_and_generic_functions_agree_on_a_value_of_any_type(kind: Any, value: Any) -> None:
    made = entity_of(kind)
    entity = made.model_construct(id="1", field=made(id="1", field=value).__dict__["field"])

    check_written(entity)
    item = outcome(lambda: made.__pksk__.to_item(entity))
    if isinstance(item, dict):
        check_read(made, item)


# What an item may hold: values of DynamoDB's, well formed and not.
NUMBERS = [
    "0", "-0", "007", "12", "1.50", "1.5", "-1.5", ".5", "5.", "1E2", "1e-130", "9" * 38, "9" * 39, "\uff11", "-7",
    "1735783200", "99999999999", "99999999999999", "9007199254740993", "0.12345678901234567890123", "",
]  # fmt: skip
WIRES: list[Any] = [
    *({"N": text} for text in NUMBERS), *({"S": text} for text in NUMBERS), {"S": "open"}, {"S": "2025-01-01"},
    {}, None, "a", {"S": 1}, {"S": "a", "N": "1"}, {"X": "a"}, {"N": 1}, {"N": "x"}, {"BOOL": "true"}, {"BOOL": True},
    {"NULL": True}, {"NULL": False}, {"B": "é"}, {"B": "eA=="}, {"B": b"x"}, {"SS": []}, {"SS": ["a"]}, {"NS": ["1"]},
    {"S": "\ud800"}, {"M": {"": {"S": "a"}}}, {"M": {"n": {"N": "1"}}}, {"S": b"a"}, {"L": {}}, {"L": [{"S": "a"}]},
]  # fmt: skip
ANY_WIRE = st.one_of(
    st.sampled_from(WIRES), strategies.VALUES.map(lambda each: item_to_wire({"v": each})["v"])
)
STORED = Wide.__pksk__.to_item(Wide(**GOOD))


@pytest.mark.parametrize("name", sorted(STORED))
def test_compiled_and_generic_readers_agree_on_any_attribute(name: str) -> None:
    for wire in WIRES:
        check_read(Wide, {**STORED, name: wire})


@given(
    st.dictionaries(st.sampled_from(["ward", "owner", "number", "pk"]), ANY_WIRE),
    st.sets(st.sampled_from(["ward", "owner", "number", "pk", "sk"])),
)
def test_compiled_and_generic_readers_agree_on_fields_that_only_the_key_holds(
    other: dict[str, Any], lacking: set[str]
) -> None:
    item = {**Bed(ward="north", owner="eve", number=7).to_item(), **other}

    check_read(Bed, {name: wire for name, wire in item.items() if name not in lacking})


@given(
    st.dictionaries(st.sampled_from([*sorted(STORED), "unknown", ""]), ANY_WIRE, max_size=4),
    st.sets(st.sampled_from(sorted(STORED)), max_size=4),
)
def test_compiled_and_generic_readers_agree_on_any_item(other: dict[str, Any], lacking: set[str]) -> None:
    item = {name: wire for name, wire in {**STORED, **other}.items() if name not in lacking}

    check_read(Wide, item)
    check_read(Checked, {"name": other.get("id", {"S": "a"}), "count": other.get("t", {"N": "12"})})
    check_read(Open, {"id": {"S": str(UUID(int=1))}, **other})


class Watched(Entity, table=Table("watched")):
    """A validator of the whole model, which sees what is read."""

    id: str
    note: str | None = None
    total: Decimal = Decimal(0)
    tags: set[str] = Field(default_factory=set)
    seen: str = ""

    primary = Key("W#{id}", "META")

    @model_validator(mode="before")
    @classmethod
    def _see(cls, data: Any) -> Any:
        return {**data, "seen": ", ".join(f"{name} {value!r}" for name, value in data.items())}


@pytest.mark.parametrize("total", NUMBERS)
@pytest.mark.parametrize("lacking", [(), ("note",), ("tags",), ("tags", "total")])
def test_compiled_and_generic_readers_pass_the_same_values_to_model_validators(
    total: str, lacking: tuple[str, ...]
) -> None:
    item = {"id": {"S": "a"}, "total": {"N": total}, "tags": {"SS": ["x"]}, "note": {"NULL": True}}

    check_read(Watched, {name: wire for name, wire in item.items() if name not in lacking})


@pytest.mark.parametrize("kind", [Wide, Checked])
def test_usual_entities_have_compiled_functions(kind: type[Entity]) -> None:
    entity = Wide(**GOOD) if kind is Wide else Checked(name="a")
    item = kind.__pksk__.to_item(entity)
    write, read = alone(kind.__pksk__._write), alone(kind.__pksk__._items.from_item)

    assert write(entity) == item
    assert read(item) == kind.__pksk__.from_item(item)


def alone(function: Any) -> Any:
    """A compiled function that has no careful way to go to."""
    return FunctionType(function.__code__, {**function.__globals__, "uncompiled": pytest.fail})


@pytest.mark.parametrize("item", [None, [], "item", 5, {"id": None}])
def test_compiled_and_generic_readers_raise_alike_for_a_value_that_is_not_an_item(item: Any) -> None:
    check_read(Wide, item)


def test_an_overridden_model_validate_is_used() -> None:
    class Own(Entity, table=Table("own")):
        id: str
        primary = Key("O#{id}", "META")

        @classmethod
        def model_validate(cls, obj: Any, **options: Any) -> Any:
            return super().model_validate({**obj, "id": obj["id"].upper()}, **options)

    assert Own.from_item(Own(id="a").to_item()).id == "A"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_compiled_and_generic_functions_agree_on_random_designs(seed: int) -> None:
    rng = Random(seed)
    entity = make_entity(rng, make_table(rng), 0)
    for _ in range(3 if entity else 0):
        assert entity is not None
        made = entity(**random_values(rng))
        check_written(made)
        check_read(entity, outcome(partial(entity.__pksk__.to_item, made)))
        fields = entity.__pksk__.primary.fields
        check_placed(entity, {name: getattr(made, name) for name in fields})


def check_placed(entity: type[Entity], parts: dict[str, Any]) -> None:
    quick = outcome(lambda: resolve_item_key(entity, "primary", parts, "get"))
    careful = outcome(lambda: resolve_item_key_uncompiled(entity.__pksk__, "primary", parts, "get"))

    assert quick == careful
    assert repr(quick) == repr(careful)


PARTS = [*VALUES, gt(1), begins("a"), between(1, 2)]


class Placed(Entity, table=Table("placed", sk=N("n"))):
    model_config = ConfigDict(str_strip_whitespace=True)
    name: str
    n: int
    primary = Key("P#{name}", "{n}")


class Typed(Entity, table=Table("typed")):
    name: Annotated[str, Field(pattern="^[a-z]*$")]
    day: date
    id: UUID
    kind: Kind
    primary = Key("T#{name}#{kind}", "{day}#{id}")


PLACES: list[tuple[type[Entity], dict[str, Any]]] = [
    (Wide, {"id": "7", "number": 1}),
    (Checked, {"name": "a"}),
    (Placed, {"name": " a ", "n": 1}),
    (Typed, {"name": "a", "day": date(2025, 1, 2), "id": UUID(int=7), "kind": "tent"}),
]


@pytest.mark.parametrize(("entity", "good"), PLACES)
def test_compiled_and_generic_keys_agree_on_any_part(entity: type[Entity], good: dict[str, Any]) -> None:
    check_placed(entity, good)
    check_placed(entity, dict(reversed(good.items())))
    for name in (*good, "shard", "unknown"):
        check_placed(entity, {other: value for other, value in good.items() if other != name})
        for value in PARTS:
            check_placed(entity, {**good, name: value})


def test_a_get_is_a_value_however_it_was_built() -> None:
    get = Wide.primary.get(id="7", number=1)

    assert get == Get(Wide, "primary", get.parts)
    assert get.request == Get(Wide, "primary", get.parts).request
    assert get.consistently() == Get(Wide, "primary", get.parts, consistent=True)
    assert get.consistently().request == {**get.request, "ConsistentRead": True}
    get.request["Key"]["pk"].clear()
    assert get.request["Key"]["pk"] == {"S": "W#7"}
    assert copy.copy(get) == get == pickle.loads(pickle.dumps(get))


def planned_anew(query: Query[Any]) -> Any:
    """The plan without any cache."""
    declaration = query.key_queries[0].declaration
    caches: tuple[dict[Any, Any], ...] = (declaration.plans, declaration._results)
    copies = [dict(each) for each in caches]
    for each in caches:
        each.clear()
    try:
        return pickled(query).plan
    finally:
        for each, copied in zip(caches, copies, strict=True):
            each.update(copied)


def pickled(query: Query[Any]) -> Query[Any]:
    """The same query, without what was worked out from it."""
    made = object.__new__(Query)
    made.__dict__.update(
        query.__getstate__(), key_queries=tuple(copy.copy(each) for each in query.key_queries)
    )
    return made


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_a_cached_plan_equals_a_new_one(seed: int) -> None:
    rng = Random(seed)
    entity = make_entity(rng, make_table(rng), 0)
    rows = [entity(**random_values(rng)) for _ in range(5)] if entity else []
    for values in key_values(rng, rows) if rows else ():
        assert entity is not None
        for name, key in entity.__pksk__.keys.items():
            parts = {
                field: value for field, value in values.items() if field in key.fields and value is not None
            }
            for _ in range(2):
                check_plan(partial(BoundKey(entity, name), **parts), rng)


def check_plan(ask: Callable[[], Query[Any]], rng: Random) -> None:
    query = outcome(ask)
    if not isinstance(query, Query):
        assert issubclass(query[0], PkskError)
        return
    query = query.limit(rng.randint(1, 9)) if rng.random() < 0.3 else query
    query = query.pages(rng.randint(1, 9)) if rng.random() < 0.3 else query
    query = query.reverse() if rng.random() < 0.3 else query
    query = query.hydrate() if rng.random() < 0.7 else query
    quick, careful = outcome(lambda: query.plan), outcome(lambda: planned_anew(query))
    assert quick == careful
    if not isinstance(quick, tuple):
        assert quick.keys == careful.keys
        assert [list(each.items()) for each in quick.requests] == [
            list(each.items()) for each in careful.requests
        ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_compiled_and_generic_plans_of_a_key_agree(seed: int) -> None:
    rng = Random(seed)
    entity = make_entity(rng, make_table(rng), 0)
    rows = [entity(**random_values(rng)) for _ in range(5)] if entity else []
    for values in key_values(rng, rows) if rows else ():
        assert entity is not None
        for key in entity.__pksk__.keys.values():
            some = {
                name: rng.choice([value, 5, "\ud800"]) for name, value in values.items() if name in key.fields
            }
            for parts in ({name: values[name] for name in some}, some):
                careful = outcome(partial(plan_key, key, parts, "here"))
                quick = outcome(partial(cached_key_plan, key, parts))
                assert quick is None or quick == careful


@given(strategies.ITEMS)
def test_the_json_of_an_item_is_longer_than_its_billed_size(values: dict[str, Any]) -> None:
    item = item_to_wire(values)

    assert item_size(item) <= len(orjson.dumps(item))
    assert surely_fits(item)


@pytest.mark.parametrize("length", [400 * 1024 - 250, 400 * 1024])
def test_an_item_near_the_limit_is_measured(length: int) -> None:
    entity = Checked(name="a", note="é" * (length // 2))
    item = entity.__pksk__.to_item(entity)
    fits = item_size(item) <= 400 * 1024

    assert not surely_fits({**item, "more": {"S": "x" * 1000}})
    if fits:
        assert Put(entity).size == item_size(item)
    else:
        with pytest.raises(PkskError, match="Put: the item of Checked has"):
            Put(entity)
