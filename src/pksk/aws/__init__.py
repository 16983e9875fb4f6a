"""Clients of DynamoDB over the network, on botocore and aiobotocore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .answer import NOT_DYNAMODB
    from .async_aws_client import AsyncAwsClient
    from .aws_client import AwsClient
    from .aws_options import AwsOptions

_LATER = {
    ".answer": "NOT_DYNAMODB",
    ".async_aws_client": "AsyncAwsClient",
    ".aws_client": "AwsClient",
    ".aws_options": "AwsOptions",
}

__all__ = ["NOT_DYNAMODB", "AsyncAwsClient", "AwsClient", "AwsOptions"]

__getattr__ = lazy_getattr(__name__, _LATER)
