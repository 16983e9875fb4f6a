"""Key templates: rendering, matching, exact ranges, comparison, and document ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.keys.bounds import Bounds, Filter
from pksk.keys.operators import Operator, begins, between, gt, gte, lt, lte
from pksk.keys.scalar_key import ScalarKey
from pksk.keys.template import Template
from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.keys.comparison import Comparison as Comparison
    from pksk.keys.comparison import Overlap as Overlap
    from pksk.keys.comparison import compare as compare
    from pksk.keys.document_id import doc_id as doc_id
    from pksk.keys.document_id import is_hashed_doc_id as is_hashed_doc_id
    from pksk.keys.document_id import parse_doc_id as parse_doc_id
    from pksk.keys.key_pair import KeyPair as KeyPair

# Not needed to declare and render keys, and so loaded only where they are used.
_LATER = {
    "Comparison": "pksk.keys.comparison",
    "KeyPair": "pksk.keys.key_pair",
    "Overlap": "pksk.keys.comparison",
    "compare": "pksk.keys.comparison",
    "doc_id": "pksk.keys.document_id",
    "is_hashed_doc_id": "pksk.keys.document_id",
    "parse_doc_id": "pksk.keys.document_id",
}

__all__ = [
    "Bounds",
    "Comparison",
    "Filter",
    "KeyPair",
    "Operator",
    "Overlap",
    "ScalarKey",
    "Template",
    "begins",
    "between",
    "compare",
    "doc_id",
    "gt",
    "gte",
    "is_hashed_doc_id",
    "lt",
    "lte",
    "parse_doc_id",
]

__getattr__ = lazy_getattr(__name__, _LATER)
