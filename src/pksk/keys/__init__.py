"""Key templates: rendering, matching, exact ranges, comparison, and document ids."""

from pksk.keys.bounds import Bounds, Filter
from pksk.keys.compare import Comparison, Meeting, compare
from pksk.keys.docid import doc_id, is_hashed_doc_id, parse_doc_id
from pksk.keys.operators import Operator, begins, between, gt, gte, lt, lte
from pksk.keys.pair import KeyPair
from pksk.keys.scalar import ScalarKey
from pksk.keys.template import Template

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
