"""Keys as descriptors: their arguments, what they share, and where they can be declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pksk import (
    GSI,
    B,
    DesignError,
    Entity,
    F,
    Key,
    N,
    PkskError,
    SchemaError,
    Shard,
    Table,
    TemplateError,
    VectorIndex,
)


@pytest.mark.parametrize(
    ("make", "code", "fix"),
    [
        (lambda: Key(5), "template-syntax", "Key('ORDER#{id}', 'META')"),  # type: ignore[arg-type]
        (lambda: Key("A", 5), "template-syntax", "Key("),  # type: ignore[arg-type]
        (lambda: Key(("A", None)), "template-syntax", "Key("),  # type: ignore[arg-type]
        (lambda: Key("A#{shard}", shard=4), "key-shard", "shard=Shard(4, of='...')"),  # type: ignore[arg-type]
        (lambda: Shard(4, of=["id"]), "key-shard", "of='order_id'"),  # type: ignore[arg-type]
    ],
)
def test_a_key_that_is_not_a_template_raises(make: Any, code: str, fix: str) -> None:
    with pytest.raises(TemplateError) as caught:
        make()

    assert caught.value.code == code
    assert fix in caught.value.fix


def test_a_key_accepts_a_list_of_templates() -> None:
    assert Key(["A", "B"]).pk == ("A", "B")  # type: ignore[arg-type]


def test_an_unknown_index_raises_with_class_and_key() -> None:
    with pytest.raises(SchemaError, match=r"^Order\.by_day: table 'orders' has no index 'by-dy'\.") as caught:

        class Order(Entity, table=Table("orders", indexes=[GSI("by-day", pk="g1")])):
            id: str
            primary = Key("O#{id}", "META")
            by_day = Key("{id}", index="by-dy")

    assert caught.value.code == "schema-unknown-index"
    assert caught.value.fix == "did you mean 'by-day'?"


def declared(made: Callable[[], Key], *, pk: str | None = "g1", attribute: str = "v") -> type[Entity]:
    class Note(
        Entity, table=Table("notes", indexes=[VectorIndex("near", attribute=attribute, dimensions=2, pk=pk)])
    ):
        tenant: str
        team: str | None = None
        v: list[float]
        primary = Key("N#{tenant}", "META")
        near = made()

    return Note


def test_a_key_on_a_vector_index_writes_its_partition_attribute() -> None:
    made = declared(lambda: Key("T#{tenant}#{team}", index="near"))

    assert made(tenant="a", team="b", v=[1, 0]).to_item()["g1"] == {"S": "T#a#b"}
    assert "g1" not in made(tenant="a", v=[1, 0]).to_item()


@pytest.mark.parametrize("pk", [None, "type"])
def test_a_key_on_a_vector_index_without_a_partition_writes_nothing(pk: str | None) -> None:
    made = declared(lambda: Key(index="near"), pk=pk)

    assert made.__pksk__.key("near").parts == ()
    assert made(tenant="a", v=[1, 0]).to_item().keys() == {"pk", "sk", "type", "tenant", "v"}


@pytest.mark.parametrize(
    ("make", "code", "problem", "fix"),
    [
        (lambda: declared(lambda: Key("{tenant}", "{team}", index="near")), "entity-key-vector",
         "has no sort key", "leave '{team}' out"),
        (lambda: declared(lambda: Key("{tenant}#{shard}", index="near", shard=Shard(4))), "entity-key-vector",
         "the key has shards", "leave shard= out"),
        (lambda: declared(lambda: Key("{tenant}", index="near"), attribute="w"), "entity-key-vector",
         "in attribute 'w', which no field has", "declare the field w: list[float]"),
        (lambda: declared(lambda: Key("{tenant}", index="near"), pk=None), "entity-key-arity",
         "1 template for the partition key, where index 'near' has 0 attributes", "write Key(index='near')"),
        (lambda: declared(lambda: Key(index="near")), "entity-key-arity",
         "0 templates for the partition key, where index 'near' has 1 attribute", "give one template"),
        (lambda: declared(lambda: Key("Note", index="near"), pk="type"), "entity-attribute-clash",
         "is the discriminator", "write Key(index='near')"),
        (lambda: declared(lambda: Key(index="near", when=F.tenant == "a"), pk=None), "key-when",
         "the key writes no attribute", "set the vector to None"),
    ],
)  # fmt: skip
def test_a_key_that_a_vector_index_cannot_have_raises(
    make: Callable[[], Any], code: str, problem: str, fix: str
) -> None:
    with pytest.raises(DesignError, match=r"^Note\.near: ") as caught:
        make()

    assert caught.value.code == code
    assert problem in caught.value.problem
    assert fix in caught.value.fix


@pytest.mark.parametrize("index", [None, "by-day"])
def test_a_key_without_templates_raises_if_it_has_attributes_to_write(index: str | None) -> None:
    with pytest.raises(DesignError, match=r"^Order\..*: 0 templates for the partition key") as caught:

        class Order(Entity, table=Table("orders", indexes=[GSI("by-day", pk="g1")])):
            id: str
            primary = Key("O#{id}", "META") if index else Key()
            by_day = Key(index=index) if index else Key("{id}", index="by-day")

    assert caught.value.code == "entity-key-arity"
    assert repr(Key(index="near")) == "Key(index='near')"
    assert repr(Key()) == "Key()"


@pytest.mark.parametrize(
    ("attribute", "kind"), [(N("n"), str), (N("n"), float), (B("n"), str), (B("n"), int)]
)
def test_a_field_of_another_type_in_a_number_or_binary_key_raises(attribute: Any, kind: Any) -> None:
    with pytest.raises(
        DesignError, match=r"^Order\.primary: field 'm' of type .* cannot be attribute 'n'"
    ) as caught:

        class Order(Entity, table=Table("orders", sk=attribute)):
            id: str
            m: kind
            primary = Key("O#{id}", "{m}")

    assert caught.value.code == "entity-key-type"
    assert ("bytes" if attribute == B("n") else "int or Decimal") in caught.value.fix


def test_the_fix_names_a_field_of_the_type_of_the_attribute() -> None:
    with pytest.raises(DesignError) as caught:

        class Line(Entity, table=Table("lines", sk=N("n"))):
            order: str
            n: int
            primary = Key("ORDER#{order}", "LINE#{n:04d}")

    assert caught.value.code == "entity-key-type"
    assert "'{n}'" in caught.value.fix


INVERTED = [GSI("inverted", pk="sk", sk="pk")]


@pytest.mark.parametrize(
    ("first", "options"),
    [
        ({}, {"codec": "raw"}),
        ({"delimiter": "#"}, {"delimiter": "_"}),
    ],
)
def test_keys_that_write_one_attribute_differently_raise(first: Any, options: Any) -> None:
    with pytest.raises(
        DesignError, match=r"^Made\.inverted: attribute '..' is written as .* by key 'primary'"
    ) as caught:

        class Made(Entity, table=Table("made", indexes=INVERTED)):
            a: str
            c: str
            primary = Key("{c}", "{a}", **first)
            inverted = Key("{a}", "{c}", index="inverted", **options)

    assert caught.value.code == "entity-key-conflict"


def test_the_codec_that_differs_is_named() -> None:
    with pytest.raises(
        DesignError, match=r"'\{a\}#\{b\}' with codec='raw' here, and as '\{a\}#\{b\}' with codec='escaped'"
    ):

        class Made(Entity, table=Table("made", indexes=INVERTED)):
            a: str
            b: str
            c: str
            primary = Key("P#{c}", "{a}#{b}")
            inverted = Key("{a}#{b}", "P#{c}", index="inverted", codec="raw")


def test_the_codec_of_a_literal_does_not_matter() -> None:
    class Made(Entity, table=Table("made", indexes=INVERTED)):
        a: str
        primary = Key("P", "{a}", codec="raw")
        inverted = Key("{a}", "P", index="inverted", codec="raw")

    class Other(Entity, table=Table("made", indexes=[GSI("by-g", pk="g1", sk="sk")])):
        a: str
        primary = Key("P#{a}", "META")
        by_g = Key("{a}", "META", index="by-g", codec="raw")

    assert Made.__pksk__.keys.keys() == {"primary", "inverted"}
    assert Other.__pksk__.keys.keys() == {"primary", "by_g"}


@pytest.mark.parametrize("shard", [Shard(8, of="a"), Shard(4, of="c"), Shard(4)])
def test_one_attribute_has_one_kind_of_shards(shard: Shard) -> None:
    with pytest.raises(DesignError, match=r"with shard=Shard\(count=4, of='a'\)") as caught:

        class Made(
            Entity, table=Table("made", indexes=[GSI("one", pk="g1", sk="x"), GSI("two", pk="g1", sk="y")])
        ):
            a: str
            c: str
            primary = Key("P#{a}", "{c}")
            one = Key("S#{shard}", "{a}", index="one", shard=Shard(4, of="a"))
            two = Key("S#{shard}", "{c}", index="two", shard=shard)

    assert caught.value.code == "entity-key-conflict"


def test_a_shard_part_without_shards_raises() -> None:
    def declare(**fields: Any) -> None:
        class Made(Entity, table=Table("made")):
            __annotations__ = {"id": str, **fields}
            primary = Key("P#{id}#{shard}", "META")

    for fields in ({}, {"shard": str}):
        with pytest.raises(
            DesignError, match=r"^Made\.primary: \{shard\} is the number of a write shard"
        ) as caught:
            declare(**fields)

        assert caught.value.code == "key-shard"
        assert ("another name" in caught.value.fix) == bool(fields)


def test_a_field_may_be_named_shard() -> None:
    class Made(Entity, table=Table("made", indexes=[GSI("by-g", pk="g1", sk="sk")])):
        id: str
        shard: str
        primary = Key("P#{id}", "META")
        by_g = Key("G#{shard}", index="by-g", shard=Shard(4, of="id"))

    made = Made(id="1", shard="x")
    item = Made.__pksk__.to_item(made)

    assert item["g1"] != {"S": "G#x"}
    assert Made.__pksk__.from_item(item) == made


def test_a_sharded_attribute_without_a_template_raises() -> None:
    with pytest.raises(DesignError, match="another key writes 'pk' with shards") as caught:

        class Made(Entity, table=Table("made", indexes=[GSI("by-g", pk="g1", sk="pk")])):
            id: str
            primary = Key("P#{id}#{shard}", "META", shard=Shard(4, of="id"))
            by_g = Key("{id}", index="by-g")

    assert caught.value.code == "key-shard"


def test_one_key_object_used_twice_raises() -> None:
    key = Key("U#{id}", "META")

    class First(Entity, table=Table("first")):
        id: str
        primary = key

    with pytest.raises(
        DesignError, match=r"^Second\.main: this Key object already belongs to First\.primary"
    ) as caught:

        class Second(Entity, table=Table("second")):
            id: str
            main = key

    assert caught.value.code == "key-reused"
    assert First.primary(id="1").plan.requests[0]["ExpressionAttributeValues"] == {
        ":v0": {"S": "U#1"}, ":v1": {"S": "META"},
    }  # fmt: skip


def test_every_mistake_in_a_key_is_an_error_of_pksk() -> None:
    assert issubclass(DesignError, PkskError)


@pytest.mark.parametrize(
    ("sk", "make", "fix"),
    [
        ("sk", lambda: Key("A#{id}"),
         "write Key('A#{id}', 'META'), or declare no sort key: Table('orders', sk=None)."),
        (None, lambda: Key("A#{id}", "META"),
         "write Key('A#{id}'), or declare a sort key: Table('orders', sk='sk')."),
    ],
)  # fmt: skip
def test_a_missing_or_superfluous_template_for_the_sort_key_gets_a_fix(
    sk: str | None, make: Callable[[], Key], fix: str
) -> None:
    with pytest.raises(DesignError) as caught:

        class Order(Entity, table=Table("orders", sk=sk)):
            id: str
            primary = make()

    assert caught.value.code == "entity-key-arity"
    assert caught.value.fix == fix


def test_a_missing_template_for_the_sort_key_of_an_index_gets_a_fix() -> None:
    with pytest.raises(DesignError) as caught:

        class Order(Entity, table=Table("orders", indexes=[GSI("by-day", pk="g1", sk="g2")])):
            id: str
            primary = Key("O#{id}", "META")
            by_day = Key("{id}", index="by-day")

    assert caught.value.fix == "write Key('{id}', 'META', index='by-day')."
