"""What botocore's models of DynamoDB's two services say about an operation."""

from __future__ import annotations

from functools import cache
from typing import Any

import botocore.session
import orjson
from botocore.model import OperationModel, ServiceModel

__all__ = ["NOT_IN_THE_MODEL", "operation_model", "result"]

# Members of answers which the service sends, and no SDK knows of.
NOT_IN_THE_MODEL = frozenset({"TableThroughputModeSummary", "VectorSearchUnits"})


@cache
def operation_model(operation: str) -> OperationModel:
    """The model of an operation."""
    for service in ("dynamodb", "dynamodbstreams"):
        model = _service(service)
        if operation in model.operation_names:
            return model.operation_model(operation)
    raise LookupError(operation)


def result(operation: str, body: bytes) -> Any:
    """What a successful answer holds; one of an operation without a result has no body."""
    return orjson.loads(body) if operation_model(operation).output_shape or body else {}


@cache
def _service(name: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(name)
