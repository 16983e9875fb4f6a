"""From field values to exact Query requests."""

from __future__ import annotations

from pksk.model.planning.cell_key import CellInKey, CellKey, find_cell_key
from pksk.model.planning.filter_conditions import render_expressions
from pksk.model.planning.foreign_items import check_discriminator_projected, foreign_entities_in_partition
from pksk.model.planning.key_plan import KeyPlan, plan_key
from pksk.model.planning.key_query import KeyQuery
from pksk.model.planning.projection import IndexProjection, check_filter_attributes, index_projection
from pksk.model.planning.query_plan import Plan, plan_key_ranges, plan_query, with_key_range

__all__ = [
    "CellInKey", "CellKey", "IndexProjection", "KeyPlan", "KeyQuery", "Plan", "check_discriminator_projected",
    "check_filter_attributes", "find_cell_key", "foreign_entities_in_partition", "index_projection", "plan_key",
    "plan_key_ranges", "plan_query", "render_expressions", "with_key_range",
]  # fmt: skip
