"""Search documents of entities, and an index of them that follows the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.search.embedded_sink import EmbeddedSink
    from pksk.search.fields import Date, GeoPoint, GeoShape, Keyword, Number, SearchField, Text
    from pksk.search.hits import Hit, Hits
    from pksk.search.item_documents import Document, ItemDocuments
    from pksk.search.search_document import SearchDocument
    from pksk.search.search_index import SearchIndex
    from pksk.search.search_request import Search
    from pksk.search.sink import BucketDigest, FailedItem, IndexedItem, ItemWrite, Outcome, Sink
    from pksk.search.sync import AsyncSync, Sync
    from pksk.search.table_sync import Backfilled, SyncCounts
    from pksk.search.verification import Difference, Repaired, Verified

__all__ = [
    "AsyncSync", "Backfilled", "BucketDigest", "Date", "Difference", "Document", "EmbeddedSink", "FailedItem",
    "GeoPoint", "GeoShape", "Hit", "Hits", "IndexedItem", "ItemDocuments", "ItemWrite", "Keyword", "Number",
    "Outcome", "Repaired", "Search", "SearchDocument", "SearchField", "SearchIndex", "Sink", "Sync",
    "SyncCounts", "Text", "Verified",
]  # fmt: skip

__getattr__ = lazy_getattr(
    __name__,
    {
        "pksk.search.embedded_sink": "EmbeddedSink",
        "pksk.search.fields": "Date GeoPoint GeoShape Keyword Number SearchField Text",
        "pksk.search.hits": "Hit Hits",
        "pksk.search.item_documents": "Document ItemDocuments",
        "pksk.search.search_document": "SearchDocument",
        "pksk.search.search_index": "SearchIndex",
        "pksk.search.search_request": "Search",
        "pksk.search.sink": "BucketDigest FailedItem IndexedItem ItemWrite Outcome Sink",
        "pksk.search.sync": "AsyncSync Sync",
        "pksk.search.table_sync": "Backfilled SyncCounts",
        "pksk.search.verification": "Difference Repaired Verified",
    },
)
