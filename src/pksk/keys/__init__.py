"""Key templates: rendering, matching, exact ranges, comparison, and document ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.keys.bounds import Bounds, Filter
from pksk.keys.operators import Operator, begins, between, gt, gte, lt, lte
from pksk.keys.scalar_key import ScalarKey
from pksk.keys.template import Template
from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.keys.comparison import Comparison, Overlap, compare
    from pksk.keys.document_id import doc_id, is_hashed_doc_id, parse_doc_id
    from pksk.keys.key_pair import KeyPair
    from pksk.keys.precision import Precision

# Not needed to declare and render keys, and so loaded only where they are used.
_LATER = {
    ".comparison": "Comparison Overlap compare",
    ".document_id": "doc_id is_hashed_doc_id parse_doc_id",
    ".key_pair": "KeyPair",
    ".precision": "Precision",
}

__all__ = [
    "Bounds", "Comparison", "Filter", "KeyPair", "Operator", "Overlap", "Precision", "ScalarKey", "Template",
    "begins", "between", "compare", "doc_id", "gt", "gte", "is_hashed_doc_id", "lt", "lte", "parse_doc_id",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, _LATER)
