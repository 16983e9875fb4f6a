"""Markers: found wherever authors may put them, and rejected where a store could not enforce them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any, NewType
from uuid import UUID

import pytest
from pydantic import AwareDatetime, BaseModel, NaiveDatetime, computed_field

from pksk import TTL, Attribute, Created, DesignError, Entity, Key, Reference, Table, Unique, Updated, Version
from pksk.model import markers
from pksk.model.markers import Marker


class Colour(StrEnum):
    RED = "red"


Email = NewType("Email", str)


class Account(Entity, table=Table("accounts", ttl="expires")):
    id: str
    email: Annotated[Email, Unique()]
    nick: Annotated[str, Unique(), Attribute("n")] | None = None
    colour: Annotated[Colour | None, Unique()] = None
    version: Annotated[int, Version()] = 0
    until: Annotated[AwareDatetime | None, TTL(), Attribute("expires")] = None
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None
    primary = Key("ACCOUNT#{id}", "META")


def test_every_marker_takes_part_in_writes() -> None:
    modules = [import_module(f"{markers.__name__}.{each.name}") for each in iter_modules(markers.__path__)]
    classes = {found for module in modules for found in vars(module).values() if isinstance(found, type)}
    public = {each for each in classes if issubclass(each, Marker) and not each.__name__.startswith("_")}

    assert public - {Marker} == set(markers.MARKERS)


def test_the_fields_with_a_marker_are_listed() -> None:
    declaration = Account.__pksk__

    assert [name for name, _ in declaration.marked(Unique)] == ["email", "nick", "colour"]
    assert declaration.marked(Version) == (("version", Version()),)
    assert declaration.marked(TTL) == (("until", TTL()),)
    assert [declaration.marked(kind)[0][0] for kind in (Created, Updated)] == ["created", "updated"]
    assert declaration.marked(Reference) == ()


def test_a_marker_on_an_optional_type_counts() -> None:
    assert Account.__pksk__.attribute("nick") == "n"


def test_a_subclass_has_the_markers_of_its_base() -> None:
    class Base(Entity):
        version: Annotated[int, Version()] = 0

    class Child(Base, table=Table("children")):
        id: str
        primary = Key("C#{id}", "META")

    assert Child.__pksk__.marked(Version) == (("version", Version()),)


class Marked(BaseModel):
    n: Annotated[int, Version()] = 0


class Deeper(BaseModel):
    marked: list[Marked] = []


NO_ENTITY: Any = int

REJECTED: list[tuple[Any, Any, str, str]] = [
    (Annotated[str, Version()], "a", "marker-type", "needs an int with a default, but the field is str"),
    (Annotated[int, Version()], ..., "marker-type", "int without a default"),
    (Annotated[int | None, Version()], None, "marker-type", "Version"),
    (Annotated[bool, Version()], False, "marker-type", "Version"),
    (Annotated[str, TTL(), Attribute("ttl")], ..., "marker-type", "TTL is a time, but the field is str"),
    (Annotated[date, TTL(), Attribute("ttl")], ..., "marker-type", "TTL"),
    (Annotated[NaiveDatetime, TTL(), Attribute("ttl")], ..., "marker-type", "TTL"),
    (Annotated[date, Created()], ..., "marker-type", "Created is a time"),
    (Annotated[str, Updated()], ..., "marker-type", "Updated is a time"),
    (Annotated[NaiveDatetime, Updated()], ..., "marker-type", "Updated is a time"),
    (Annotated[list[str], Unique()], ..., "marker-type", "Unique writes the value into a key"),
    (Annotated[float, Unique()], ..., "marker-type", "Unique writes the value into a key"),
    (Annotated[str, Unique(within="idd")], ..., "marker-within", "names 'idd', which is not a field"),
    (Annotated[str, Unique(within="field")], ..., "marker-within", "names the marked field itself"),
    (Annotated[str, Unique(within=("id", "id"))], ..., "marker-within", "names 'id' twice"),
    (Annotated[str, Unique(within="low")], ..., "marker-within", "names 'low', which is computed"),
    (Annotated[str, Unique(within="at")], ..., "marker-within", "names 'at', which is set by the store"),
    (Annotated[str, Unique(within="ratio")], ..., "marker-type", "Unique(within=...) writes the values into a key"),
    (Annotated[str, Unique(within=5)], ..., "marker-within", "5 is not the name of a field"),  # type: ignore[arg-type]
    (Annotated[int, Version(), TTL(), Attribute("ttl")], 0, "marker-clash", "Version and TTL are on one field"),
    (Annotated[int, Version(), Unique()], 0, "marker-clash", "Version and Unique"),
    (Annotated[datetime, Created(), Updated()], ..., "marker-clash", "Created and Updated"),
    (Annotated[str, Unique(), Unique()], ..., "marker-twice", "Unique is on the field twice"),
    (Annotated[str, Attribute("a"), Attribute("b")], ..., "marker-twice", "Attribute"),
    (Annotated[int, Version], 0, "marker-misplaced", "Version is a class here, not an object"),
    (Annotated[datetime, TTL], ..., "marker-misplaced", "TTL is a class here, not an object"),
    (Annotated[datetime, Created], ..., "marker-misplaced", "Created is a class here, not an object"),
    (Annotated[str, Unique()] | int, ..., "marker-misplaced", "Unique is beside one type of several"),
    (list[Annotated[str, Unique()]], ..., "marker-misplaced", "Unique is inside list"),
    (dict[str, Annotated[str, Attribute("x")] | None], ..., "marker-misplaced", "Attribute is inside dict"),
    (Marked, ..., "marker-misplaced", "Version is on Marked.n"),
    (Deeper | None, ..., "marker-misplaced", "Version is on Marked.n"),
    (Annotated[datetime, TTL()], ..., "marker-ttl", "TTL is stored as 'field', and table 'made' expires by 'ttl'"),
    (Annotated[AwareDatetime, Attribute("ttl")], ..., "marker-ttl", "the field is not stored as seconds"),
    (Annotated[str, Reference(NO_ENTITY)], ..., "marker-reference", "<class 'int'> is not an entity"),
    (Annotated[str, Reference(Entity)], ..., "marker-reference", "Entity is in no table"),
    (Annotated[int, Reference(Account)], ..., "marker-reference", "'field' is of type int, and part 'id' of type str"),
    (Annotated[str, Reference(Account, idd="field")], ..., "marker-reference", "'idd' is not a part of Account"),
    (Annotated[str, Reference(Account, id="feld")], ..., "marker-reference", "'feld' is not a field of Made"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "default", "code", "problem"), REJECTED, ids=[f"{r[0]}"[:60] for r in REJECTED]
)
def test_a_marker_that_no_store_can_enforce_raises(kind: Any, default: Any, code: str, problem: str) -> None:
    with pytest.raises(DesignError) as caught:

        class Made(Entity, table=Table("made", ttl="ttl")):
            id: str
            field: kind = default
            at: Annotated[AwareDatetime | None, Updated()] = None
            ratio: float = 0.5
            primary = Key("ID#{id}", "META")

            @computed_field
            def low(self) -> str:
                return self.id.lower()

    assert caught.value.code == code
    assert caught.value.problem.startswith("Made.field: ")
    assert problem in caught.value.problem
    assert caught.value.fix


@pytest.mark.parametrize(
    ("parts", "fix"), [({"idd": "field"}, "did you mean 'id'?"), ({"id": "feld"}, "did you mean 'field'?")]
)
def test_a_wrong_name_in_a_reference_raises_with_the_nearest(parts: dict[str, str], fix: str) -> None:
    with pytest.raises(DesignError) as caught:

        class Made(Entity, table=Table("made")):
            id: str
            field: Annotated[str, Reference(Account, **parts)]
            primary = Key("ID#{id}", "META")

    assert caught.value.fix == fix


@pytest.mark.parametrize("kind", [str, int, Decimal, UUID, date, AwareDatetime, Colour, str | None])
def test_a_type_that_a_key_can_hold_can_be_unique(kind: Any) -> None:
    class Made(Entity, table=Table("made")):
        id: str
        field: Annotated[kind, Unique()]
        primary = Key("ID#{id}", "META")

    assert Made.__pksk__.marked(Unique) == (("field", Unique()),)


def test_a_ttl_marker_in_a_table_without_ttl_raises_with_the_fix() -> None:
    with pytest.raises(DesignError) as caught:

        class Session(Entity, table=Table("sessions")):
            id: str
            until: Annotated[datetime, TTL(), Attribute("expires")]
            primary = Key("S#{id}", "META")

    assert caught.value.code == "marker-ttl"
    assert caught.value.fix == "declare Table('sessions', ..., ttl=\"expires\")."


@pytest.mark.parametrize("kind", [Version, TTL, Created, Updated])
def test_an_entity_with_two_markers_of_one_kind_raises(kind: Any) -> None:
    of = int if kind in (Version, TTL) else datetime
    default = 0 if of is int else datetime(2025, 1, 1)
    with pytest.raises(DesignError, match=r"^Made: .* is on 'one' and 'two'") as caught:

        class Made(Entity, table=Table("made", ttl="one")):
            id: str
            one: Annotated[of, kind()] = default  # type: ignore[valid-type]
            two: Annotated[of, kind()] = default  # type: ignore[valid-type]
            primary = Key("ID#{id}", "META")

    assert caught.value.code == "marker-twice"


def test_a_marker_on_a_computed_field_raises() -> None:
    with pytest.raises(DesignError, match=r"^Made\.low: Unique is on a computed field") as caught:

        class Made(Entity, table=Table("made")):
            id: str
            primary = Key("ID#{id}", "META")

            @computed_field
            def low(self) -> Annotated[str, Unique()]:
                return self.id.lower()

    assert caught.value.code == "marker-misplaced"


def test_a_primary_key_with_a_version_raises() -> None:
    with pytest.raises(DesignError, match=r"^Made\.version: Version changes with each write"):

        class Made(Entity, table=Table("made")):
            id: str
            version: Annotated[int, Version()] = 0
            primary = Key("ID#{id}", "{version}")


class Holder(Entity, table=Table("holders")):
    id: str
    account: Account
    primary = Key("H#{id}", "META")


def test_markers_of_a_nested_entity_do_not_count() -> None:
    assert Holder.__pksk__.marked(Version) == ()


def test_a_reference_maps_the_parts_of_the_other_primary_key() -> None:
    shop = Table("shop")

    class Order(Entity, table=shop):
        tenant: str
        id: str
        primary = Key("{tenant}#ORDER#{id}", "META")

    class Line(Entity, table=shop):
        tenant: str
        order: Annotated[str, Reference(Order)]
        n: int
        account: Annotated[str | None, Reference(Account)] = None
        primary = Key("{tenant}#ORDER#{order}", "LINE#{n}")

    class Remark(Entity, table=shop):
        id: str
        shop: str
        about: Annotated[str, Reference(Order, tenant="shop", id="about")]
        primary = Key("{shop}#REMARK#{id}", "META")

    assert Line.__pksk__.reference("order").parts == {"tenant": "tenant", "id": "order"}
    assert Line.__pksk__.reference("account").declaration is Account.__pksk__
    assert Line.__pksk__.reference("account").parts == {"id": "account"}
    assert Remark.__pksk__.reference("about").parts == {"tenant": "shop", "id": "about"}


def test_an_ambiguous_reference_raises_with_the_fix() -> None:
    shop = Table("shop")

    class Order(Entity, table=shop):
        tenant: str
        id: str
        primary = Key("{tenant}#ORDER#{id}", "META")

    with pytest.raises(DesignError, match="does not say which Order is meant") as caught:

        class Line(Entity, table=shop):
            tenant: str
            id: str
            about: Annotated[str, Reference(Order)]
            primary = Key("{tenant}#LINE#{id}", "META")

    assert caught.value.expected == "The parts of Order.primary are: tenant, id."
    assert "Reference(Order, " in caught.value.fix


def test_a_reference_to_a_later_class_is_checked_when_that_is_declared() -> None:
    shop = Table("shop")

    class Line(Entity, table=shop):
        n: int
        order: Annotated[str, Reference("Order")]
        up: Annotated[int | None, Reference("Line", n="up")] = None
        primary = Key("LINE#{order}", "{n}")

    with pytest.raises(DesignError, match=r"^Line\.order: table 'shop' has no entity 'Order'"):
        Line.__pksk__.reference("order")

    with pytest.raises(
        DesignError, match=r"^Line\.order: field 'order' is of type str, and part 'id' of type int"
    ):

        class Order(Entity, table=shop):
            id: int
            primary = Key("ORDER#{id}", "META")


class Page(Entity, table=Table("pages")):
    id: str
    parent: Annotated[str | None, Reference("Page")] = None
    owner: Annotated[str | None, Reference(lambda: Owner)] = None
    primary = Key("PAGE#{id}", "META")


class Owner(Entity, table=Table("owners")):
    id: str
    primary = Key("OWNER#{id}", "META")


def test_a_reference_may_lead_to_its_own_entity_and_to_other_tables() -> None:
    assert Page.__pksk__.reference("parent").declaration is Page.__pksk__
    assert Page.__pksk__.reference("owner").declaration is Owner.__pksk__
