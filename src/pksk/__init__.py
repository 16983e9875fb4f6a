"""pksk turns a DynamoDB key design into code that you can check, run, price and see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.client import AsyncClient as AsyncClient
    from pksk.client import Client as Client
    from pksk.client import ServiceError as ServiceError
    from pksk.connection import connect as connect
    from pksk.connection import connect_async as connect_async
    from pksk.engine import Clock as Clock
    from pksk.engine import Delays as Delays
    from pksk.engine import Engine as Engine
    from pksk.engine import Heat as Heat
    from pksk.engine import PartitionInfo as PartitionInfo
    from pksk.engine import Partitioning as Partitioning
    from pksk.errors import AccessDenied as AccessDenied
    from pksk.errors import AlreadyExists as AlreadyExists
    from pksk.errors import BatchIncomplete as BatchIncomplete
    from pksk.errors import BoundsError as BoundsError
    from pksk.errors import ConditionFailed as ConditionFailed
    from pksk.errors import DesignError as DesignError
    from pksk.errors import ExpressionError as ExpressionError
    from pksk.errors import InvalidCursor as InvalidCursor
    from pksk.errors import InvalidValue as InvalidValue
    from pksk.errors import ItemUnreadable as ItemUnreadable
    from pksk.errors import KeyMismatch as KeyMismatch
    from pksk.errors import NotConfigured as NotConfigured
    from pksk.errors import NotFound as NotFound
    from pksk.errors import OutcomeUnknown as OutcomeUnknown
    from pksk.errors import PkskError as PkskError
    from pksk.errors import ReferenceMissing as ReferenceMissing
    from pksk.errors import RequestRejected as RequestRejected
    from pksk.errors import RequestThrottled as RequestThrottled
    from pksk.errors import SchemaError as SchemaError
    from pksk.errors import ServiceUnreachable as ServiceUnreachable
    from pksk.errors import StaleVersion as StaleVersion
    from pksk.errors import StoreError as StoreError
    from pksk.errors import TableDiffers as TableDiffers
    from pksk.errors import TableMissing as TableMissing
    from pksk.errors import TemplateError as TemplateError
    from pksk.errors import TransactionFailed as TransactionFailed
    from pksk.errors import UniqueViolation as UniqueViolation
    from pksk.errors import WriteConflict as WriteConflict
    from pksk.expressions import F as F
    from pksk.keys import Bounds as Bounds
    from pksk.keys import Comparison as Comparison
    from pksk.keys import KeyPair as KeyPair
    from pksk.keys import ScalarKey as ScalarKey
    from pksk.keys import Template as Template
    from pksk.keys import begins as begins
    from pksk.keys import between as between
    from pksk.keys import compare as compare
    from pksk.keys import doc_id as doc_id
    from pksk.keys import gt as gt
    from pksk.keys import gte as gte
    from pksk.keys import lt as lt
    from pksk.keys import lte as lte
    from pksk.keys import parse_doc_id as parse_doc_id
    from pksk.model import TTL as TTL
    from pksk.model import Attribute as Attribute
    from pksk.model import Batch as Batch
    from pksk.model import BoundKey as BoundKey
    from pksk.model import Change as Change
    from pksk.model import Check as Check
    from pksk.model import Created as Created
    from pksk.model import Delete as Delete
    from pksk.model import Entity as Entity
    from pksk.model import Get as Get
    from pksk.model import Key as Key
    from pksk.model import Nearest as Nearest
    from pksk.model import Null as Null
    from pksk.model import Pattern as Pattern
    from pksk.model import Plan as Plan
    from pksk.model import Put as Put
    from pksk.model import Query as Query
    from pksk.model import Reference as Reference
    from pksk.model import Scan as Scan
    from pksk.model import SearchResult as SearchResult
    from pksk.model import Sequence as Sequence
    from pksk.model import Shard as Shard
    from pksk.model import Transaction as Transaction
    from pksk.model import Unique as Unique
    from pksk.model import Update as Update
    from pksk.model import Updated as Updated
    from pksk.model import Version as Version
    from pksk.model import access as access
    from pksk.model import batch as batch
    from pksk.model import change_of as change_of
    from pksk.model import changes_of as changes_of
    from pksk.model import collect as collect
    from pksk.model import sequence as sequence
    from pksk.model import transaction as transaction
    from pksk.schema import GSI as GSI
    from pksk.schema import LSI as LSI
    from pksk.schema import B as B
    from pksk.schema import N as N
    from pksk.schema import OnDemand as OnDemand
    from pksk.schema import Provisioned as Provisioned
    from pksk.schema import Table as Table
    from pksk.schema import VectorIndex as VectorIndex
    from pksk.store import AsyncStore as AsyncStore
    from pksk.store import Meter as Meter
    from pksk.store import MeterRow as MeterRow
    from pksk.store import Page as Page
    from pksk.store import RequestFinished as RequestFinished
    from pksk.store import RequestStarted as RequestStarted
    from pksk.store import Retry as Retry
    from pksk.store import Store as Store
    from pksk.store import log_to as log_to
    from pksk.store import trace_with as trace_with

__version__ = "0.1.0"

# The public names by the module that holds them. Nothing is imported before it is asked for,
# so that `import pksk` costs next to nothing.
_NAMES = {
    "pksk.client": "AsyncClient Client ServiceError",
    "pksk.connection": "connect connect_async",
    "pksk.engine": "Clock Delays Engine Heat PartitionInfo Partitioning",
    "pksk.errors": "AccessDenied AlreadyExists BatchIncomplete BoundsError ConditionFailed DesignError ExpressionError "
    "InvalidCursor InvalidValue ItemUnreadable KeyMismatch NotConfigured NotFound OutcomeUnknown "
    "PkskError ReferenceMissing RequestRejected RequestThrottled SchemaError ServiceUnreachable "
    "StaleVersion StoreError TableDiffers TableMissing TemplateError TransactionFailed UniqueViolation "
    "WriteConflict",
    "pksk.expressions": "F",
    "pksk.keys": "Bounds Comparison KeyPair ScalarKey Template begins between compare "
    "doc_id gt gte lt lte parse_doc_id",
    "pksk.model": "Attribute Batch BoundKey Change Check Created Delete Entity Get Key Nearest Null Pattern Plan Put "
    "Query Reference Scan SearchResult Sequence Shard TTL Transaction Unique Update Updated Version access batch "
    "change_of changes_of collect sequence transaction",
    "pksk.schema": "B GSI LSI N OnDemand Provisioned Table VectorIndex",
    "pksk.store": "AsyncStore Meter MeterRow Page RequestFinished RequestStarted Retry Store log_to trace_with",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

_find = lazy_getattr(__name__, _HOMES)

__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - the names stand in _HOMES, once


def __getattr__(name: str) -> object:
    value = globals()[name] = _find(name)
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))
