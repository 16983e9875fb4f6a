"""Tables and their indexes as declarations: checked, and turned into DynamoDB's requests."""

from __future__ import annotations

from .index import GSI, LSI, Index, Kind, Primary
from .key_attribute import AttributeType, B, KeyAttribute, N, S
from .projection import ALL, All, Projection
from .settings import OnDemand, Provisioned
from .table import Table
from .vector_index import VectorIndex

__all__ = [
    "ALL", "GSI", "LSI", "All", "AttributeType", "B", "Index", "KeyAttribute", "Kind", "N", "OnDemand",
    "Primary", "Projection", "Provisioned", "S", "Table", "VectorIndex",
]  # fmt: skip
