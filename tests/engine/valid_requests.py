"""Requests that are in order, for every operation, and the tables and items that they are meant for: data."""

from __future__ import annotations

from typing import Any

from pksk.engine import Engine

__all__ = ["SET_UP", "VALID", "set_up"]

Request = dict[str, Any]


def _arn(name: str) -> str:
    return f"arn:aws:dynamodb:us-east-1:000000000000:table/{name}"


def _key(*names: str) -> list[dict[str, str]]:
    """A key schema; the names of sort keys begin with a dash."""
    return [
        {"AttributeName": name.lstrip("-"), "KeyType": "RANGE" if name[0] == "-" else "HASH"}
        for name in names
    ]


def _types(**types: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def _index(name: str, *keys: str, projected: Any = "ALL", **members: Any) -> Request:
    if isinstance(projected, str):
        projection: Request = {"ProjectionType": projected}
    else:
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": projected}
    return {"IndexName": name, "KeySchema": _key(*keys), "Projection": projection, **members}


UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/orders"
OTHER_STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/others"

ORDERS: Request = {
    "TableName": "orders",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": _key("pk", "-sk"),
    "AttributeDefinitions": _types(pk="S", sk="N", amount="N", status="S", day="B"),
    "LocalSecondaryIndexes": [
        _index("by-amount", "pk", "-amount", projected="KEYS_ONLY"),
        _index("by-day", "pk", "-day"),
    ],
    "GlobalSecondaryIndexes": [
        _index("by-status", "status", "-amount", projected=["note"]),
        _index("several", "status", "day", "-amount", "-sk", projected="KEYS_ONLY"),
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    "Tags": [{"Key": "team", "Value": "shop"}],
}
PARTS: Request = {
    "TableName": "parts",
    "ProvisionedThroughput": UNITS,
    "KeySchema": _key("id"),
    "AttributeDefinitions": _types(id="B", weight="N"),
    "GlobalSecondaryIndexes": [_index("by-weight", "weight", ProvisionedThroughput=UNITS)],
}
GUARDED: Request = {
    "TableName": "guarded",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": _key("n"),
    "AttributeDefinitions": _types(n="N"),
    "DeletionProtectionEnabled": True,
}

VALUES: Request = {
    "text": {"S": "ä"},
    "number": {"N": "1.5"},
    "binary": {"B": "eHl6"},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "texts": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2"]},
    "binaries": {"BS": ["eA==", "eQ=="]},
    "map": {"M": {"deep": {"L": [{"BOOL": True}, {"M": {"n": {"N": "7"}}}]}}},
    "list": {"L": [{"NULL": True}, {"L": []}, {"S": ""}]},
}


def _order(pk: str, sk: int, **more: Any) -> Request:
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}, **more}


FULL = _order(
    "a", 1, amount={"N": "10"}, status={"S": "open"}, day={"B": "AAE="}, note={"S": "first"}, **VALUES
)
ITEMS: list[tuple[str, Request]] = [
    ("orders", FULL),
    ("orders", _order("a", 2, amount={"N": "10"}, status={"S": "open"})),
    ("orders", _order("a", -3, amount={"N": "-1"}, day={"B": "AP8="})),
    ("orders", _order("b", 1, status={"S": "paid"}, day={"B": "AAE="}, amount={"N": "3"})),
    ("parts", {"id": {"B": "AAA="}, "weight": {"N": "1"}}),
    ("parts", {"id": {"B": "/w=="}, "name": {"S": "bolt"}}),
    ("guarded", {"n": {"N": "0"}}),
]

SET_UP: list[tuple[str, Request]] = [
    ("CreateTable", ORDERS),
    ("CreateTable", PARTS),
    ("CreateTable", GUARDED),
    ("UpdateTimeToLive", {
        "TableName": "orders", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"},
    }),
    ("EnableKinesisStreamingDestination", {"TableName": "orders", "StreamArn": STREAM}),
    ("UpdateContributorInsights", {"TableName": "orders", "ContributorInsightsAction": "ENABLE"}),
    ("PutResourcePolicy", {"ResourceArn": _arn("orders"), "Policy": '{"Version": "2012-10-17"}'}),
    *(("PutItem", {"TableName": table, "Item": item}) for table, item in ITEMS),
]  # fmt: skip


def set_up(engine: Engine) -> Engine:
    """Give an engine the tables and items."""
    for operation, request in SET_UP:
        engine.call(operation, request)
    return engine


KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
OTHER_KEY = {"pk": {"S": "a"}, "sk": {"N": "2"}}
NEW_KEY = {"pk": {"S": "new"}, "sk": {"N": "1"}}
PART_KEY = {"id": {"B": "AAA="}}
NEW = _order("new", 1, amount={"N": "1"}, status={"S": "open"}, day={"B": "AAE="}, **VALUES)
SHOWN = {"ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}
EQUALS_OPEN = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "open"}]}
PUT = {
    "TableName": "orders",
    "Item": NEW,
    "ConditionExpression": "attribute_not_exists(#pk) OR (amount < :low AND contains(tags, :tag))",
    "ExpressionAttributeNames": {"#pk": "pk"},
    "ExpressionAttributeValues": {":low": {"N": "5"}, ":tag": {"S": "x"}},
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}
UPDATE = {
    "TableName": "orders",
    "Key": KEY,
    "UpdateExpression": "SET #m.deep[0] = :yes, amount = amount + :one, fresh = if_not_exists(fresh, :items), "
    "#l = list_append(#l, :items) REMOVE binaries, #m.deep[1].n ADD numbers :three DELETE texts :a",
    "ConditionExpression": "size(#l) > :one AND amount BETWEEN :one AND :many AND NOT begins_with(note, :x)",
    "ExpressionAttributeNames": {"#m": "map", "#l": "list"},
    "ExpressionAttributeValues": {
        ":yes": {"BOOL": False}, ":one": {"N": "1"}, ":items": {"L": [{"M": {"k": {"B": "AA=="}}}]},
        ":three": {"NS": ["3"]}, ":a": {"SS": ["a"]}, ":many": {"N": "99"}, ":x": {"S": "x"},
    },
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}  # fmt: skip
DELETE = {
    "TableName": "orders",
    "Key": KEY,
    "ConditionExpression": "attribute_type(#l, :list) AND #s IN (:open, :paid)",
    "ExpressionAttributeNames": {"#l": "list", "#s": "status"},
    "ExpressionAttributeValues": {":list": {"S": "L"}, ":open": {"S": "open"}, ":paid": {"S": "paid"}},
}
READ_MORE = {
    "FilterExpression": "attribute_exists(sk) AND #t >= :zero",
    "ProjectionExpression": "pk, note, #m.deep[0], #t",
    "ExpressionAttributeNames": {"#t": "amount", "#m": "map"},
    "ExpressionAttributeValues": {":zero": {"N": "0"}},
    "ReturnConsumedCapacity": "INDEXES",
}

VALID: list[tuple[str, Request]] = [
    ("PutItem", {**PUT, "ReturnValues": "ALL_OLD", **SHOWN}),
    ("PutItem", {
        "TableName": _arn("orders"), "Item": {**FULL, "note": {"S": "again"}}, "ConditionalOperator": "OR",
        "Expected": {
            "pk": {"Exists": True, "Value": {"S": "a"}},
            "amount": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "1"}]},
        },
    }),
    ("GetItem", {
        "TableName": "orders", "Key": KEY, "ConsistentRead": True, "ReturnConsumedCapacity": "TOTAL",
        "ProjectionExpression": "#l[0], #m.deep[1].n, note",
        "ExpressionAttributeNames": {"#l": "list", "#m": "map"},
    }),
    ("GetItem", {"TableName": "parts", "Key": PART_KEY, "AttributesToGet": ["weight"]}),
    ("UpdateItem", {**UPDATE, "ReturnValues": "UPDATED_NEW", **SHOWN}),
    ("UpdateItem", {
        "TableName": "orders", "Key": KEY, "ReturnValues": "ALL_NEW",
        "AttributeUpdates": {
            "note": {"Value": {"S": "second"}, "Action": "PUT"},
            "numbers": {"Value": {"NS": ["5"]}, "Action": "ADD"},
            "texts": {"Value": {"SS": ["a"]}, "Action": "DELETE"},
            "binary": {"Action": "DELETE"},
        },
        "Expected": {"status": EQUALS_OPEN, "gone": {"Exists": False}},
    }),
    ("DeleteItem", {**DELETE, "ReturnValues": "ALL_OLD", **SHOWN}),
    ("Query", {
        "TableName": "orders", "KeyConditionExpression": "pk = :pk AND sk BETWEEN :low AND :high", "Limit": 2,
        "FilterExpression": "attribute_exists(note) OR size(texts) = :low",
        "ProjectionExpression": "pk, #m.deep[0]", "ExpressionAttributeNames": {"#m": "map"},
        "ExpressionAttributeValues": {":pk": {"S": "a"}, ":low": {"N": "-9"}, ":high": {"N": "9"}},
        "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "2"}}, "ScanIndexForward": False,
        "ConsistentRead": True, "Select": "SPECIFIC_ATTRIBUTES", "ReturnConsumedCapacity": "INDEXES",
    }),
    ("Query", {
        "TableName": "orders", "IndexName": "several", "Select": "COUNT",
        "KeyConditionExpression": "#s = :s AND #d = :d AND amount >= :t",
        "ExpressionAttributeNames": {"#s": "status", "#d": "day"},
        "ExpressionAttributeValues": {":s": {"S": "open"}, ":d": {"B": "AAE="}, ":t": {"N": "0"}},
        "ExclusiveStartKey": {**KEY, "status": {"S": "open"}, "day": {"B": "AAE="}, "amount": {"N": "10"}},
    }),
    ("Query", {
        "TableName": "orders", "IndexName": "by-day", "ConditionalOperator": "OR", "AttributesToGet": ["note"],
        "KeyConditions": {
            "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
            "day": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"B": "AA=="}]},
        },
        "QueryFilter": {"status": EQUALS_OPEN, "note": {"ComparisonOperator": "NOT_NULL"}},
    }),
    ("Scan", {"TableName": "orders", "Segment": 1, "TotalSegments": 3, "Limit": 5, **READ_MORE}),
    ("Scan", {
        "TableName": "orders", "IndexName": "by-status", "ScanFilter": {"note": {"ComparisonOperator": "NULL"}},
        "ExclusiveStartKey": {**KEY, "status": {"S": "open"}, "amount": {"N": "10"}},
    }),
    ("BatchGetItem", {
        "RequestItems": {
            "orders": {
                "Keys": [KEY, NEW_KEY], "ConsistentRead": True,
                "ProjectionExpression": "pk, #n", "ExpressionAttributeNames": {"#n": "note"},
            },
            _arn("parts"): {"Keys": [PART_KEY]},
        },
        "ReturnConsumedCapacity": "INDEXES",
    }),
    ("BatchWriteItem", {
        "RequestItems": {
            "orders": [{"PutRequest": {"Item": NEW}}, {"DeleteRequest": {"Key": KEY}}],
            _arn("parts"): [{"PutRequest": {"Item": {**PART_KEY, "weight": {"N": "2"}}}}],
        },
        **SHOWN,
    }),
    ("TransactGetItems", {
        "TransactItems": [
            {"Get": {
                "TableName": "orders", "Key": KEY, "ProjectionExpression": "#n, #l[1]",
                "ExpressionAttributeNames": {"#n": "note", "#l": "list"},
            }},
            {"Get": {"TableName": _arn("parts"), "Key": PART_KEY}},
        ],
        "ReturnConsumedCapacity": "INDEXES",
    }),
    ("TransactWriteItems", {
        "ClientRequestToken": "token",
        "TransactItems": [
            {"Put": PUT},
            {"Update": UPDATE},
            {"Delete": {**DELETE, "Key": OTHER_KEY, "ConditionExpression": "NOT attribute_type(#l, :list) AND "
                        "#s IN (:open, :paid)"}},
            {"ConditionCheck": {
                "TableName": "parts", "Key": PART_KEY, "ConditionExpression": "#w = :w",
                "ExpressionAttributeNames": {"#w": "weight"}, "ExpressionAttributeValues": {":w": {"N": "1"}},
            }},
        ],
        **SHOWN,
    }),
    ("CreateTable", {
        **ORDERS, "TableName": "more", "BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS,
        "GlobalSecondaryIndexes": [
            {**index, "ProvisionedThroughput": UNITS} for index in ORDERS["GlobalSecondaryIndexes"]
        ],
        "SSESpecification": {"Enabled": True, "SSEType": "KMS"}, "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "DeletionProtectionEnabled": True, "ResourcePolicy": "{}",
        "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000},
    }),
    ("CreateTable", {
        **GUARDED, "TableName": "searched",
        "AttributeDefinitions": _types(n="N", shop="S"),
        "OnDemandThroughput": {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 10},
        "VectorIndexes": [{
            "IndexName": "by-meaning", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 3,
            "Projection": {"ProjectionType": "ALL"}, "DistanceFunction": "COSINE",
            "SearchSchema": [{"AttributeName": "shop", "SearchSchemaElementType": "HASH"}],
        }],
    }),
    ("DescribeTable", {"TableName": _arn("orders")}),
    ("UpdateTable", {
        "TableName": "orders", "AttributeDefinitions": _types(number="N", sk="N"),
        "GlobalSecondaryIndexUpdates": [{"Create": _index("by-number", "number", "-sk")}],
        "OnDemandThroughput": {"MaxReadRequestUnits": 7},
    }),
    ("UpdateTable", {"TableName": "orders", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "several"}}]}),
    ("UpdateTable", {"TableName": "orders", "StreamSpecification": {"StreamEnabled": False}}),
    ("UpdateTable", {"TableName": "orders", "DeletionProtectionEnabled": True}),
    ("UpdateTable", {"TableName": "orders", "SSESpecification": {"Enabled": True}}),
    ("UpdateTable", {
        "TableName": "parts", "ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 4},
        "GlobalSecondaryIndexUpdates": [{"Update": {
            "IndexName": "by-weight",
            "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 9},
        }}],
    }),
    ("UpdateTable", {
        "TableName": "guarded", "AttributeDefinitions": _types(shop="S"), "VectorIndexUpdates": [{"Create": {
            "IndexName": "by-meaning", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 3,
            "Projection": {"ProjectionType": "ALL"}, "DistanceFunction": "COSINE",
            "SearchSchema": [{"AttributeName": "shop", "SearchSchemaElementType": "HASH"}],
        }}],
    }),
    ("DeleteTable", {"TableName": "parts"}),
    ("ListTables", {"Limit": 2, "ExclusiveStartTableName": "guarded"}),
    ("TagResource", {"ResourceArn": _arn("orders"), "Tags": [{"Key": "stage", "Value": "test"}]}),
    ("UntagResource", {"ResourceArn": _arn("orders"), "TagKeys": ["team"]}),
    ("ListTagsOfResource", {"ResourceArn": _arn("orders")}),
    ("DescribeLimits", {}),
    ("DescribeEndpoints", {}),
    ("DescribeTimeToLive", {"TableName": "orders"}),
    ("UpdateTimeToLive", {
        "TableName": "orders", "TimeToLiveSpecification": {"Enabled": False, "AttributeName": "expires"},
    }),
    ("DescribeContinuousBackups", {"TableName": "orders"}),
    ("UpdateContinuousBackups", {
        "TableName": "orders",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7},
    }),
    ("GetResourcePolicy", {"ResourceArn": _arn("orders")}),
    ("PutResourcePolicy", {
        "ResourceArn": _arn("guarded"), "Policy": '{"Statement": []}', "ExpectedRevisionId": "NO_POLICY",
    }),
    ("DeleteResourcePolicy", {"ResourceArn": _arn("orders")}),
    ("DescribeContributorInsights", {"TableName": "orders", "IndexName": "several"}),
    ("UpdateContributorInsights", {
        "TableName": "orders", "IndexName": "by-status", "ContributorInsightsAction": "ENABLE",
        "ContributorInsightsMode": "THROTTLED_KEYS",
    }),
    ("ListContributorInsights", {"TableName": "orders", "MaxResults": 5}),
    ("DescribeKinesisStreamingDestination", {"TableName": "orders"}),
    ("EnableKinesisStreamingDestination", {
        "TableName": "orders", "StreamArn": OTHER_STREAM,
        "EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MILLISECOND"},
    }),
    ("DisableKinesisStreamingDestination", {"TableName": "orders", "StreamArn": STREAM}),
    ("UpdateKinesisStreamingDestination", {
        "TableName": "orders", "StreamArn": STREAM,
        "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"},
    }),
]  # fmt: skip
