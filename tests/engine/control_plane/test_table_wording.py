"""CreateTable, UpdateTable and their neighbours: what AWS says of names, keys, projections and index updates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import NAME, Opened, defined, index, key, table

pytestmark = pytest.mark.every_transport

INVALID = "One or more parameter values were invalid: "
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
    "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
    "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
)
INDEXED = defined("pk", "sk", "a", "b")


def errors(*texts: str) -> str:
    noun = "error" if len(texts) == 1 else "errors"
    return f"{len(texts)} validation {noun} detected: {'; '.join(texts)}"


def broken(value: str, member: str, constraint: str) -> str:
    return f"Value '{value}' at '{member}' failed to satisfy constraint: {constraint}"


def shortest(length: int) -> str:
    return f"Member must have length greater than or equal to {length}"


def schema(*kinds: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(("pk", "sk", "a"), kinds, strict=False)
    ]


def included(*names: str) -> dict[str, Any]:
    return {"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(names)}}


THREE = schema("HASH", "RANGE", "RANGE")
PRINTED = (
    "[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, keyType=RANGE), "
    "KeySchemaElement(attributeName=a, keyType=RANGE)]"
)
TWO_AT_MOST = "Member must have length less than or equal to 2"
KEYED = {"KeySchema": key("pk", "sk"), "AttributeDefinitions": INDEXED}

CREATED: list[tuple[str, dict[str, Any], str]] = [
    ("a name of two characters", {"TableName": "ab"}, errors(broken("ab", "tableName", shortest(3)))),
    (
        "a table with a key of three attributes",
        {"KeySchema": THREE, "AttributeDefinitions": defined("pk", "sk", "a")},
        errors(broken(PRINTED, "keySchema", TWO_AT_MOST)),
    ),
    (
        "a local index with a key of three attributes",
        {**KEYED, "LocalSecondaryIndexes": [index("by-a", KeySchema=THREE)]},
        errors(broken(PRINTED, "localSecondaryIndexes.1.member.keySchema", TWO_AT_MOST)),
    ),
    (
        "short index names: the global ones before the local ones",
        {
            **KEYED,
            "LocalSecondaryIndexes": [index("lo", "pk", "a")],
            "GlobalSecondaryIndexes": [index("gl", "a")],
        },
        errors(
            broken("gl", "globalSecondaryIndexes.1.member.indexName", shortest(3)),
            broken("lo", "localSecondaryIndexes.1.member.indexName", shortest(3)),
        ),
    ),
    (
        "a key attribute twice, with one definition",
        {"KeySchema": key("pk", "pk")},
        "Invalid KeySchema: Some index key attribute have no definition",
    ),
    (
        "a key attribute twice, as the partition key both times, with one definition",
        {"KeySchema": [*key("pk"), *key("pk")]},
        "Invalid KeySchema: Some index key attribute have no definition",
    ),
    (
        "a key attribute twice, with two definitions",
        {"KeySchema": key("pk", "pk"), "AttributeDefinitions": defined("pk", "sk")},
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    ),
    (
        "a projection that names an attribute twice",
        {
            "AttributeDefinitions": defined("pk", "a"),
            "GlobalSecondaryIndexes": [index("by-a", "a", **included("x", "z", "y", "z", "x"))],
        },
        f"{INVALID}Duplicate element in NonKeyAttributes: z",
    ),
    (
        "an unused definition, and then a projection without a type",
        {
            "AttributeDefinitions": defined("pk", "a", "b"),
            "GlobalSecondaryIndexes": [index("by-a", "a", Projection={})],
        },
        f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, pk], keys used: [a, pk]",
    ),
]


@pytest.mark.parametrize(
    ("members", "text"), [case[1:] for case in CREATED], ids=[case[0] for case in CREATED]
)
def test_create_table_names_the_mistake(members: dict[str, Any], text: str) -> None:
    assert Opened().invalid("CreateTable", table(**members)) == text


def creating(name: str = "by-a", *names: str, **members: Any) -> dict[str, Any]:
    return {"GlobalSecondaryIndexUpdates": [{"Create": index(name, *(names or ("a",)), **members)}]}


BOTH = {"Create": index("by-a", "a"), "Delete": {"IndexName": "by-a"}}

UPDATED: list[tuple[str, dict[str, Any], str]] = [
    ("a name of two characters", {"TableName": "ab"}, errors(broken("ab", "tableName", shortest(3)))),
    ("a name alone", {}, NOTHING),
    ("definitions alone", {"AttributeDefinitions": defined("pk")}, NOTHING),
    ("an empty list of index updates", {"GlobalSecondaryIndexUpdates": []}, NOTHING),
    ("an empty list of updates of vector indexes", {"VectorIndexUpdates": []}, NOTHING),
    (
        "two actions in one entry",
        {"GlobalSecondaryIndexUpdates": [BOTH]},
        f"{INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
    ),
    (
        "an entry without an action",
        {"GlobalSecondaryIndexUpdates": [{}]},
        f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null",
    ),
    (
        "a projection that names an attribute twice",
        {"AttributeDefinitions": defined("a"), **creating(**included("z", "z"))},
        f"{INVALID}Duplicate element in NonKeyAttributes: z",
    ),
]


@pytest.mark.parametrize(
    ("members", "text"), [case[1:] for case in UPDATED], ids=[case[0] for case in UPDATED]
)
def test_update_table_names_the_mistake(members: dict[str, Any], text: str) -> None:
    opened = Opened()
    opened.create()

    assert opened.invalid("UpdateTable", {"TableName": NAME, **members}) == text


@pytest.mark.parametrize(
    ("projection", "text"),
    [
        ({"ProjectionType": "INCLUDE"}, "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"),
        (
            {"ProjectionType": "ALL", "NonKeyAttributes": ["x"]},
            "ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        ({}, "Unknown ProjectionType: null"),
    ],
)
def test_the_projection_of_a_new_index_is_checked_before_the_table(
    projection: dict[str, Any], text: str
) -> None:
    request = {"TableName": "absent", "AttributeDefinitions": defined("a"), **creating(Projection=projection)}

    assert Opened().invalid("UpdateTable", request) == f"{INVALID}{text}"


def redefined(existing: str, new: str) -> str:
    return (
        f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        f"defined. Existing schema: {existing} New schema: {new}"
    )


def test_an_attribute_of_a_key_cannot_get_another_type() -> None:
    opened = Opened()
    opened.create(AttributeDefinitions=defined("pk", "xyz"), GlobalSecondaryIndexes=[index("index1", "xyz")])

    message = opened.invalid(
        "UpdateTable",
        {"TableName": NAME, "AttributeDefinitions": defined(xyz="N"), **creating("index2", "xyz")},
    )

    assert message == redefined(
        "Schema:[SchemaElement: key{xyz:S:HASH}]", "Schema:[SchemaElement: key{xyz:N:HASH}]"
    )


def test_the_error_about_another_type_shows_all_attributes_of_both_keys() -> None:
    opened = Opened()
    opened.create(KeySchema=key("pk", "sk"), AttributeDefinitions=defined("pk", "sk"))

    message = opened.invalid(
        "UpdateTable",
        {"TableName": NAME, "AttributeDefinitions": defined("a", sk="B"), **creating("by-a", "a", "sk")},
    )

    assert message == redefined(
        "Schema:[SchemaElement: key{pk:S:HASH}, SchemaElement: key{sk:S:RANGE}]",
        "Schema:[SchemaElement: key{a:S:HASH}, SchemaElement: key{sk:B:RANGE}]",
    )


def test_another_type_of_an_attribute_that_the_new_index_does_not_use_is_ignored() -> None:
    opened = Opened()
    opened.create()

    opened.call(
        "UpdateTable", {"TableName": NAME, "AttributeDefinitions": defined("a", pk="N"), **creating()}
    )

    assert opened.describe()["AttributeDefinitions"] == defined("pk", "a")


NAMES: list[tuple[str, dict[str, Any], str]] = [
    (
        "DescribeTable",
        {"TableName": ""},
        errors(broken("", "tableName", shortest(3)), broken("", "tableName", PATTERN)),
    ),
    (
        "ListTables",
        {"ExclusiveStartTableName": ""},
        errors(
            broken("", "exclusiveStartTableName", PATTERN),
            broken("", "exclusiveStartTableName", shortest(3)),
        ),
    ),
]


@pytest.mark.parametrize(("operation", "request_", "text"), NAMES, ids=[case[0] for case in NAMES])
def test_an_empty_name_breaks_two_constraints(operation: str, request_: dict[str, Any], text: str) -> None:
    assert Opened().invalid(operation, request_) == text
