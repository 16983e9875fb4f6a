"""Unknown attributes of an item are written back with its entity, and never dropped."""

from __future__ import annotations

import asyncio
import copy
import pickle
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    PydanticDeprecatedSince20,
    TypeAdapter,
    field_validator,
    model_validator,
)

from pksk import (
    GSI,
    TTL,
    Attribute,
    B,
    DesignError,
    Engine,
    Entity,
    InvalidValue,
    ItemUnreadable,
    Key,
    N,
    Put,
    Store,
    Table,
    Unique,
    Updated,
    Version,
    connect,
    transaction,
)

ledger = Table(
    "ledger", indexes=[GSI("by_owner", pk="gsi1pk", sk="gsi1sk"), GSI("others", pk="gsi2pk")], ttl="expires"
)


class Plain(Entity, table=ledger):
    id: str
    total: int = 0
    note: str | None = None
    owner: str | None = None
    primary = Key("PLAIN#{id}", "META")
    by_owner = Key("OWNER#{owner}", "PLAIN#{id}", index="by_owner")


class Checked(Entity, table=ledger):
    id: str
    total: int = 0
    tags: frozenset[str] = frozenset()
    primary = Key("CHECKED#{id}", "META")

    @field_validator("total")
    @classmethod
    def whole(cls, value: int) -> int:
        return value


class Managed(Entity, table=ledger):
    id: str
    total: int = 0
    email: Annotated[str | None, Unique()] = None
    version: Annotated[int, Version()] = 0
    changed_at: Annotated[datetime | None, Updated()] = None
    expires: Annotated[datetime | None, TTL()] = None
    primary = Key("MANAGED#{id}", "META")


class Open(Entity, table=ledger):
    model_config = ConfigDict(extra="allow")
    id: str
    total: int = 0
    primary = Key("OPEN#{id}", "META")


class Base(Entity, table=ledger):
    id: str
    total: int = 0
    primary = Key("BASE#{id}", "META")


class Special(Base, table=ledger):
    more: str = ""


KINDS: tuple[Any, ...] = (Plain, Checked, Managed, Open, Base, Special)
PREFIXES = {kind: "BASE" if kind is Special else kind.__name__.upper() for kind in KINDS}
UNKNOWN: dict[str, dict[str, Any]] = {
    "s": {"S": "text"},
    "n": {"N": "1.5"},
    "b": {"B": "eA=="},
    "bool": {"BOOL": False},
    "null": {"NULL": True},
    "l": {"L": [{"N": "1"}, {"M": {"b": {"B": "eA=="}}}]},
    "m": {"M": {"in": {"M": {}}, "bs": {"BS": ["eA==", "eQ=="]}}},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": ["eA=="]},
}


@pytest.fixture
def db() -> Store:
    store = connect(Engine.open())
    store.ensure_tables(ledger)
    return store


def add(db: Store, entity: Entity, attributes: dict[str, Any]) -> dict[str, Any]:
    """Store an entity with attributes that another program has added; returns the whole item."""
    item = {**type(entity).__pksk__.to_item(entity), **attributes}
    db.client.call("PutItem", {"TableName": ledger.name, "Item": item})
    return item


def item_of(db: Store, entity: Entity) -> dict[str, Any]:
    own = type(entity).__pksk__.to_item(entity)
    key = {name: own[name] for name in ("pk", "sk")}
    found: dict[str, Any] = db.client.call("GetItem", {"TableName": ledger.name, "Key": key})["Item"]
    return found


def read(db: Store, kind: Any) -> Any:
    return db.get(kind.primary.get(id="1"))


# What the store sets by itself.
STAMPS = {"version", "changed_at"}


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The attributes that differ, with their new values, without those that the store sets."""
    names = (before.keys() | after.keys()) - STAMPS
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


def put(db: Store, entity: Entity) -> None:
    db.put(entity)


def run_put(db: Store, entity: Entity) -> None:
    db.run(Put(entity))


def batch_put(db: Store, entity: Entity) -> None:
    db.batch_put(entity)


def transact(db: Store, entity: Entity) -> None:
    db.run(transaction(Put(entity)))


def delete_and_create(db: Store, entity: Entity) -> None:
    item = item_of(db, entity)
    db.client.call("DeleteItem", {"TableName": ledger.name, "Key": {n: item[n] for n in ("pk", "sk")}})
    db.create(entity)


WRITES = (put, run_put, batch_put, transact, delete_and_create)


NO_BATCH = {(Managed, batch_put), (Managed, delete_and_create)}
CASES = [(kind, write) for kind in KINDS for write in WRITES if (kind, write) not in NO_BATCH]


@pytest.mark.parametrize(("kind", "write"), CASES, ids=lambda each: each.__name__)
def test_a_changed_entity_is_written_with_the_attributes_it_does_not_know(
    db: Store, kind: type[Entity], write: Any
) -> None:
    before = add(db, kind(id="1", total=1), UNKNOWN)

    write(db, read(db, kind).model_copy(update={"total": 2}))

    assert changes(before, item_of(db, kind(id="1"))) == {"total": {"N": "2"}}


@pytest.mark.parametrize("count", range(1, 6))
@pytest.mark.parametrize("kind", [Plain, Checked], ids=lambda each: each.__name__)
def test_as_many_unknown_attributes_as_others_are_missing_are_carried(kind: Any, count: int) -> None:
    item = kind.__pksk__.to_item(kind(id="1"))
    more = {name: UNKNOWN[name] for name in sorted(UNKNOWN)[:count]}

    carried = kind.__pksk__.to_item(kind.from_item(item | more))
    without_total = kind.from_item({name: wire for name, wire in (item | more).items() if name != "total"})

    assert carried == kind.__pksk__.to_item(without_total) == item | more


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.__name__)
def test_a_move_takes_the_unknown_attributes_to_the_new_key(db: Store, kind: type[Entity]) -> None:
    before = add(db, kind(id="1", total=1), UNKNOWN)

    moved = db.move(read(db, kind), id="2")
    db.put(moved.model_copy(update={"total": 2}))

    different = changes(before, item_of(db, kind(id="2")))
    assert different == {"id": {"S": "2"}, "pk": {"S": f"{PREFIXES[kind]}#2"}, "total": {"N": "2"}}


@pytest.mark.parametrize("kind", [Plain, Checked, Managed], ids=lambda each: each.__name__)
def test_unknown_attributes_are_not_values_of_the_entity(db: Store, kind: type[Entity]) -> None:
    known = kind(id="1", total=1)
    add(db, known, UNKNOWN)

    entity = read(db, kind)

    assert entity == known
    assert (repr(entity), entity.model_dump()) == (repr(known), known.model_dump())
    assert entity.model_dump_json() == known.model_dump_json()
    assert entity.model_extra is None
    assert not entity.model_fields_set & UNKNOWN.keys()


def former_copy(each: Any) -> Any:
    with pytest.warns(PydanticDeprecatedSince20):
        return each.copy()


COPIES: dict[str, Any] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "model_copy": lambda each: each.model_copy(),
    "deep model_copy": lambda each: each.model_copy(deep=True),
    "former copy": former_copy,
    "pickle": lambda each: pickle.loads(pickle.dumps(each)),
}


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.__name__)
def test_copies_carry_the_unknown_attributes_and_are_equal(db: Store, kind: type[Entity], make: Any) -> None:
    before = add(db, kind(id="1", total=1), UNKNOWN)
    entity = read(db, kind)

    made = make(entity)

    assert made == entity
    assert changes(before, kind.__pksk__.to_item(made)) == {}


ROWS = Table("rows", discriminator=None)
T = TypeVar("T")


class Slotted(BaseModel):
    __slots__ = ("_seen",)
    id: str
    total: int = 0


class FrozenRow(Entity, table=ROWS):
    model_config = ConfigDict(frozen=True)
    id: str
    total: int = 0
    primary = Key("ROW#{id}", "META")


class AssignedRow(Entity, table=Table("rows", discriminator=None)):
    model_config = ConfigDict(validate_assignment=True, revalidate_instances="always")
    id: str
    total: int = 0
    primary = Key("ROW#{id}", "META")


class SlottedRow(Slotted, Entity, table=Table("rows", discriminator=None)):
    primary = Key("ROW#{id}", "META")


class RowWithSlots(Entity, Slotted, table=Table("rows", discriminator=None)):
    primary = Key("ROW#{id}", "META")


class Generalized(Entity, Generic[T]):
    id: str
    total: T
    primary = Key("ROW#{id}", "META")


class GenericRow(Generalized[int], table=Table("rows", discriminator=None)):
    pass


class ReplacedRow(Entity, table=Table("rows", discriminator=None)):
    id: str
    total: int = 0
    primary = Key("ROW#{id}", "META")

    @model_validator(mode="after")
    def replaced(self) -> ReplacedRow:
        return self.model_copy(update={"total": self.total})


MODELS = (FrozenRow, AssignedRow, SlottedRow, RowWithSlots, GenericRow, ReplacedRow)


@pytest.mark.parametrize("kind", MODELS, ids=lambda each: each.__name__)
def test_models_of_every_form_carry_unknown_attributes(kind: Any) -> None:
    row = kind.from_item({**ITEM, "total": {"N": "1"}})
    copies = [pickle.loads(pickle.dumps(row)), copy.deepcopy(row), row.model_copy(update={"total": 2})]

    if kind is AssignedRow:
        row.total = 2
        copies += [row, TypeAdapter(kind).validate_python(row)]

    assert [each.to_item()["legacy"] for each in copies] == [{"S": "x"}] * len(copies)
    assert row.model_fields_set == {"id", "total"}


def test_unknown_attributes_do_not_change_hash_and_equality_of_frozen_entities() -> None:
    row, known = FrozenRow.from_item(ITEM), FrozenRow(id="1")

    assert (hash(row), len({row, known}), repr(row.model_fields_set)) == (hash(known), 1, "{'id'}")


class Envelope(BaseModel):
    row: Base | Special
    rows: list[Special | Base]


def test_unknown_attributes_are_neither_in_schemas_nor_in_responses_of_an_api() -> None:
    item = {**Special.__pksk__.to_item(Special(id="1", more="m")), **UNKNOWN}
    special = Special.from_item(item)
    api = FastAPI()

    @api.get("/")
    def respond() -> Envelope:
        return Envelope(row=special, rows=[special])

    async def answered() -> Any:
        async with AsyncClient(transport=ASGITransport(api), base_url="http://api") as client:
            return (await client.get("/")).json()

    answer = asyncio.run(answered())

    own = {"id": "1", "total": 0, "more": "m"}
    assert answer == {"row": own, "rows": [own]}
    assert Special.model_json_schema()["properties"].keys() == own.keys()
    assert (dict(special), vars(special)) == (own, own)


def test_a_key_is_the_same_in_every_form_that_it_may_be_given_in() -> None:
    class Binary(Entity, table=Table("binary", pk=B("hash"), sk=N("number"), discriminator=None)):
        hash: bytes
        number: int
        primary = Key("{hash}", "{number}")

    item = {"hash": {"B": b"x"}, "number": {"N": "1.0"}, "legacy": {"S": "x"}}

    assert Binary.from_item(item).to_item()["legacy"] == {"S": "x"}


def test_attributes_of_siblings_removed_indexes_and_computed_fields_are_kept(db: Store) -> None:
    others = {"more": {"S": "of Special"}, "gsi2pk": {"S": "of an index"}, "expires": {"N": "4102444800"}}
    before = add(db, Base(id="1", total=1), others)

    db.put(read(db, Base).model_copy(update={"total": 2}))

    assert changes(before, item_of(db, Base(id="1"))) == {"total": {"N": "2"}}


@pytest.mark.parametrize("extra", ["ignore", "allow"])
def test_an_attribute_with_the_name_of_a_renamed_field_is_unknown(extra: Any) -> None:
    class Row(Entity, table=Table("rows", discriminator=None), extra=extra):
        id: str
        total: Annotated[int, Attribute("t")] = 0
        primary = Key("ROW#{id}", "META")

    row = Row.from_item({**ITEM, "t": {"N": "1"}, "total": {"N": "99"}})

    assert row.total == 1
    assert row.model_copy(update={"total": 2}).to_item() == {**ITEM, "t": {"N": "2"}, "total": {"N": "99"}}


def test_an_unchanged_field_that_a_validator_reads_as_none_is_written_back() -> None:
    class Row(Entity, table=Table("rows", discriminator=None)):
        id: str
        total: int = 0
        note: Annotated[str | None, BeforeValidator(lambda text: text or None)] = None
        primary = Key("ROW#{id}", "META")

    item = {name: wire for name, wire in ITEM.items() if name != "legacy"} | {"note": {"S": ""}}
    row = Row.from_item(item)

    assert row.model_copy(update={"total": 2}).to_item() == item | {"total": {"N": "2"}}
    assert row.model_copy(update={"note": "x"}).to_item()["note"] == {"S": "x"}


def test_a_transaction_that_stores_an_entity_under_another_key_and_deletes_the_old_one_carries_nothing(
    db: Store,
) -> None:
    add(db, Plain(id="1"), UNKNOWN)
    entity = read(db, Plain)
    put = Put(entity.model_copy(update={"id": "2"}))

    db.run(transaction(put, Plain.primary.delete(id="1")))

    assert not UNKNOWN.keys() & item_of(db, Plain(id="2")).keys()
    assert put.explain().notes == Put(Plain(id="2")).explain().notes


def test_a_put_adds_fields_with_their_defaults_index_keys_and_the_discriminator(db: Store) -> None:
    class Visit(Entity, table=Table("ledger", indexes=list(ledger.indexes))):
        id: str
        owner: str
        total: int = 0
        note: str | None = None
        tags: set[str] = Field(default_factory=set)
        primary = Key("VISIT|{id}", "META", codec="raw")
        by_owner = Key("OWNER|{owner}", "{id}", index="by_owner", codec="raw")

    item = {"pk": {"S": "VISIT|1"}, "sk": {"S": "META"}, "owner": {"S": "ann"}, "legacy": {"S": "x"}}
    db.client.call("PutItem", {"TableName": "ledger", "Item": item})

    db.put(read(db, Visit))

    (stored,) = db.client.call("Scan", {"TableName": "ledger"})["Items"]
    added = {"id": {"S": "1"}, "total": {"N": "0"}, "type": {"S": "Visit"}}
    assert stored == item | added | {"gsi1pk": {"S": "OWNER|ann"}, "gsi1sk": {"S": "1"}}


def test_two_copies_of_an_entity_in_one_batch_raise_and_store_nothing(db: Store) -> None:
    before = add(db, Plain(id="1"), UNKNOWN)
    entity = read(db, Plain)

    with pytest.raises(DesignError, match="PLAIN#1"):
        db.batch_put([entity, entity.model_copy(update={"total": 2})])

    assert changes(before, item_of(db, Plain(id="1"))) == {}


def test_a_new_entity_and_one_with_another_key_carry_nothing(db: Store) -> None:
    add(db, Plain(id="1"), UNKNOWN)

    other = db.put(read(db, Plain).model_copy(update={"id": "2"}))
    db.put(Plain(id="1"))

    assert not UNKNOWN.keys() & (item_of(db, other).keys() | item_of(db, Plain(id="1")).keys())


def test_keys_of_an_index_that_the_entity_has_left_are_not_unknown(db: Store) -> None:
    add(db, Plain(id="1", owner="ann"), {"legacy": {"S": "x"}})

    db.put(read(db, Plain).model_copy(update={"owner": None}))

    item = item_of(db, Plain(id="1"))
    assert "gsi1pk" not in item
    assert item["legacy"] == {"S": "x"}


def test_keys_of_an_index_that_the_entity_has_no_key_for_are_kept(db: Store) -> None:
    add(db, Plain(id="1"), {"gsi2pk": {"S": "theirs"}})

    db.put(read(db, Plain))

    assert item_of(db, Plain(id="1"))["gsi2pk"] == {"S": "theirs"}


def test_updates_and_queries_return_entities_that_carry_unknown_attributes(db: Store) -> None:
    before = add(db, Plain(id="1", owner="ann"), UNKNOWN)

    updated = db.update(Plain.primary.update(id="1").set(total=5))
    queried = db.first(Plain.by_owner(owner="ann"))
    assert queried is not None
    db.put(queried)
    db.put(updated)

    assert changes(before, item_of(db, Plain(id="1"))) == {"total": {"N": "5"}}


def test_a_put_with_markers_returns_an_entity_that_carries_unknown_attributes(db: Store) -> None:
    before = add(db, Managed(id="1", total=1), UNKNOWN)

    first = db.put(read(db, Managed).model_copy(update={"total": 2}))
    db.put(first.model_copy(update={"total": 3}))

    different = changes(before, item_of(db, Managed(id="1")))
    assert different == {"total": {"N": "3"}}


def declared(unknown: str | None, table: Table) -> type[Entity]:
    class Row(Entity, table=table, unknown=unknown):
        id: str
        primary = Key("ROW#{id}", "META")

    return Row


ITEM = {"pk": {"S": "ROW#1"}, "sk": {"S": "META"}, "id": {"S": "1"}, "legacy": {"S": "x"}}


def test_a_class_may_drop_unknown_attributes() -> None:
    row_class = declared("drop", Table("rows", discriminator=None))

    assert "legacy" not in row_class.from_item(ITEM).to_item()


def test_a_move_of_a_class_that_drops_unknown_attributes_leaves_them(db: Store) -> None:
    rows = Table("rows", discriminator=None)
    row_class: Any = declared("drop", rows)
    db.ensure_tables(rows)
    db.client.call("PutItem", {"TableName": "rows", "Item": ITEM})

    db.move(row_class.primary.get(id="1"), id="2")

    assert db.client.call("Scan", {"TableName": "rows"})["Items"][0].keys() == {"pk", "sk", "id"}


def test_a_class_may_reject_unknown_attributes(db: Store) -> None:
    rows = Table("rows", discriminator=None)
    row_class: Any = declared("error", rows)
    db.ensure_tables(rows)
    db.client.call("PutItem", {"TableName": "rows", "Item": ITEM})

    with pytest.raises(InvalidValue, match="does not know: 'legacy'"):
        row_class.from_item(ITEM)
    with pytest.raises(ItemUnreadable, match="legacy"):
        db.get(row_class.primary.get(id="1"))


def test_a_subclass_inherits_what_happens_to_unknown_attributes() -> None:
    class Careful(Entity, unknown="error"):
        id: str
        primary = Key("ROW#{id}", "META")

    class Row(Careful, table=Table("rows")):
        pass

    class Lenient(Careful, table=Table("rows"), unknown="keep"):
        pass

    with pytest.raises(InvalidValue, match="legacy"):
        Row.from_item(ITEM)
    assert Lenient.from_item(ITEM).to_item()["legacy"] == {"S": "x"}


@pytest.mark.parametrize(
    ("value", "near"),
    [("ignore", "drop"), ("Keep", "keep"), ("errors", "error"), ("", "drop"), (False, "drop"), ([], "drop")],
)
def test_another_value_of_the_option_is_rejected(value: Any, near: str) -> None:
    with pytest.raises(DesignError, match=r"class Row: unknown=.* is not") as raised:
        declared(value, Table("rows"))

    assert raised.value.fix == f'write unknown="{near}", for example.'


def test_a_misspelled_option_is_rejected() -> None:
    with pytest.raises(DesignError, match="there is no option 'unkown'") as raised:
        type("Row", (Entity,), {}, unkown="drop")

    assert raised.value.fix == "did you mean 'unknown'?"


def test_an_option_of_a_key_is_no_option_of_the_class() -> None:
    with pytest.raises(DesignError, match="there is no option 'identity'") as raised:
        type("Row", (Entity,), {}, identity=("id",))

    assert raised.value.fix == "it is an option of a key: Key(..., identity=...)."


def test_the_option_of_a_second_base_counts_where_the_first_has_none() -> None:
    class First(Entity):
        id: str

    class Second(Entity, unknown="error"):
        total: int = 0

    class Row(First, Second, table=Table("rows", discriminator=None)):
        primary = Key("ROW#{id}", "META")

    with pytest.raises(InvalidValue, match="legacy"):
        Row.from_item(ITEM)


def test_private_attributes_and_unknown_attributes_stay_apart() -> None:
    class Row(Entity, table=Table("rows", discriminator=None)):
        id: str
        _seen: int = PrivateAttr(default=0)
        primary = Key("ROW#{id}", "META")

    row = Row.from_item(ITEM)
    row._seen = 3

    made = pickle.loads(pickle.dumps(row.model_dump()))
    assert (row.model_copy()._seen, row.model_copy().to_item()["legacy"]) == (3, {"S": "x"})
    assert made == {"id": "1"}


def test_a_put_explains_what_happens_to_unknown_attributes(db: Store) -> None:
    add(db, Plain(id="1"), {"legacy": {"S": "x"}})

    new, kept = Put(Plain(id="1")).explain(), Put(read(db, Plain)).explain()

    assert new.notes == ("it replaces the whole item, also attributes that Plain does not know",)
    assert kept.notes == ("attributes that Plain does not know are written back: legacy",)
    assert transaction(Put(Plain(id="1"))).explain().notes == new.notes
    assert Put(Plain(id="1")).if_absent().explain().notes == ()


def test_bytes_of_boto3_are_carried_in_a_form_of_their_own() -> None:
    row_class = declared("keep", Table("rows", discriminator=None))
    content = {"L": [{"B": b"x"}]}

    row = row_class.from_item({**ITEM, "legacy": content})
    content["L"].append({"B": b"y"})

    assert row_class.__pksk__.to_item(row)["legacy"] == {"L": [{"B": "eA=="}]}
    assert row.to_item()["legacy"] == {"L": [{"B": b"x"}]}
