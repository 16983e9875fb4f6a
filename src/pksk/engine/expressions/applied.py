"""An item after an update, or DynamoDB's refusal of what the update would make of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.faults import validation
from pksk.engine.texts import parameters as texts
from pksk.errors import ExpressionError
from pksk.expressions import Update, apply
from pksk.values import NumberRefused

from .expressions import AttributeUpdates

__all__ = ["applied"]


def applied(update: Update, item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The item after the update; the one given is not touched."""
    try:
        return apply(update, item)
    except ExpressionError as error:
        # A legacy update has no paths and no operands, only values of the wrong type.
        legacy = type(update) is AttributeUpdates
        raise validation(texts.UPDATE_TYPE_MISMATCH if legacy else error.problem) from None
    except NumberRefused as error:
        # The sum is at fault, and not a value of the request.
        raise validation(error.service_message) from None
