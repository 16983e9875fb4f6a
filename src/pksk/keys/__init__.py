"""Key templates: rendering, matching, exact ranges, comparison, and document ids."""

from pksk.keys.bounds import Bounds, Filter
from pksk.keys.operators import Operator, begins, between, gt, gte, lt, lte
from pksk.keys.template import Template

__all__ = ["Bounds", "Filter", "Operator", "Template", "begins", "between", "gt", "gte", "lt", "lte"]
