"""Requests of every operation that succeed, and the tables and items for them: data."""

from __future__ import annotations

from itertools import count
from typing import Any

from pksk.engine import Engine
from pksk.engine.control_plane.stored_backups import Backup
from pksk.engine.core import Core
from pksk.engine.row_layout import stored_bytes
from pksk.engine.state import Shard, Stream, TableRecord
from pksk.engine.state.stream_record import with_first_shards
from pksk.engine.streams.find_stream import find_stream
from pksk.engine.streams.shard_iterator import ShardPosition, write_iterator

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


def _vector(*numbers: str) -> Request:
    return {"L": [{"N": number} for number in numbers]}


UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/orders"
OTHER_STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/others"

# The backup of `orders`.
BACKUP = "01767225600000-0123abcd"
ORDERS_BACKUP = f"{_arn('orders')}/backup/{BACKUP}"

# The stream of `orders`.
LABEL = "2026-01-01T00:00:00.000"
ORDERS_STREAM = f"{_arn('orders')}/stream/{LABEL}"
NAMED_AT = 1_767_225_600.0
NEVER = 1e11
_STREAM: Stream = {"label": LABEL, "view": "KEYS_ONLY", "space": 0, "opened": 0.0, "shards": []}
SHARD = with_first_shards(_STREAM, count(1).__next__, NAMED_AT, [0])["shards"][0]["id"]

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

PICTURES: Request = {
    "TableName": "pictures",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": _key("id"),
    "AttributeDefinitions": _types(id="S", shop="S", year="N"),
    "VectorIndexes": [{
        "IndexName": "by-look", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 3,
        "Projection": {"ProjectionType": "ALL"}, "DistanceFunction": "EUCLIDEAN",
        "SearchSchema": [
            {"AttributeName": "shop", "SearchSchemaElementType": "HASH"},
            {"AttributeName": "year", "SearchSchemaElementType": "INLINE_FILTER"},
        ],
    }],
}  # fmt: skip

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
    ("pictures", {"id": {"S": "a"}, "shop": {"S": "x"}, "year": {"N": "7"}, "v": _vector("1", "0.5", "-2")}),
    ("pictures", {"id": {"S": "b"}, "shop": {"S": "x"}, "year": {"N": "7"}, "v": _vector("1", "2", "3")}),
]

SET_UP: list[tuple[str, Request]] = [
    ("CreateTable", ORDERS),
    ("CreateTable", PARTS),
    ("CreateTable", GUARDED),
    ("CreateTable", PICTURES),
    ("UpdateContinuousBackups", {
        "TableName": "guarded", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }),
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
        if request is ORDERS:
            _name_stream(engine._core)
    _name_backup(engine)
    return engine


def _name_backup(engine: Engine) -> None:
    """Back up `orders`, under an ARN that is the same whenever it was taken."""
    engine.call("CreateBackup", {"TableName": "orders", "BackupName": "nightly"})
    core = engine._core
    with core.storage.writing() as writer:
        for name, data in core.storage.notes("backup/").items():
            writer.note(name, None)
            backup = Backup({**Backup.of(data).record, "id": BACKUP})
            writer.note(backup.note_name, stored_bytes(backup.record))


def _name_stream(core: Core) -> None:
    """Give the stream of `orders` names that are the same whenever it was made, for requests to be data."""
    with core.catalogue.change() as change:
        table = core.catalogue.table("orders")
        stream: Stream = {**table.record["streams"][0], "label": LABEL}
        named = with_first_shards(
            stream, count(1).__next__, NAMED_AT, [part.number for part in table.partitions]
        )
        shards: list[Shard] = [{**shard, "opened": change.now} for shard in named["shards"]]
        record: TableRecord = {**table.record, "TableId": "1", "streams": [{**named, "shards": shards}]}
        change.save(table, record)


def _iterator() -> str:
    """An iterator at the beginning of a shard, as old as no engine is yet."""
    core = set_up(Engine.open())._core
    found = find_stream(core, ORDERS_STREAM)
    return write_iterator(ShardPosition(found, found.record["shards"][0], 1), NEVER)


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
    ("SearchVectors", {
        "TableName": "pictures", "IndexName": "by-look", "SearchVector": _vector("1", "1e-3", "0")["L"], "TopK": 5,
        "SearchConditionExpression": "shop = :shop AND #y = :year", "ProjectionExpression": "id, v[1]",
        "ExpressionAttributeNames": {"#y": "year"},
        "ExpressionAttributeValues": {":shop": {"S": "x"}, ":year": {"N": "7.0"}},
        "ReturnConsumedCapacity": "INDEXES",
    }),
    ("UpdateItem", {
        "TableName": "pictures", "Key": {"id": {"S": "a"}}, "UpdateExpression": "SET v[1] = :n, shop = :s",
        "ExpressionAttributeValues": {":n": {"N": "9"}, ":s": {"S": "y"}}, "ReturnConsumedCapacity": "INDEXES",
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
    ("ExecuteStatement", {
        "Statement": "SELECT pk, \"map\".deep[0] FROM \"orders\" WHERE pk = ? AND sk BETWEEN ? AND 9 AND NOT "
                     "(note IS MISSING OR size(texts) > ?) ORDER BY sk DESC",
        "Parameters": [{"S": "a"}, {"N": "-9"}, {"N": "5"}], "ConsistentRead": True, "Limit": 5,
        "ReturnConsumedCapacity": "INDEXES",
    }),
    ("ExecuteStatement", {
        "Statement": "INSERT INTO orders VALUE {'pk': 'new', 'sk': 1, 'tags': ?, 'm': {'l': [true, null]}}",
        "Parameters": [{"SS": ["a", "b"]}], "ReturnConsumedCapacity": "TOTAL",
    }),
    ("ExecuteStatement", {
        "Statement": "UPDATE orders SET amount = amount + ? SET texts = set_add(texts, <<'c'>>) REMOVE note "
                     "WHERE pk = 'a' AND sk = 1 AND amount < ? RETURNING MODIFIED NEW *",
        "Parameters": [{"N": "1"}, {"N": "99"}], "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }),
    ("ExecuteStatement", {"Statement": "SELECT * FROM \"orders\".\"by-status\" WHERE status IN ['open', 'paid']"}),
    ("ExecuteStatement", {"Statement": "DELETE FROM orders WHERE pk = 'a' AND sk = 2 RETURNING ALL OLD *"}),
    ("BatchExecuteStatement", {
        "Statements": [
            {"Statement": "SELECT note FROM orders WHERE pk = ? AND sk = ?", "Parameters": [{"S": "a"}, {"N": "1"}],
             "ConsistentRead": True},
            {"Statement": "SELECT * FROM parts WHERE id = ?", "Parameters": [{"B": "AAA="}]},
        ],
        "ReturnConsumedCapacity": "INDEXES",
    }),
    ("BatchExecuteStatement", {
        "Statements": [
            {"Statement": "DELETE FROM orders WHERE pk = 'a' AND sk = 1 AND amount = 11",
             "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
            {"Statement": "INSERT INTO guarded VALUE {'n': ?}", "Parameters": [{"N": "7"}]},
        ],
    }),
    ("ExecuteTransaction", {
        "TransactStatements": [
            {"Statement": "EXISTS(SELECT * FROM orders WHERE pk = 'b' AND sk = 1 AND status = 'paid')"},
            {"Statement": "UPDATE orders SET note = ? WHERE pk = 'a' AND sk = 1", "Parameters": [{"S": "x"}],
             "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
        ],
        "ClientRequestToken": "other token", "ReturnConsumedCapacity": "INDEXES",
    }),
    ("ExecuteTransaction", {"TransactStatements": [{"Statement": "SELECT * FROM guarded WHERE n = 0"}]}),
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
    ("UpdateTable", {"TableName": "pictures", "VectorIndexUpdates": [{"Delete": {"IndexName": "by-look"}}]}),
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
    ("ListStreams", {"TableName": "orders", "Limit": 5, "ExclusiveStartStreamArn": _arn("absent/stream/none")}),
    ("DescribeStream", {
        "StreamArn": ORDERS_STREAM, "Limit": 5, "ExclusiveStartShardId": SHARD,
        "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": SHARD},
    }),
    ("DescribeStream", {"StreamArn": ORDERS_STREAM}),
    ("GetShardIterator", {
        "StreamArn": ORDERS_STREAM, "ShardId": SHARD, "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
        "SequenceNumber": "100000000000000000001",
    }),
    ("GetShardIterator", {
        "StreamArn": ORDERS_STREAM, "ShardId": SHARD, "ShardIteratorType": "AT_TIMESTAMP", "Timestamp": NAMED_AT,
    }),
    ("GetRecords", {"ShardIterator": _iterator(), "Limit": 3}),
    ("CreateBackup", {"TableName": "orders", "BackupName": "by-hand"}),
    ("DescribeBackup", {"BackupArn": ORDERS_BACKUP}),
    ("ListBackups", {
        "TableName": "orders", "Limit": 5, "BackupType": "ALL", "TimeRangeLowerBound": 0,
        "TimeRangeUpperBound": 1767225600.5, "ExclusiveStartBackupArn": ORDERS_BACKUP,
    }),
    ("DeleteBackup", {"BackupArn": ORDERS_BACKUP}),
    ("RestoreTableFromBackup", {
        "TargetTableName": "restored", "BackupArn": ORDERS_BACKUP, "BillingModeOverride": "PROVISIONED",
        "ProvisionedThroughputOverride": UNITS, "LocalSecondaryIndexOverride": ORDERS["LocalSecondaryIndexes"][:1],
        "GlobalSecondaryIndexOverride": [
            {**ORDERS["GlobalSecondaryIndexes"][1], "ProvisionedThroughput": UNITS},
        ],
        "SSESpecificationOverride": {"Enabled": True, "SSEType": "KMS"},
    }),
    ("RestoreTableFromBackup", {
        "TargetTableName": "restored", "BackupArn": ORDERS_BACKUP,
        "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}, "VectorIndexOverride": [],
    }),
    ("RestoreTableToPointInTime", {
        "SourceTableName": "guarded", "TargetTableName": "restored", "UseLatestRestorableTime": True,
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
