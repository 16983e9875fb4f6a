"""All that one request says in expressions or in their legacy forms."""

from __future__ import annotations

from .applied import applied
from .charge import update_charge
from .expressions import NOTHING, AttributeUpdates, Decision, Expressions
from .parameters import (
    BATCH_GET,
    DELETE_ITEM,
    GET_ITEM,
    PUT_ITEM,
    QUERY,
    SCAN,
    SEARCH_VECTORS,
    TRANSACT_CHECK,
    TRANSACT_DELETE,
    TRANSACT_GET,
    TRANSACT_PUT,
    TRANSACT_UPDATE,
    UPDATE_ITEM,
    Parameters,
)
from .read import read_expressions
from .touched import touched

__all__ = [
    "BATCH_GET",
    "DELETE_ITEM",
    "GET_ITEM",
    "NOTHING",
    "PUT_ITEM",
    "QUERY",
    "SCAN",
    "SEARCH_VECTORS",
    "TRANSACT_CHECK",
    "TRANSACT_DELETE",
    "TRANSACT_GET",
    "TRANSACT_PUT",
    "TRANSACT_UPDATE",
    "UPDATE_ITEM",
    "AttributeUpdates",
    "Decision",
    "Expressions",
    "Parameters",
    "applied",
    "read_expressions",
    "touched",
    "update_charge",
]
