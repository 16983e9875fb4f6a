"""Search documents of entities, and an index of them that follows the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.search.fields import Date, GeoPoint, GeoShape, Keyword, Number, SearchField, Text
    from pksk.search.item_documents import Document, ItemDocuments
    from pksk.search.search_document import SearchDocument
    from pksk.search.search_index import SearchIndex

__all__ = [
    "Date", "Document", "GeoPoint", "GeoShape", "ItemDocuments", "Keyword", "Number", "SearchDocument", "SearchField",
    "SearchIndex", "Text",
]  # fmt: skip

__getattr__ = lazy_getattr(
    __name__,
    {
        "pksk.search.fields": "Date GeoPoint GeoShape Keyword Number SearchField Text",
        "pksk.search.item_documents": "Document ItemDocuments",
        "pksk.search.search_document": "SearchDocument",
        "pksk.search.search_index": "SearchIndex",
    },
)
