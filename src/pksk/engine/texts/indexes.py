"""DynamoDB's messages about key schemas, indexes and projections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from .tables import IN_USE, INVALID, NO_TABLE

_SCHEMA: Final = "Invalid KeySchema: "

# Key schemas.
FIRST_NOT_HASH: Final = f"{_SCHEMA}The first KeySchemaElement is not a HASH key type"
SECOND_NOT_RANGE: Final = f"{_SCHEMA}The second KeySchemaElement is not a RANGE key type"
SAME_KEY_NAMES: Final = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
SAME_KEY_NAME_TWICE: Final = f"{_SCHEMA}The KeySchema contains multiple key attributes with the same name"
HASH_AFTER_RANGE: Final = (
    f"{_SCHEMA}All HASH key attributes must precede RANGE key attributes in the KeySchema"
)
KEY_UNDEFINED: Final = f"{_SCHEMA}Some index key attribute have no definition"
UNUSED_DEFINITION: Final = (
    f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
    "AttributeDefinitions"
)

# Indexes.
NO_LOCAL_INDEXES: Final = f"{INVALID}List of LocalSecondaryIndexes is empty"
NO_GLOBAL_INDEXES: Final = f"{INVALID}List of GlobalSecondaryIndexes is empty"
LSI_NEEDS_RANGE: Final = (
    f"{INVALID}Table KeySchema does not have a range key, "
    "which is required when specifying a LocalSecondaryIndex"
)
INDEX_EXISTS: Final = "Attempting to create an index which already exists"
ONE_INDEX_AT_A_TIME: Final = (
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
)
INDEX_WITHOUT_ACTION: Final = (
    f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
    "GlobalSecondaryIndexUpdate.Delete must not be null"
)
# In the same words.
VECTOR_WITHOUT_ACTION: Final = (
    f"{INVALID}One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null"
)
INDEX_AND_UNITS: Final = f"{INVALID}You cannot create or delete index while updating table IOPS"
INDEX_AND_STREAM: Final = f"{INVALID}You cannot create or delete index while changing stream status"
# In the words of AWS's own local version.
PROJECTED_TWICE: Final = "Cannot have two attributes with the same name"

# Vector indexes.
NO_VECTOR_INDEXES: Final = f"{INVALID}List of VectorIndexes is empty"
VECTOR_NEEDS_ON_DEMAND: Final = (
    f"{INVALID}Vector indexes are only supported when BillingMode is PAY_PER_REQUEST"
)
SEARCH_UNDEFINED: Final = f"{INVALID}One element in SearchSchema is not defined in attribute definitions"


def key_too_wide(kind: str) -> str:
    """More HASH or RANGE attributes than an index can have."""
    return f"{_SCHEMA}The KeySchema exceeds the maximum allowed number of {kind} key attributes"


def definition_twice(name: str) -> str:
    """One attribute defined twice."""
    return f"Attribute Name is duplicated: {name}"


def index_keys_undefined(keys: Sequence[str], defined: Iterable[str]) -> str:
    """A key attribute that is not in AttributeDefinitions; both lists in the order of the service's sets."""
    return (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
        f"Keys: {_listed(_set_order(keys))}, AttributeDefinitions: {_listed(_sized_order(defined))}"
    )


def unused_definitions(defined: Iterable[str], used: Iterable[str]) -> str:
    """A defined attribute that no key uses, in a table with indexes; both lists in the order of the service's sets."""
    return (
        f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: {_listed(_sized_order(defined))}, "
        f"keys used: {_listed(_set_order(used))}"
    )


def _listed(names: Iterable[str]) -> str:
    return f"[{', '.join(names)}]"


def _set_order(names: Iterable[str]) -> list[str]:
    """The order of strings in a Java HashSet to which they are added one by one."""
    distinct = list(dict.fromkeys(names))
    buckets = 16
    while len(distinct) > buckets * 3 // 4:
        buckets *= 2
    return _by_bucket(distinct, buckets)


def _sized_order(names: Iterable[str]) -> list[str]:
    """The order of strings in a Java HashSet that is created for their number plus a third."""
    distinct = list(dict.fromkeys(names))
    return _by_bucket(distinct, 1 << (len(distinct) * 4 // 3).bit_length())


def _by_bucket(names: list[str], buckets: int) -> list[str]:
    """Strings by the low bits of their spread hash."""
    return sorted(names, key=lambda name: _spread(name) & (buckets - 1))


def _spread(name: str) -> int:
    code = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code ^ (code >> 16)


def too_many_local(most: int) -> str:
    """More local indexes than a table can have."""
    return f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {most}"


def too_many_global(most: int) -> str:
    """More global indexes than a table can have."""
    return f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {most}"


def too_many_vector(most: int) -> str:
    """More vector indexes than a table can have."""
    return f"{INVALID}VectorIndex count exceeds the per-table limit of {most}"


def name_twice(name: str) -> str:
    """Two indexes with one name."""
    return f"{INVALID}Duplicate index name: {name}"


def index_needs_range(name: str) -> str:
    """A local index without a sort key."""
    return f"{INVALID}Index KeySchema does not have a range key for index: {name}"


def index_hash_differs(name: str, own: str, table: str) -> str:
    """A local index with another partition key than its table."""
    return (
        f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. "
        f"index hash key: {own}, table hash key: {table}"
    )


def unknown_projection(kind: str | None) -> str:
    """A projection without a type, or with an unknown one."""
    return f"{INVALID}Unknown ProjectionType: {kind or 'null'}"


def projected_refused(kind: str) -> str:
    """Non-key attributes in a projection that takes none."""
    return f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified"


def projected_missing(kind: str) -> str:
    """No non-key attributes in a projection that needs them."""
    return f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is not specified"


def too_many_projected(most: int) -> str:
    """More non-key attributes in all projections than a table can have."""
    return (
        f"{INVALID}Number of NonKeyAttributes in all secondary indexes exceeds the per-table limit of {most}"
    )


def index_units_missing(name: str) -> str:
    """A new index without capacity units in a provisioned table."""
    return f"{INVALID}ProvisionedThroughput is not specified for index: {name}"


def index_units_needed(names: Iterable[str]) -> str:
    """A table that becomes provisioned without units for its indexes."""
    return f"{INVALID}ProvisionedThroughput must be specified for index: {','.join(names)}"


def index_units_refused(name: str) -> str:
    """Capacity units for an index of a new table on demand."""
    return (
        f"{INVALID}ProvisionedThroughput should not be specified for index: {name} "
        "when BillingMode is PAY_PER_REQUEST"
    )


def index_units(name: str) -> str:
    """Capacity units for an index of a table on demand."""
    return (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} "
        "when BillingMode is PAY_PER_REQUEST"
    )


def index_twice(name: str) -> str:
    """Two updates of one index in one request."""
    return (
        f"{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: {name}"
    )


def index_busy(status: str, table: str, index: str) -> str:
    """A change of an index that is still changing; the two spaces are the service's."""
    done = {"CREATING": "created", "UPDATING": "updated", "DELETING": "deleted"}[status]
    return f"{IN_USE}Index is being {done}.  Table: {table} Index: {index}"


def allocating(table: str, index: str) -> str:
    """The deletion of an index whose backfill has not begun."""
    return f"{IN_USE}Index creation is in resource allocation phase.  Table: {table} Index: {index}"


def no_index(name: str) -> str:
    """A read of an index that does not exist."""
    return f"The table does not have the specified index: {name}"


def no_index_to_change(name: str) -> str:
    """A change of an index that does not exist."""
    return f"{NO_TABLE}: Index: {name} not found"


def backfilling(name: str) -> str:
    """A read of an index that is still being filled."""
    return f"Cannot read from backfilling global secondary index: {name}"


def dimensions_range(name: str, most: int) -> str:
    """A vector index with too many dimensions."""
    return f"{INVALID}Dimensions must be between 1 and {most} inclusive for index: {name}"


def dimensions_differ(attribute: str) -> str:
    """Two vector indexes on one attribute that differ in their dimensions."""
    return f"{INVALID}All vector indexes on attribute {attribute} must have the same Dimensions"


def vector_is_key(attribute: str) -> str:
    """A vector attribute that is a key."""
    return f"{INVALID}Vector attribute {attribute} cannot be a key attribute"


def search_twice(name: str) -> str:
    """A search schema with one attribute twice, or with two partition keys."""
    return f"{INVALID}SearchSchema contains more than one HASH element or the same attribute twice for index: {name}"


def search_filters(name: str, most: int) -> str:
    """A search schema with too many inline filters."""
    return f"{INVALID}Number of INLINE_FILTER elements in SearchSchema exceeds the limit of {most} for index: {name}"
