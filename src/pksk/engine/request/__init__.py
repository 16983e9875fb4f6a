"""Requests of every operation: their shapes, how they are read, and the errors of invalid ones."""

from .attribute_values import check_item, check_value, error_in_transaction
from .read_request import OPERATIONS, OlderRequest, read_request
from .shape import Request

__all__ = [
    "OPERATIONS", "OlderRequest", "Request", "check_item", "check_value",
    "error_in_transaction", "read_request",
]  # fmt: skip
