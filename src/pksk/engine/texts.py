"""DynamoDB's messages that are raised in several places, word for word.

A message that is raised in one place is written there. Messages about expressions are in `pksk.expressions.texts`,
those about numbers in `pksk.values.numbers`, and those about broken constraints in `pksk.engine.request.messages`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.schema.quotas import GSI_COUNT
from pksk.values.numbers import SERVICE_MESSAGES

# How many messages begin.
INVALID: Final = "One or more parameter values were invalid: "
NOT_VALID: Final = "One or more parameter values are not valid. "
KEY_SCHEMA: Final = "Invalid KeySchema: "
SEARCH_CONDITION: Final = "Invalid SearchConditionExpression: "
EXCEEDED: Final = "Subscriber limit exceeded: "
# What PutItem, UpdateItem and DeleteItem put before the violations of a request.
PREFIX: Final = "1 validation error detected: "

# Tables.
IN_USE: Final = "Attempt to change a resource which is still in use: "
CHANGES: Final = {"CREATING": "created", "UPDATING": "updated", "DELETING": "deleted"}
# Ours: one engine is one region of one account.
GLOBAL_TABLES: Final = f"{INVALID}Global tables are not supported"
NEITHER_UNITS: Final = (
    f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
    "when BillingMode is PAY_PER_REQUEST"
)
UNITS_MISSING: Final = (
    f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified "
    "when BillingMode is PROVISIONED"
)


def foreign_arn(arn: str) -> str:
    """An ARN of another region, or not of a valid table name."""
    return f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"


def table_busy(status: str, name: str) -> str:
    """A change of a table that is still changing."""
    return f"{IN_USE}Table is being {CHANGES[status]}: {name}"


def only_operation(what: str) -> str:
    """A change that needs a request of its own."""
    return f"{INVALID}{what} modification must be the only operation in the request"


def sse_needs_kms(member: str) -> str:
    """An encryption setting that needs KMS."""
    return f"{INVALID}{member} can only be specified when SSEType is KMS and SSE is enabled"


# Indexes.
FIRST_NOT_HASH: Final = f"{KEY_SCHEMA}The first KeySchemaElement is not a HASH key type"
TOO_MANY_GLOBAL: Final = f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {GSI_COUNT}"
ONE_INDEX_AT_A_TIME: Final = (
    f"{EXCEEDED}Only 1 online index can be created or deleted simultaneously per table"
)
VECTOR_STAYS_ON_DEMAND: Final = f"{INVALID}Tables with vector indexes must be in PAY_PER_REQUEST mode"
VECTOR_NEEDS_ON_DEMAND: Final = f"{INVALID}Vector indexes are only supported for PAY_PER_REQUEST tables"


def index_units(name: str) -> str:
    """Capacity units for an index of a table on demand."""
    return (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} "
        "when BillingMode is PAY_PER_REQUEST"
    )


def redefined(existing: str, new: str) -> str:
    """A key attribute, or a vector, that gets another type."""
    return (
        f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as previously "
        f"defined. Existing schema: {existing} New schema: {new}"
    )


def printed_vector_schema(attribute: str, dimensions: int) -> str:
    """The key schema of a vector index as the service prints it."""
    return f"VectorIndexSchema:[VectorAttribute: key{{{attribute}:L:{dimensions}}}]"


def index_busy(status: str, table: str, index: str) -> str:
    """A change of an index that is still changing; the two spaces are the service's."""
    return f"{IN_USE}Index is being {CHANGES[status]}.  Table: {table} Index: {index}"


# Tags, policies, insights, destinations, backups, streams.
TOO_MANY_TAGS: Final = "Number of Tags exceed the current limit for the provided ResourceArn"
NO_POLICY: Final = "Resource-based policy not found for the provided ResourceArn: "
POLICY_NOT_JSON: Final = f"{INVALID}Invalid policy document: This policy contains invalid Json"
INSIGHTS_TOKEN: Final = f"{INVALID}Invalid NextToken"
# The service says "enable" in all of them.
DESTINATION_STATE: Final = "Table is not in a valid state to enable Kinesis Streaming Destination: "
BACKUP_IN_USE: Final = (
    "There is another ongoing conflicting backup control plane operation on the table. "
    "The backup is either being created, deleted or restored to a table."
)
TRIMMED: Final = "The data you are trying to access has been trimmed"
# Ours, after the service's own description, as its words are not known.
INVALID_ITERATOR: Final = "Invalid ShardIterator"


def backups_starting(name: str) -> str:
    """A request about backups of a table that is still CREATING."""
    return f"Backups are being enabled for the table: {name}. Please retry later"


# Items and their keys.
NOT_NUMERIC: Final = SERVICE_MESSAGES["value-not-a-number"]
TOO_DEEP: Final = "Nesting Levels have exceeded supported limits"
NESTING: Final = f"{TOO_DEEP}: Attributes in the item have nested levels beyond supported limit"
EMPTY_NAME: Final = "Empty attribute name"
LONG_NAME: Final = "Attribute name is too large, must be less than 65536 bytes"
DUPLICATES: Final = "Provided list of item keys contains duplicates"
# DynamoDB words a member of a batch with no action or two actions as if it were an attribute value.
EMPTY_VALUE: Final = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL_TYPES: Final = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
ITEM_TWICE: Final = "Transaction request cannot include multiple operations on one item"
TOO_LARGE: Final = "Transaction size has exceeded the maximum allowed size of 4 MB"
ITEM_TOO_LARGE: Final = "Item size has exceeded the maximum allowed size"
UPDATE_TOO_LARGE: Final = "Item size to update has exceeded the maximum allowed size"
KEY_MISMATCH: Final = "The provided key element does not match the schema"
TRANSACTION_CONFLICT: Final = "Transaction is ongoing for the item"
# The missing space is the service's.
PARTITION_KEY_TOO_LONG: Final = (
    f"{INVALID}Size of hashkey has exceeded the maximum size limit of{PARTITION_KEY_BYTES} bytes"
)
SORT_KEY_TOO_LONG: Final = (
    f"{INVALID}Aggregated size of all range keys has exceeded the size limit of {SORT_KEY_BYTES} bytes"
)
KINDS: Final = {"S": "string", "B": "binary"}


def not_numeric(text: str) -> str:
    """A string that is not a number; the older wording ends before the colon if it is empty."""
    return f"{NOT_NUMERIC}: {text}"


def index_key_type(name: str, expected: str, actual: str, index: str) -> str:
    """A write whose attribute cannot be the key of an index."""
    return f"{INVALID}Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}"


def index_key_size(name: str, actual: int, most: int, index: str) -> str:
    """A write whose attribute is too long for the key of an index."""
    return (
        f"{INVALID}Size limit exceeded for Index Key {name} Actual Size: {actual} bytes "
        f"Max Size: {most} bytes IndexName: {index}"
    )


def empty_key(name: str, kind: str) -> str:
    """A key attribute with an empty string or binary."""
    return (
        f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {KINDS[kind]} value. "
        f"Key: {name}"
    )


def empty_index_key(name: str, kind: str, index: str) -> str:
    """An index key attribute with an empty string or binary."""
    return (
        f"{NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a key "
        f"attribute cannot contain an empty {KINDS[kind]} value. IndexName: {index}, IndexKey: {name}"
    )


# Reads.
# Of scans, the same sentence has no full stop.
SCAN_VECTOR_INDEX: Final = "Scan operation not supported on this index type"
QUERY_VECTOR_INDEX: Final = "Query operation not supported on this index type."
UNSUPPORTED_CONDITION: Final = "Query key condition not supported"
TYPE_MISMATCH: Final = f"{INVALID}Condition parameter type does not match schema type"
START_KEY_INVALID: Final = "The provided starting key is invalid"
SEGMENT_TOO_LARGE: Final = "The Segment parameter is zero-based and must be less than parameter TotalSegments"
BAD_OPERATOR: Final = f"{SEARCH_CONDITION}Invalid operator used in SearchConditionExpression"


def mixed_parameters(legacy: Iterable[str], expressions: Iterable[str]) -> str:
    """A request with expressions and legacy parameters."""
    return (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{', '.join(legacy)}}} Expression parameters: {{{', '.join(expressions)}}}"
    )


def invalid_start_key(reason: str) -> str:
    """A start key with an invalid value, or in the older wording without the keys of the schema."""
    return f"{START_KEY_INVALID}: {reason}"


def no_index(name: str) -> str:
    """A read of an index that does not exist."""
    return f"The table does not have the specified index: {name}"


# Names that the service prints as its sets have them.
def set_order(names: Iterable[str]) -> str:
    """A list of strings in the order of a Java HashSet to which they are added one by one."""
    distinct = list(dict.fromkeys(names))
    buckets = 16
    while len(distinct) > buckets * 3 // 4:
        buckets *= 2
    return _by_bucket(distinct, buckets)


def sized_set_order(names: Iterable[str]) -> str:
    """A list of strings in the order of a Java HashSet that is created for their number plus a third."""
    distinct = list(dict.fromkeys(names))
    return _by_bucket(distinct, 1 << (len(distinct) * 4 // 3).bit_length())


def _by_bucket(names: list[str], buckets: int) -> str:
    return f"[{', '.join(sorted(names, key=lambda name: _spread(name) & (buckets - 1)))}]"


def _spread(name: str) -> int:
    """The bits of a string's hash that choose its bucket."""
    code = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code ^ (code >> 16)


# PartiQL.
AFTER_EXPRESSION: Final = "Unexpected token after expression"
EMPTY_GROUP: Final = "Expression group cannot be empty"
EXPECTED_NAME: Final = "Expected identifier for simple path"
EXPECTED_OPERATION: Final = "Expected data manipulation"
INVALID_DOT: Final = "Invalid path dot component"
MISSING_OPERAND: Final = "Missing right-hand side expression of infix operator"
STAR_AND_OTHERS: Final = (
    "Other expressions may not be present in the select list when '*' is used without dot notation."
)
UNEXPECTED_KEYWORD: Final = "Unexpected keyword"
UNEXPECTED_OPERATOR: Final = "Unexpected operator"
UNEXPECTED_TERM: Final = "Unexpected term"
UNEXPECTED_CONDITION: Final = "Unexpected condition"
UNEXPECTED_PATH_COMPONENT: Final = "Unexpected path component"
UNEXPECTED_SOURCE: Final = "Unexpected from source"
UNSUPPORTED_OPERATOR: Final = "Unsupported operator"
ALIASING: Final = "Aliasing is not supported"
EXISTS_ALONE: Final = "EXISTS can only be used in ExecuteTransaction write requests."
EXISTS_NEEDS_CONDITION: Final = "EXISTS() must contain a single item read with additional condition"
EXISTS_SELECT: Final = "EXISTS must have a SELECT statement as its argument"
INSERT_SEVERAL: Final = (
    "Unsupported operation: Inserting multiple items in a single statement is not supported, "
    'use "INSERT INTO tableName VALUE item" instead'
)
SEVERAL_KEYS: Final = (
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys "
    "or multi-attribute RANGE keys."
)
NEXT_TOKEN: Final = "NextToken does not match request"
SELECT_NEEDS_KEY: Final = (
    "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
)


def unsupported_clause(name: str) -> str:
    """A clause that DynamoDB's PartiQL does not have."""
    return f"Unsupported clause: {name}"


def too_many_operands(count: int) -> str:
    """An IN with too many values."""
    return f"The IN operator is provided with too many operands; number of operands: {count}"
