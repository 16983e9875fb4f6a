"""CreateTable: the checks of indexes, and their messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import NAME, Opened, defined, index, key, searched, table, units, vector

INVALID = "One or more parameter values were invalid: "


def error_of(**members: Any) -> str:
    return Opened().invalid("CreateTable", table(**members))


# Definitions.


def test_the_error_about_an_unused_definition_lists_definitions_and_keys_in_the_order_of_aws() -> None:
    # As AWS printed them to users in 2020 and 2015.
    products = error_of(
        KeySchema=key("ProductId", "ProductName"),
        AttributeDefinitions=defined("ProductId", "ProductName", "CreatedTime", "ProductDescription"),
        GlobalSecondaryIndexes=[index("GSI", "CreatedTime")],
    )
    hashes = error_of(
        KeySchema=key("hash"),
        AttributeDefinitions=defined("hash", "index", "extra"),
        GlobalSecondaryIndexes=[index("by-index", "index")],
    )

    text = f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
    assert products == (
        f"{text}[ProductId, CreatedTime, ProductDescription, ProductName], "
        "keys used: [CreatedTime, ProductName, ProductId]"
    )
    assert hashes == f"{text}[index, hash, extra], keys used: [index, hash]"


def test_the_error_about_undefined_index_keys_lists_them_in_the_order_of_aws() -> None:
    # As AWS printed them to a user in 2025.
    expected = (
        "status_message, metadata, description, created_at, access_count, external_id, type, size, updated_at, "
        "name, id, linked_to, status"
    )
    names = [
        "id", "name", "description", "metadata", "type", "size", "linked_to", "access_count", "status",
        "status_message", "created_at", "updated_at", "external_id",
    ]  # fmt: skip

    message = error_of(
        KeySchema=key("id"),
        AttributeDefinitions=defined(*names),
        GlobalSecondaryIndexes=[index("by-user", "user_id", "created_at")],
    )

    assert message == (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [user_id, created_at], "
        f"AttributeDefinitions: [{expected}]"
    )


# Local indexes.


def local(*indexes: dict[str, Any], names: tuple[str, ...] = ("pk", "sk", "a")) -> str:
    return error_of(
        KeySchema=key("pk", "sk"), AttributeDefinitions=defined(*names), LocalSecondaryIndexes=list(indexes)
    )


def test_local_indexes_need_a_table_with_a_sort_key() -> None:
    message = error_of(
        AttributeDefinitions=defined("pk", "a"), LocalSecondaryIndexes=[index("by-a", "pk", "a")]
    )

    assert message == (
        f"{INVALID}Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex"
    )


def test_a_local_index_needs_a_sort_key() -> None:
    assert local(index("by-a", "pk"), names=("pk", "sk")) == (
        f"{INVALID}Index KeySchema does not have a range key for index: by-a"
    )


def test_a_local_index_has_the_partition_key_of_its_table() -> None:
    assert local(index("by-a", "a", "sk")) == (
        f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: by-a. "
        "index hash key: a, table hash key: pk"
    )


def test_a_table_has_at_most_five_local_indexes() -> None:
    indexes = [index(f"by-{number}", "pk", "a") for number in range(6)]

    assert local(*indexes) == f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of 5"


# Global indexes.


def indexed(*indexes: dict[str, Any], names: tuple[str, ...] = ("pk", "a"), **members: Any) -> str:
    return error_of(AttributeDefinitions=defined(*names), GlobalSecondaryIndexes=list(indexes), **members)


@pytest.mark.parametrize("member", ["LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"])
def test_an_empty_list_of_indexes_is_rejected(member: str) -> None:
    assert error_of(**{member: []}) == f"{INVALID}List of {member} is empty"


def test_a_table_has_at_most_twenty_global_indexes() -> None:
    indexes = [index(f"by-{number}", "a") for number in range(21)]

    assert indexed(*indexes) == f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20"


def test_indexes_of_all_kinds_must_have_different_names() -> None:
    message = error_of(
        KeySchema=key("pk", "sk"),
        AttributeDefinitions=defined("pk", "sk", "a"),
        LocalSecondaryIndexes=[index("same", "pk", "a")],
        GlobalSecondaryIndexes=[index("same", "a")],
    )

    assert message == f"{INVALID}Duplicate index name: same"


def test_a_projection_needs_a_type() -> None:
    assert indexed(index("by-a", "a", Projection={})) == f"{INVALID}Unknown ProjectionType: null"


@pytest.mark.parametrize("kind", ["ALL", "KEYS_ONLY"])
def test_only_an_include_projection_names_attributes(kind: str) -> None:
    projection = {"ProjectionType": kind, "NonKeyAttributes": ["x"]}

    assert indexed(index("by-a", "a", Projection=projection)) == (
        f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified"
    )


def test_an_include_projection_must_name_attributes() -> None:
    include = {"ProjectionType": "INCLUDE"}
    text = f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified"

    assert indexed(index("by-a", "a", Projection=include)) == text
    assert local(index("by-a", "pk", "a", Projection=include)) == text


def test_a_projection_names_each_attribute_once_and_can_name_keys() -> None:
    twice = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y", "x"]}
    keys = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["pk", "a", "x"]}
    opened = Opened()

    message = indexed(index("by-a", "a", Projection=twice))
    # AWS's own example names the table's key.
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GCICli.html
    opened.create(
        AttributeDefinitions=defined("pk", "a"),
        GlobalSecondaryIndexes=[index("by-a", "a", Projection=keys)],
    )

    assert message == f"{INVALID}Duplicate element in NonKeyAttributes: x"
    assert opened.describe()["GlobalSecondaryIndexes"][0]["Projection"] == keys


def test_all_projections_together_name_at_most_100_attributes() -> None:
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": [f"n{number}" for number in range(20)]}
    indexes = [index(f"by-{number}", "a", Projection=projection) for number in range(6)]
    definitions = defined("pk", "a")

    assert indexed(*indexes).endswith("exceeds the per-table limit of 100")
    Opened().create(AttributeDefinitions=definitions, GlobalSecondaryIndexes=indexes[:5])


def test_an_index_of_a_provisioned_table_needs_capacity_units() -> None:
    message = indexed(index("by-a", "a"), BillingMode="PROVISIONED", ProvisionedThroughput=units())

    assert message == f"{INVALID}ProvisionedThroughput is not specified for index: by-a"


def test_an_index_on_demand_cannot_have_capacity_units() -> None:
    assert indexed(index("by-a", "a", ProvisionedThroughput=units())) == (
        f"{INVALID}ProvisionedThroughput should not be specified for index: by-a when BillingMode is PAY_PER_REQUEST"
    )


def wide(hashes: int, ranges: int) -> tuple[dict[str, Any], list[str]]:
    names = [f"h{number}" for number in range(hashes)] + [f"r{number}" for number in range(ranges)]
    kinds = ["HASH"] * hashes + ["RANGE"] * ranges
    schema = [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, kinds, strict=True)]
    return index("wide", KeySchema=schema), names


def test_keys_of_global_indexes_have_up_to_four_attributes_each() -> None:
    made, names = wide(4, 4)
    opened = Opened()

    opened.create(AttributeDefinitions=defined("pk", *names), GlobalSecondaryIndexes=[made])

    assert opened.describe()["GlobalSecondaryIndexes"][0]["KeySchema"] == made["KeySchema"]
    rows = opened.catalogue.table(NAME).indexes["wide"]
    assert [key.name for key in rows.partition] == names[:4]
    assert [key.name for key in rows.sort] == names[4:]


@pytest.mark.parametrize(("hashes", "ranges", "kind"), [(5, 0, "HASH"), (1, 5, "RANGE")])
def test_keys_of_global_indexes_cannot_have_a_fifth_attribute(hashes: int, ranges: int, kind: str) -> None:
    made, names = wide(hashes, ranges)

    message = indexed(made, names=("pk", *names))

    assert (
        message
        == f"Invalid KeySchema: The KeySchema exceeds the maximum allowed number of {kind} key attributes"
    )


def test_all_hash_attributes_come_first() -> None:
    made, names = wide(1, 1)
    made["KeySchema"].append({"AttributeName": "pk", "KeyType": "HASH"})

    assert indexed(made, names=("pk", *names)) == (
        "Invalid KeySchema: All HASH key attributes must precede RANGE key attributes in the KeySchema"
    )


def test_an_index_key_cannot_have_an_attribute_twice() -> None:
    made, names = wide(1, 1)
    made["KeySchema"].append({"AttributeName": "h0", "KeyType": "RANGE"})

    assert indexed(made, names=("pk", *names)) == (
        "Invalid KeySchema: The KeySchema contains multiple key attributes with the same name"
    )


# Vector indexes.


def test_vector_indexes_need_a_table_on_demand() -> None:
    message = error_of(BillingMode="PROVISIONED", ProvisionedThroughput=units(), VectorIndexes=[vector()])

    assert message == f"{INVALID}Vector indexes are only supported for PAY_PER_REQUEST tables"


@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        (
            [vector(f"n-{number}") for number in range(6)],
            "VectorIndex count exceeds the per-table limit of 5",
        ),
        ([vector(Dimensions=4097)], "Number of dimensions must be between 1 and 4096 inclusive."),
        (
            [vector(), vector("far", Dimensions=4)],
            "Conflicting attribute definition for 'embedding'. "
            "All VectorIndexes on the same vector attribute must use the same dimensions.",
        ),
        (
            [vector(VectorAttribute={"AttributeName": "pk"})],
            "Conflicting attribute definition for 'pk'. An attribute cannot be defined in AttributeDefinitions "
            "when used as a VectorAttribute.",
        ),
        (
            [vector(SearchSchema=searched(tenant="HASH"))],
            "One element in SearchSchema is not defined in attribute definitions",
        ),
    ],
)
def test_vector_indexes_have_limits(indexes: list[dict[str, Any]], text: str) -> None:
    assert error_of(VectorIndexes=indexes) == f"{INVALID}{text}"


def test_a_search_schema_has_one_partition_key_and_18_filters() -> None:
    names = [f"f{number}" for number in range(19)]
    two = error_of(
        AttributeDefinitions=defined("pk", "a", "b"),
        VectorIndexes=[vector(SearchSchema=searched(a="HASH", b="HASH"))],
    )
    many = error_of(
        AttributeDefinitions=defined("pk", *names),
        VectorIndexes=[vector(SearchSchema=searched(**dict.fromkeys(names, "INLINE_FILTER")))],
    )

    assert "more than one HASH element" in two
    assert "exceeds the limit of 18 for index: near" in many
