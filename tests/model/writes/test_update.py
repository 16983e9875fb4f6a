"""What an update's request says, change by change."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, computed_field

from pksk import GSI, Entity, F, Key, PkskError, Shard, Table, gt
from pksk.expressions import describe, parse_condition, parse_update
from pksk.model.requests.update import Update
from tests.model.writes.running import holds, problems, updated
from tests.model.writes.shop import KEY, Address, Order, order

THE = Order.primary.update(id="7")


def words(update: Update[Any]) -> str:
    """The update expression of a request, for people."""
    request = update.request
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    return describe(parse_update(request["UpdateExpression"], names, values))


def condition(update: Update[Any]) -> str:
    request = update.request
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    return describe(parse_condition(request["ConditionExpression"], names, values))


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        (THE.set(total=5), "SET t = 5"),
        (THE.set(total="5"), "SET t = 5"),
        (THE.set(kind="PLAIN", day=date(2025, 1, 2), status=None),
         "SET kind = 'plain', day = '2025-01-02', d1 = '2025#0', d2 = '7' REMOVE status, g1, g2"),
        (THE.set(kind="other"), "SET kind = 'other' REMOVE d1, d2"),
        (THE.set(status="paid", day="2025-01-02"), None),
        (THE.set(tags={"b"}, log=["a"]), "SET tags = {'b'}, log = ['a']"),
        (THE.set(tags=set()), "REMOVE tags"),
        (THE.set(until=datetime(1970, 1, 1, 0, 1, tzinfo=UTC)), "SET until = 60"),
        (THE.add(total=5), "ADD t 5"),
        (THE.add(total=-5), "ADD t -5"),
        (THE.add(price=Decimal("0.5")), "SET price = if_not_exists(price, 1) + Decimal('0.5')"),
        (THE.add(tags={"x"}), "ADD tags {'x'}"),
        (THE.add(tags=set(), total=1), "ADD t 1"),
        (THE.discard(tags={"x"}), "DELETE tags {'x'}"),
        (THE.append(log=["a", "b"]), "SET log = list_append(if_not_exists(log, []), ['a', 'b'])"),
        (THE.remove("status"), "REMOVE status, g1, g2"),
        (THE.remove("total"), "SET t = 0"),
        (THE.remove("tags", "log"), "REMOVE tags SET log = []"),
        (THE.apply(F.address.city.set("x"), F.address.zip.remove()),
         "SET address.city = 'x' REMOVE address.zip"),
        (THE.apply(F.total.set("5"), F.tags.add({"x"})), "SET t = 5 ADD tags {'x'}"),
        (THE.apply(F.total.set(F.total - 1)), "SET t = t - 1"),
    ],
)  # fmt: skip
def test_a_change_is_an_update_expression(update: Update[Order], expected: str | None) -> None:
    if expected is None:
        assert update.fields_to_read == ("kind",)
        return

    assert words(update) == expected
    assert condition(update) == "attribute_exists(pk)"
    assert update.request["TableName"] == "shop"
    assert update.request["Key"] == KEY
    assert problems("UpdateItem", update.request) == ""


@pytest.mark.parametrize(
    ("update", "needs", "keys"),
    [
        (THE.set(total=5), (), {"by_total": ("t",)}),
        (THE.add(total=5), (), {"by_total": ("t",)}),
        (THE.set(log=[]), (), {}),
        (THE.set(status="paid"), ("day",), {"by_status": ("g1", "g2")}),
        (THE.set(status=None), (), {"by_status": ("g1", "g2")}),
        (THE.set(day=date(2025, 1, 1)), ("status", "kind"), {"by_status": ("g2",), "by_day": ("d1",)}),
        (THE.set(kind="plain"), ("day",), {"by_total": ("kind",), "by_day": ("d1", "d2")}),
        (THE.set(kind="other"), (), {"by_total": ("kind",), "by_day": ("d1", "d2")}),
        (THE.apply(F.kind.set(F.status)), ("day", "status"), {"by_total": ("kind",), "by_day": ("d1", "d2")}),
        (THE.set(day=date(2025, 1, 1), status="x", kind="plain"), (),
         {"by_status": ("g1", "g2"), "by_total": ("kind",), "by_day": ("d1", "d2")}),
    ],
)  # fmt: skip
def test_an_update_lists_the_keys_it_changes_and_the_fields_it_must_read(
    update: Update[Order], needs: tuple[str, ...], keys: dict[str, tuple[str, ...]]
) -> None:
    assert update.fields_to_read == needs
    assert update.changed_index_keys == keys


def test_fields_that_were_read_complete_the_keys_and_become_conditions() -> None:
    update = THE.set(status="paid").when(F.total > 5)
    known = update.with_read({"day": date(2025, 3, 1)})

    assert update.read_request["ProjectionExpression"] == "pk, #n0"
    assert words(known) == "SET status = 'paid', g1 = 'STATUS#paid', g2 = '2025-03-01'"
    assert condition(known) == "attribute_exists(pk) AND day = '2025-03-01' AND t > 5"
    assert known.with_read({}) == known


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ({"status": "open", "kind": "plain"}, "status = 'open' AND kind = 'plain'"),
        (
            {"status": None, "kind": "plain"},
            "(attribute_not_exists(status) OR status = None) AND kind = 'plain'",
        ),
        ({}, "attribute_not_exists(status) AND attribute_not_exists(kind)"),
    ],
)
def test_a_field_that_was_read_must_still_be_as_it_was(read: dict[str, Any], expected: str) -> None:
    update = THE.set(day=date(2025, 1, 1)).with_read(read)

    assert condition(update) == f"attribute_exists(pk) AND {expected}"


def test_a_field_that_an_item_lacks_counts_with_its_default() -> None:
    update = THE.set(day=date(2025, 1, 1)).with_item({})

    assert words(update) == "SET day = '2025-01-01', d1 = '2025#0', d2 = '7' REMOVE g2"


def test_a_condition_may_name_every_stored_field_by_its_own_name() -> None:
    update = THE.set(log=[]).when(F.total > 5).when(F.status.missing())

    assert condition(update) == "attribute_exists(pk) AND t > 5 AND attribute_not_exists(status)"


def test_an_update_is_a_value_that_never_changes() -> None:
    first = THE.set(total=5)
    first.add(tags={"x"}).when(F.total > 1).upsert()

    assert words(first) == "SET t = 5"
    assert first == THE.set(total=5)
    assert first.changed_fields == ("total",)


@pytest.mark.parametrize(
    ("make", "code", "says"),
    [
        (lambda: THE.set(totl=5), "entity-unknown-field", "did you mean 'total'"),
        (lambda: THE.remove("totl"), "entity-unknown-field", "did you mean 'total'"),
        (lambda: THE.apply(F.adress.city.set("x")), "entity-unknown-field", "did you mean 'address'"),
        (lambda: THE.set(log=[]).when(F.totl > 5), "entity-unknown-field", "did you mean 'total'"),
        (lambda: THE.set(log=[]).when(F.label == "x"), "write-computed", "Order.label"),
        (lambda: THE.apply(F.status.set(F.label)), "write-computed", "Order.label"),
        (lambda: THE.set(log=[]).when("x"), "filter-not-a-condition", "'x'"),  # type: ignore[arg-type]
        (lambda: THE.set(total=-1), "field-value", "Order.total: -1 does not fit: Input should be greater"),
        (lambda: THE.set(address={"zip": "1"}), "field-value", "['city']: Field required"),
        (lambda: THE.set(kind=""), "key-empty", "Order.by_total"),
        (lambda: THE.add(total="many"), "field-value", "'many'"),
        (lambda: THE.add(status="x"), "write-kind", "write .set(status=...)"),
        (lambda: THE.add(pairs={(1, 2)}), "write-kind", "stored as a list"),
        (lambda: THE.add(log=["x"]), "write-kind", "write .append(log=...)"),
        (lambda: THE.append(tags=["x"]), "write-kind", "write .add(tags=...)"),
        (lambda: THE.append(log="x"), "write-members", "log=[...]"),
        (lambda: THE.discard(total={5}), "write-kind", "write .add(total=...)"),
        (lambda: THE.set(total=1).remove("total"), "write-field-twice", "Order.total"),
        (lambda: THE.set(address=None).apply(F.address.city.set("x")), "write-field-twice", "Order.address"),
        (
            lambda: THE.apply(F.address.city.set("x"), F.address.set({"city": "y"})),
            "write-field-twice",
            "Order.address",
        ),
        (
            lambda: THE.apply(F.address.zip.set("x"), F.address.zip.remove()),
            "expression-paths-overlap",
            "address",
        ),
        (lambda: THE.apply(F.address.citty.set("x")), "write-unknown-member", "has the member 'citty'"),
        (lambda: THE.apply(F.address.city.set(5)), "field-value", "Order.address.city: 5 does not fit"),
        (lambda: THE.apply(F.address.city.remove()), "write-required", "Order.address.city has no default"),
        (lambda: THE.apply(F.log[0].set(5)), "field-value", "Order.log.0: 5 does not fit"),
        (lambda: THE.apply(F.log.append(5)), "field-value", "Order.log: [5] does not fit"),
        (
            lambda: THE.apply(F.total.set(F.total.if_not_exists("x"))),
            "field-value",
            "Order.total: 'x' does not",
        ),
        (
            lambda: THE.apply(F.total.set(F.total + Decimal("0.5"))),
            "field-value",
            "Order.total: Decimal('0.5')",
        ),
        (lambda: THE.apply(F.total.set(F.log)), "field-value", "log is stored as L, and Order.total as N"),
        (
            lambda: THE.apply(F.id.set("8")),
            "write-key-field",
            "part of the primary key, which an update cannot change",
        ),
        (lambda: THE.with_read({"dey": 1}), "entity-unknown-field", "did you mean 'day'"),
        (
            lambda: THE.set(day=date(2025, 1, 1)).request,
            "write-unread",
            "it must first read 'status', 'kind'",
        ),
        (lambda: Order.primary.update(idd="7"), "key-unknown-part", "did you mean 'id'"),
        (Order.primary.update, "key-missing-part", "'id'"),
        (lambda: Order.primary.update(id=gt("7")), "plan-get-operator", "gt('7')"),
        (lambda: Order.by_status.update(status="x"), "plan-get-index", "by-status"),
    ],
)
def test_an_invalid_update_raises_when_it_is_built(make: Any, code: str, says: str) -> None:
    with pytest.raises(PkskError) as caught:
        make()

    assert caught.value.code == code
    assert says in str(caught.value)


def test_an_upsert_stores_what_a_new_item_needs_and_leaves_an_old_one_as_it_is() -> None:
    update = THE.set(day=date(2025, 3, 1), status="open").add(total=5).upsert().with_item({})
    old = Order.__pksk__.to_item(order(kind="plain", log=["a"], total=1, price=9))
    new = Order.from_item(updated(update.request, {}))

    assert new == order(status="open", total=5, gid=new.gid)
    assert holds(update.request, {})
    assert Order.__pksk__.to_item(new) == updated(update.request, {})
    assert updated(THE.set(day=date(2025, 3, 1), status="x").upsert().with_item(old).request, old) == {
        **old, "status": {"S": "x"}, "g1": {"S": "STATUS#x"}, "g2": {"S": "2025-03-01"},
    }  # fmt: skip


def test_an_upsert_reads_the_defaults_that_keys_are_made_of() -> None:
    update = THE.set(day=date(2025, 3, 1), status="open").upsert()

    assert update.fields_to_read == ("kind",)


def test_a_random_shard_is_drawn_anew_where_its_key_changes_and_kept_where_not() -> None:
    class Event(Entity, table=Table("events", indexes=[GSI("by-kind", pk="g1", sk="g2")])):
        id: str
        kind: str
        at: int = 0
        primary = Key("EVENT#{id}", "META")
        by_kind = Key("{kind}#{shard}", "{at:06d}", index="by-kind", shard=Shard(500))

    update = Event.primary.update(id="1")

    assert (
        len({update.set(kind="x").request["ExpressionAttributeValues"][":v1"]["S"] for _ in range(50)}) > 10
    )
    assert words(update.set(at=5)) == "SET at = 5, g2 = '000005'"
    assert "g1 = 'x#" in words(update.set(kind="x", at=1).upsert())


def test_a_computed_part_of_the_primary_key_is_computed_before_and_after() -> None:
    class Page(Entity, table=Table("pages")):
        title: str
        text: str = ""
        primary = Key("PAGE#{slug}", "META")

        @computed_field
        def slug(self) -> str:
            return self.title.lower()

    update = Page.primary.update(slug="home").set(text="x")
    assert update.fields_to_read == ("title",)
    assert words(update.with_read({"title": "Home"})) == "SET text = 'x'"
    with pytest.raises(PkskError, match="the changes would change the primary key"):
        Page.primary.update(slug="home").set(title="Other", text="x").request  # noqa: B018


def test_a_default_made_from_other_fields_is_made_for_a_new_item_and_never_guessed() -> None:
    class User(Entity, table=Table("users")):
        id: str
        name: str
        nick: str = Field(default_factory=lambda data: data["name"][:2])
        primary = Key("USER#{id}", "META")

    update = User.primary.update(id="1")

    assert "if_not_exists(nick, 'An')" in words(update.set(name="Anna").upsert())
    with pytest.raises(PkskError) as caught:
        update.remove("nick")
    assert caught.value.code == "write-required"


def test_an_update_by_a_base_class_does_not_change_items_with_unknown_keys() -> None:
    animals = Table("animals", indexes=[GSI("by-name", pk="n1")])

    class Animal(Entity, table=animals):
        id: str
        name: str
        age: Annotated[int, Field(ge=0)] = 0
        primary = Key("ANIMAL#{id}", "META")

    class Dog(Animal, table=animals):
        by_name = Key("DOG#{name}", index="by-name")

    update = Animal.primary.update(id="1")

    assert condition(update.set(name="x")) == "attribute_exists(pk) AND type <> 'Dog'"
    assert condition(update.set(age=1)) == "attribute_exists(pk)"
    assert condition(Dog.primary.update(id="1").set(name="x")) == "attribute_exists(pk) AND type = 'Dog'"


def test_a_field_that_is_a_key_attribute_itself_is_written_once() -> None:
    assert words(THE.set(kind="other", total=3)) == "SET kind = 'other', t = 3 REMOVE d1, d2"


def test_nested_values_are_checked_and_stored_as_the_model_stores_them() -> None:
    assert words(THE.set(address={"city": "x"})) == "SET address = {'city': 'x', 'zip': ''}"
    assert words(THE.set(address=Address(city="x"))) == words(THE.set(address={"city": "x"}))


def test_a_member_that_a_model_allows_without_declaring_it_can_be_set() -> None:
    class Labels(BaseModel):
        model_config = ConfigDict(extra="allow")
        colour: str = ""

    class Box(Entity, table=Table("boxes")):
        id: str
        labels: Labels = Labels()
        primary = Key("BOX#{id}", "META")

    assert words(Box.primary.update(id="1").apply(F.labels.weight.set(5))) == "SET labels.weight = 5"
