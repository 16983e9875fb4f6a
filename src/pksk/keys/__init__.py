"""Key templates: rendering, matching, exact ranges, comparison, and document ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.keys.bounds import Bounds, Filter
from pksk.keys.operators import Operator, begins, between, gt, gte, lt, lte
from pksk.keys.scalar import ScalarKey
from pksk.keys.template import Template
from pksk.later import later

if TYPE_CHECKING:
    from pksk.keys.comparison import Comparison as Comparison
    from pksk.keys.comparison import Meeting as Meeting
    from pksk.keys.comparison import compare as compare
    from pksk.keys.docid import doc_id as doc_id
    from pksk.keys.docid import is_hashed_doc_id as is_hashed_doc_id
    from pksk.keys.docid import parse_doc_id as parse_doc_id
    from pksk.keys.pair import KeyPair as KeyPair

# Not needed to declare and render keys, and so loaded only where they are used.
_LATER = {
    "Comparison": "pksk.keys.comparison",
    "KeyPair": "pksk.keys.pair",
    "Meeting": "pksk.keys.comparison",
    "compare": "pksk.keys.comparison",
    "doc_id": "pksk.keys.docid",
    "is_hashed_doc_id": "pksk.keys.docid",
    "parse_doc_id": "pksk.keys.docid",
}

__all__ = [
    "Bounds",
    "Comparison",
    "Filter",
    "KeyPair",
    "Meeting",
    "Operator",
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

__getattr__ = later(__name__, _LATER)
