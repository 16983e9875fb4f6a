"""Applies a request to an item, and checks it against DynamoDB's own service model."""

from __future__ import annotations

from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from pksk.expressions import apply, evaluate, parse_condition, parse_projection, parse_update, project
from pksk.values import WireItem


def holds(request: dict[str, Any], item: WireItem) -> bool:
    """Whether the condition of a request holds for the stored item."""
    if "ConditionExpression" not in request:
        return True
    return evaluate(parse_condition(request["ConditionExpression"], *_placeholders(request)), item)


def updated(request: dict[str, Any], item: WireItem) -> WireItem:
    """The item after an UpdateItem request."""
    if "UpdateExpression" not in request:
        return {**item, **request["Key"]}
    update = parse_update(request["UpdateExpression"], *_placeholders(request))
    return apply(update, {**item, **request["Key"]})


def read(request: dict[str, Any], item: WireItem) -> WireItem:
    """What a GetItem request with a projection returns."""
    return project(
        parse_projection(request["ProjectionExpression"], request.get("ExpressionAttributeNames", {})), item
    )


def _placeholders(request: dict[str, Any]) -> tuple[Any, Any]:
    return request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})


@cache
def _service() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("dynamodb", "service-2"), "dynamodb")


def problems(operation: str, request: dict[str, Any]) -> str:
    """What the service model finds wrong with a request."""
    report: str = (
        ParamValidator()
        .validate(request, _service().operation_model(operation).input_shape)
        .generate_report()
    )
    return report
