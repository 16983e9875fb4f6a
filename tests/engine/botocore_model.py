"""What botocore's models say of an operation, whichever of DynamoDB's two services has it."""

from __future__ import annotations

from functools import cache

import botocore.session
from botocore.model import OperationModel, ServiceModel

__all__ = ["NOT_IN_THE_MODEL", "operation_model"]

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


@cache
def _service(name: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(name)
