"""Tables: their defaults, their requests, and the entities registered on them."""

from __future__ import annotations

from pksk.schema import GSI, LSI, B, N, OnDemand, Provisioned, Table, VectorIndex


def test_a_table_has_a_partition_key_and_a_sort_key_by_default() -> None:
    plain, single = Table("orders"), Table("orders", sk=None)

    assert (plain.pk, plain.sk, plain.key_attributes) == ("pk", "sk", ("pk", "sk"))
    assert (single.pk, single.sk, single.key_attributes) == ("pk", None, ("pk",))
    assert (plain.stream, plain.ttl, plain.billing, plain.discriminator) == (None, None, OnDemand(), "type")


def test_the_types_are_those_of_all_keys_and_filters() -> None:
    near = VectorIndex("near", attribute="embedding", dimensions=3, pk="tenant", filters=[N("year")])
    table = Table("docs", sk=N("page"), indexes=[GSI("by-digest", pk=B("digest")), near])

    assert table.attribute_types == {
        "pk": "S",
        "page": "N",
        "digest": "B",
        "tenant": "S",
        "year": "N",
    }


def test_the_smallest_request() -> None:
    assert Table("orders", sk=None).create_request() == {
        "TableName": "orders",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


def test_a_request_with_everything_in_it() -> None:
    near = VectorIndex("near", attribute="vector", dimensions=3, distance="dot", pk="pk", filters=["lang"])
    table = Table(
        "orders",
        indexes=[
            GSI("by-day", pk=("lang", N("day")), sk="sk", projection=["total"], billing=OnDemand(max_read=9)),
            LSI("by-total", sk=N("total"), projection="keys"),
            near,
        ],
        stream=True,
        ttl="expires",
        billing=OnDemand(max_write=50),
        table_class="infrequent-access",
        deletion_protection=True,
        tags={"team": "shop"},
        encryption="alias/orders",
    )

    assert table.create_request() == {
        "TableName": "orders",
        "AttributeDefinitions": [
            {"AttributeName": "day", "AttributeType": "N"},
            {"AttributeName": "lang", "AttributeType": "S"},
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "total", "AttributeType": "N"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "LocalSecondaryIndexes": [
            {
                "IndexName": "by-total",
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "total", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by-day",
                "KeySchema": [
                    {"AttributeName": "lang", "KeyType": "HASH"},
                    {"AttributeName": "day", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]},
                "OnDemandThroughput": {"MaxReadRequestUnits": 9},
            }
        ],
        "VectorIndexes": [
            {
                "IndexName": "near",
                "VectorAttribute": {"AttributeName": "vector"},
                "SearchSchema": [
                    {"AttributeName": "pk", "SearchSchemaElementType": "HASH"},
                    {"AttributeName": "lang", "SearchSchemaElementType": "INLINE_FILTER"},
                ],
                "Projection": {"ProjectionType": "ALL"},
                "Dimensions": 3,
                "DistanceFunction": "DOT_PRODUCT",
            }
        ],
        "BillingMode": "PAY_PER_REQUEST",
        "OnDemandThroughput": {"MaxWriteRequestUnits": 50},
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/orders"},
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "DeletionProtectionEnabled": True,
        "Tags": [{"Key": "team", "Value": "shop"}],
    }
    assert table.ttl_request() == {
        "TableName": "orders",
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"},
    }


def test_an_index_of_a_provisioned_table_has_its_own_units_or_those_of_the_table() -> None:
    own = GSI("own", pk="a", billing=Provisioned(1, 2))
    table = Table("orders", indexes=[GSI("plain", pk="a"), own], billing=Provisioned(read=9, write=3))
    request = table.create_request()
    plain, stated = request["GlobalSecondaryIndexes"]

    assert request["BillingMode"] == "PROVISIONED"
    assert request["ProvisionedThroughput"] == {"ReadCapacityUnits": 9, "WriteCapacityUnits": 3}
    assert plain["ProvisionedThroughput"] == request["ProvisionedThroughput"]
    assert stated["ProvisionedThroughput"] == {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}


def test_a_table_without_ttl_has_no_ttl_request() -> None:
    assert Table("orders").ttl_request() is None


def test_equality_of_tables_ignores_entities_and_the_order_of_indexes() -> None:
    day, email = GSI("by-day", pk="day"), GSI("by-email", pk="email")
    first, second = Table("orders", indexes=[day, email]), Table("orders", indexes=[email, day])
    first.register_entity(object())

    assert first == second
    assert len({first, second}) == 1
    assert first != Table("orders", indexes=[day])
    assert first != Table("orders", indexes=[day, email], discriminator="kind")
    assert first != Table("orders", indexes=[day, email], ttl="expires")
    assert first != "orders"


def test_entities_are_registered_once_and_in_order() -> None:
    table, other = Table("orders"), Table("orders")
    first, second = [1], [1]  # equal, and yet two things
    for entity in (first, second, first):
        table.register_entity(entity)
    table.register_pattern("of a day")
    table.entities.append("not registered")

    assert [id(entity) for entity in table.entities] == [id(first), id(second)]
    assert table.patterns == ["of a day"]
    assert (other.entities, other.patterns) == ([], [])


def test_str_names_a_table_and_repr_shows_all_of_it() -> None:
    table = Table("orders", pk=N("id"), sk=None, discriminator=None, tags={"team": "shop"})

    assert str(table) == "Table 'orders'"
    assert repr(table) == "Table('orders', pk=N('id'), sk=None, discriminator=None, tags={'team': 'shop'})"
