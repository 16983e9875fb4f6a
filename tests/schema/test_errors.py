"""Declarations that DynamoDB rejects raise at once, with a code and a fix."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pksk
import pksk.schema
from pksk.errors import SchemaError
from pksk.schema import GSI, LSI, B, N, OnDemand, Provisioned, Table, VectorIndex

ANY: Any = None
PAIR: Any = ("a", "b")
HALF: Any = 1.5
PAGE = (Path(pksk.__file__).parent / "explanations" / "schema.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))

DAY = GSI("by-day", pk="day")
HUNDRED = [GSI(f"gsi-{n}", pk="a", projection=[f"field{m}" for m in range(20)]) for n in range(5)]


def vector(
    name: str = "near", attribute: str = "embedding", dimensions: Any = 3, **options: Any
) -> VectorIndex:
    return VectorIndex(name, attribute=attribute, dimensions=dimensions, **options)


def table(**options: Any) -> Table:
    return Table("orders", **options)


# (the declaration, the code, a part of the message)
INVALID: list[tuple[Callable[[], object], str, str]] = [
    (lambda: Table("ab"), "schema-name", "Table: name 'ab' has 2 characters."),
    (lambda: Table(""), "schema-name", "name '' has 0 characters"),
    (lambda: Table("a" * 256), "schema-name", "has 256 characters"),
    (lambda: Table("order book"), "schema-name", "write 'order-book'."),
    (lambda: Table("größe"), "schema-name", "characters that DynamoDB does not accept"),
    (lambda: Table("orders\n"), "schema-name", "characters that DynamoDB does not accept"),
    (lambda: Table(ANY), "schema-name", "name None is of type NoneType, not str."),
    (lambda: GSI("by", pk="day"), "schema-name", "GSI: name 'by'"),
    (lambda: LSI("by day", sk="day"), "schema-name", "LSI: name 'by day'"),
    (lambda: vector("a/b"), "schema-name", "VectorIndex: name 'a/b'"),
    (lambda: table(pk=""), "schema-attribute", "Table 'orders', pk: '' is not the name"),
    (lambda: table(pk=None), "schema-attribute", "Table 'orders', pk: None"),
    (lambda: table(pk=7), "schema-attribute", "Table 'orders', pk: 7"),
    (lambda: GSI("by-day", pk=["day", ANY]), "schema-attribute", "GSI 'by-day', pk: None"),
    (lambda: GSI("by-day", pk="é" * 128), "schema-attribute", "1 to 255 bytes"),
    (lambda: GSI("by-day", pk="\ud800"), "schema-attribute", "'\\ud800'"),
    (lambda: N(""), "schema-attribute", "N(...): ''"),
    (lambda: B(ANY), "schema-attribute", "B(...): None"),
    (
        lambda: GSI("by-day", pk="day", projection=["a", ""]),
        "schema-attribute",
        "GSI 'by-day', projection: ''",
    ),
    (lambda: table(ttl=""), "schema-attribute", "Table 'orders', ttl: ''"),
    (lambda: table(discriminator=""), "schema-attribute", "Table 'orders', discriminator: ''"),
    (lambda: vector(attribute=""), "schema-attribute", "VectorIndex 'near', attribute: ''"),
    (lambda: vector(filters=""), "schema-attribute", "VectorIndex 'near', filters: ''"),
    (lambda: table(pk=("a", "b")), "schema-key-count", "Table 'orders': pk has 2 attributes."),
    (lambda: table(sk=()), "schema-key-count", "Table 'orders': sk has 0 attributes."),
    (lambda: GSI("wide", pk=list("abcde")), "schema-key-count", "GSI 'wide': pk has 5 attributes."),
    (lambda: GSI("wide", pk="a", sk=list("bcdef")), "schema-key-count", "GSI 'wide': sk has 5 attributes."),
    (lambda: GSI("wide", pk=[]), "schema-key-count", "GSI 'wide': pk has 0 attributes."),
    (lambda: LSI("wide", sk=PAIR), "schema-key-count", "exactly one"),
    (lambda: vector(pk=("a", "b")), "schema-key-count", "VectorIndex 'near': pk has 2"),
    (lambda: table(pk="id", sk="id"), "schema-key-duplicate", "pk and sk name attribute 'id' twice"),
    (lambda: GSI("twice", pk=("a", N("a"))), "schema-key-duplicate", "GSI 'twice': pk names attribute 'a'"),
    (lambda: GSI("twice", pk="a", sk=("b", "a")), "schema-key-duplicate", "pk and sk name attribute 'a'"),
    (lambda: table(indexes=[LSI("own", sk="pk")]), "schema-key-duplicate", "LSI 'own'"),
    (lambda: vector(pk="a", filters=["b", "a"]), "schema-key-duplicate", "pk and filters name attribute 'a'"),
    (lambda: vector(filters=["b", "b"]), "schema-key-duplicate", "filters names attribute 'b'"),
    (
        lambda: table(indexes=[GSI("by-sk", pk=N("sk"))]),
        "schema-type-conflict",
        "'sk' is of type S in the primary key, and of type N in index 'by-sk'.",
    ),
    (
        lambda: table(indexes=[GSI("by-day", pk=N("day")), LSI("of-day", sk=B("day"))]),
        "schema-type-conflict",
        "as N('day')",
    ),
    (lambda: table(indexes=[vector(filters=[N("pk")])]), "schema-type-conflict", "in index 'near'"),
    (lambda: table(indexes=["by-day"]), "schema-index", "'by-day' is not an index"),
    (lambda: table(indexes=[Table("other").primary]), "schema-index", "is not an index"),
    (lambda: table(indexes=[DAY, LSI("by-day", sk="x")]), "schema-index-duplicate", "the name 'by-day'"),
    (lambda: table(indexes=[GSI(f"gsi-{n}", pk="a") for n in range(21)]), "schema-index-count", "21 global"),
    (lambda: table(indexes=[LSI(f"lsi-{n}", sk="a") for n in range(6)]), "schema-index-count", "6 local"),
    (lambda: table(indexes=[vector(f"near-{n}") for n in range(6)]), "schema-index-count", "6 vector"),
    (
        lambda: table(sk=None, indexes=[LSI("by-day", sk="day")]),
        "schema-lsi-sort-key",
        "LSI 'by-day' needs one",
    ),
    (lambda: table(indexes=[DAY]).index("by-dya"), "schema-unknown-index", "did you mean 'by-day'?"),
    (lambda: table().index("by-day"), "schema-unknown-index", "The table has no indexes."),
    (lambda: GSI("by-day", pk="day", projection=[]), "schema-projection-empty", 'projection="keys"'),
    (lambda: LSI("by-day", sk="day", projection=["a", "a"]), "schema-projection-duplicate", "'a' twice"),
    (
        lambda: vector(projection=[f"f{n}" for n in range(21)]),
        "schema-projection-count",
        "names 21 attributes",
    ),
    (
        lambda: table(indexes=[*HUNDRED, LSI("one-more", sk="b", projection=["c"])]),
        "schema-projection-count",
        "name 101 projected attributes in all",
    ),
    (
        lambda: table(
            indexes=[*HUNDRED[1:], vector(filters=list("ab"), projection=[f"f{n}" for n in range(18)])]
        ),
        "schema-projection-count",
        "name 101 projected",
    ),
    (lambda: GSI("by-day", pk="day", projection="KEYS_ONLY"), "schema-option", "did you mean 'keys'?"),
    (lambda: GSI("by-day", pk="day", projection="INCLUDE"), "schema-option", "or a list of attributes"),
    (lambda: GSI("by-day", pk="day", projection=ANY), "schema-option", "projection=None is not valid"),
    (lambda: table(stream="NEW_IMAGES"), "schema-option", "did you mean 'NEW_IMAGE'?"),
    (lambda: table(stream="keys_only"), "schema-option", "did you mean 'KEYS_ONLY'?"),
    (lambda: table(stream=None), "schema-option", "or True or False"),
    (lambda: table(billing="ondemand"), "schema-option", "did you mean 'on-demand'?"),
    (lambda: table(billing="provisioned"), "schema-option", "Provisioned(read=..., write=...)"),
    (lambda: table(table_class="STANDARD_INFREQUENT_ACCESS"), "schema-option", "mean 'infrequent-access'?"),
    (lambda: vector(distance="DOT_PRODUCT"), "schema-option", "'cosine', 'euclidean', 'dot'"),
    (lambda: vector(distance="cosin"), "schema-option", "did you mean 'cosine'?"),
    (lambda: table(deletion_protection="no"), "schema-option", "Valid values are: True, False."),
    (lambda: Provisioned(read=0), "schema-throughput", "Provisioned: read=0"),
    (lambda: Provisioned(write=-1), "schema-throughput", "Provisioned: write=-1"),
    (lambda: Provisioned(read=HALF), "schema-throughput", "read=1.5"),
    (lambda: Provisioned(read=True), "schema-throughput", "read=True"),
    (lambda: OnDemand(max_read=0), "schema-throughput", "OnDemand: max_read=0"),
    (
        lambda: table(billing=Provisioned(), indexes=[GSI("by-day", pk="day", billing="on-demand")]),
        "schema-index-billing",
        "GSI 'by-day'",
    ),
    (
        lambda: table(indexes=[GSI("by-day", pk="day", billing=Provisioned())]),
        "schema-index-billing",
        "Provisioned(read=5, write=5)",
    ),
    (lambda: table(billing=Provisioned(), indexes=[vector()]), "schema-vector-billing", "VectorIndex 'near'"),
    (lambda: vector(dimensions=0), "schema-vector-dimensions", "dimensions=0"),
    (lambda: vector(dimensions=4097), "schema-vector-dimensions", "from 1 to 4096"),
    (lambda: vector(dimensions="3"), "schema-vector-dimensions", "dimensions='3'"),
    (
        lambda: table(indexes=[vector("near", dimensions=3), vector("far", dimensions=4)]),
        "schema-vector-dimensions",
        "'embedding' has 3 dimensions in index 'near', and 4 in index 'far'",
    ),
    (lambda: table(indexes=[vector(attribute="pk")]), "schema-vector-attribute", "in the primary key"),
    (lambda: table(indexes=[DAY, vector(attribute="day")]), "schema-vector-attribute", "in index 'by-day'"),
    (lambda: table(indexes=[vector(pk="embedding")]), "schema-vector-attribute", "in index 'near'"),
    (lambda: vector(filters=[f"f{n}" for n in range(19)]), "schema-vector-filters", "names 19 attributes"),
    (lambda: table(ttl="sk"), "schema-ttl", "'sk' is a key of type S"),
    (lambda: table(ttl="day", indexes=[GSI("by-day", pk=B("day"))]), "schema-ttl", "a key of type B"),
    (lambda: table(ttl="embedding", indexes=[vector()]), "schema-ttl", "is a vector"),
    (lambda: table(pk="type"), "schema-discriminator", "part of the primary key"),
    (lambda: table(discriminator="expires", ttl="expires"), "schema-discriminator", "the TTL attribute"),
    (lambda: table(discriminator="embedding", indexes=[vector()]), "schema-discriminator", "index 'near'"),
    (lambda: table(indexes=[GSI("by-type", pk=N("type"))]), "schema-discriminator", "a key of type N"),
    (lambda: table(tags={"": "x"}), "schema-tag", "a key of 0 characters"),
    (lambda: table(tags={"k" * 129: ""}), "schema-tag", "a key of 129 characters"),
    (lambda: table(tags={"k": "v" * 257}), "schema-tag", "a value of 257 characters"),
    (lambda: table(tags={"aws:x": "y"}), "schema-tag", "only AWS may write"),
    (lambda: table(tags={"n": 1}), "schema-tag", "not of two texts"),
    (lambda: table(tags={f"k{n}": "" for n in range(51)}), "schema-tag", "51 tags"),
    (lambda: table(encryption=""), "schema-encryption", "encryption=''"),
    (lambda: table(encryption=True), "schema-encryption", "encryption=True"),
]


@pytest.mark.parametrize(("declare", "code", "message"), INVALID, ids=[message for _, _, message in INVALID])
def test_an_invalid_declaration_raises(declare: Callable[[], object], code: str, message: str) -> None:
    with pytest.raises(SchemaError) as raised:
        declare()

    assert raised.value.code == code
    assert message in str(raised.value)
    assert raised.value.fix


@pytest.mark.parametrize("code", SECTIONS)
def test_every_example_raises_the_error_it_explains(code: str) -> None:
    example = "\n".join(line[4:] for line in SECTIONS[code].splitlines() if line.startswith("    "))
    with pytest.raises(SchemaError) as raised:
        exec(example, {name: getattr(pksk.schema, name) for name in pksk.schema.__all__})

    assert raised.value.code == code


def test_the_limits_of_dynamodb_can_be_declared() -> None:
    gsis = [*HUNDRED, *(GSI(f"more-{n}", pk=list("abcd"), sk=list("efgh")) for n in range(15))]
    lsis = [LSI(f"lsi-{n}", sk="a" * 255) for n in range(5)]
    vectors = [vector(f"near-{n}", dimensions=4096, filters=[f"f{m}" for m in range(18)]) for n in range(5)]

    assert len(Table("t" * 255, indexes=[*gsis, *lsis, *vectors]).indexes) == 30


def test_an_index_can_project_a_key_attribute() -> None:
    assert table(indexes=[GSI("by-day", pk="day", projection=["pk", "day"])]).index("by-day").keys == (
        "day",
        "pk",
        "sk",
    )


def test_a_number_key_can_be_the_ttl_attribute() -> None:
    assert table(sk=N("expires"), ttl="expires").ttl == "expires"
