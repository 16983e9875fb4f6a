"""pksk turns a DynamoDB key design into code that you can check, run, price and draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.client import AsyncClient, Client, ServiceError
    from pksk.connection import connect, connect_async
    from pksk.engine import Clock, Delays, Engine, Heat, PartitionInfo, Partitioning
    from pksk.errors import *
    from pksk.expressions import F, unchecked
    from pksk.keys import *
    from pksk.model import *
    from pksk.partitions import Spread
    from pksk.schema import GSI, LSI, B, N, OnDemand, Provisioned, Table, VectorIndex
    from pksk.store import *

__version__ = "0.1.0"

# The public names by the module that holds them. Nothing is imported before it is used,
# so that `import pksk` costs next to nothing.
_NAMES = {
    "pksk.client": "AsyncClient Client ServiceError",
    "pksk.connection": "connect connect_async",
    "pksk.engine": "Clock Delays Engine Heat PartitionInfo Partitioning",
    "pksk.errors": "AccessDenied AlreadyExists BatchIncomplete BoundsError ConditionFailed ConsumerStale DesignError "
    "ExpressionError InvalidCursor InvalidValue ItemUnreadable KeyMismatch NotConfigured NotFound OutcomeUnknown "
    "PkskError ReferenceMissing RequestRejected RequestThrottled SchemaError ServiceUnreachable "
    "StaleVersion StoreError TableDiffers TableMissing TemplateError TransactionFailed UniqueViolation "
    "WriteConflict",
    "pksk.expressions": "F unchecked",
    "pksk.keys": "Bounds Comparison KeyPair Precision ScalarKey Template begins between compare "
    "doc_id gt gte lt lte parse_doc_id",
    "pksk.model": "Attribute Batch BoundKey Change Check Created CustomFormat Delete Entity GeoQuery Get Key "
    "KeyCollision Nearest Null Pattern Plan Put Query Reference Scan SearchResult Sequence Shard Stored TTL "
    "Transaction Unique Update Updated Version access batch change_of changes_of collect key_collisions sequence "
    "transaction",
    "pksk.partitions": "Spread",
    "pksk.schema": "B GSI LSI N OnDemand Provisioned Table VectorIndex",
    "pksk.store": "AsyncStore Meter MeterRow Page Refreshed RequestFinished RequestStarted Retry Store log_to "
    "trace_with",
}

__all__ = [
    "GSI", "LSI", "TTL", "AccessDenied", "AlreadyExists", "AsyncClient", "AsyncStore", "Attribute", "B", "Batch",
    "BatchIncomplete", "BoundKey", "Bounds", "BoundsError", "Change", "Check", "Client", "Clock", "Comparison",
    "ConditionFailed", "ConsumerStale", "Created", "CustomFormat", "Delays", "Delete", "DesignError", "Engine",
    "Entity", "ExpressionError", "F", "GeoQuery", "Get", "Heat", "InvalidCursor", "InvalidValue", "ItemUnreadable",
    "Key", "KeyCollision", "KeyMismatch", "KeyPair", "Meter", "MeterRow", "N", "Nearest", "NotConfigured", "NotFound",
    "Null", "OnDemand", "OutcomeUnknown", "Page", "PartitionInfo", "Partitioning", "Pattern", "PkskError", "Plan",
    "Precision", "Provisioned", "Put", "Query", "Reference", "ReferenceMissing", "Refreshed", "RequestFinished",
    "RequestRejected", "RequestStarted", "RequestThrottled", "Retry", "ScalarKey", "Scan", "SchemaError",
    "SearchResult", "Sequence", "ServiceError", "ServiceUnreachable", "Shard", "Spread", "StaleVersion", "Store",
    "StoreError", "Stored", "Table", "TableDiffers", "TableMissing", "Template", "TemplateError", "Transaction",
    "TransactionFailed", "Unique", "UniqueViolation", "Update", "Updated", "VectorIndex", "Version", "WriteConflict",
    "__version__", "access", "batch", "begins", "between", "change_of", "changes_of", "collect", "compare", "connect",
    "connect_async", "doc_id", "gt", "gte", "key_collisions", "log_to", "lt", "lte", "parse_doc_id", "sequence",
    "trace_with", "transaction", "unchecked",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
