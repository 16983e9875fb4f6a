"""All that one request says in expressions or in their legacy forms."""

from __future__ import annotations

from .parameters import (
    BATCH_GET,
    DELETE_ITEM,
    GET_ITEM,
    NO_EXPRESSIONS,
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
    AttributeUpdates,
    CompiledCondition,
    Expressions,
    Parameters,
)
from .read_expressions import read_expressions
from .updates import apply_update, update_charge, updated_attributes

__all__ = [
    "BATCH_GET",
    "DELETE_ITEM",
    "GET_ITEM",
    "NO_EXPRESSIONS",
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
    "CompiledCondition",
    "Expressions",
    "Parameters",
    "apply_update",
    "read_expressions",
    "update_charge",
    "updated_attributes",
]
