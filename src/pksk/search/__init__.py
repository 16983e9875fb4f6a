"""Search documents of entities, and an index of them that follows the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.search.embedded_sink import EmbeddedSink
    from pksk.search.fields import Date, GeoPoint, GeoShape, Keyword, Number, SearchField, Text
    from pksk.search.item_documents import Document, ItemDocuments
    from pksk.search.search_document import SearchDocument
    from pksk.search.search_index import SearchIndex
    from pksk.search.sink import BucketDigest, FailedItem, IndexedItem, ItemWrite, Outcome, Sink

__all__ = [
    "BucketDigest", "Date", "Document", "EmbeddedSink", "FailedItem", "GeoPoint", "GeoShape", "IndexedItem",
    "ItemDocuments", "ItemWrite", "Keyword", "Number", "Outcome", "SearchDocument", "SearchField",
    "SearchIndex", "Sink", "Text",
]  # fmt: skip

__getattr__ = lazy_getattr(
    __name__,
    {
        "pksk.search.embedded_sink": "EmbeddedSink",
        "pksk.search.fields": "Date GeoPoint GeoShape Keyword Number SearchField Text",
        "pksk.search.item_documents": "Document ItemDocuments",
        "pksk.search.search_document": "SearchDocument",
        "pksk.search.search_index": "SearchIndex",
        "pksk.search.sink": "BucketDigest FailedItem IndexedItem ItemWrite Outcome Sink",
    },
)
