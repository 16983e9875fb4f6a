"""Clients of DynamoDB over the network, on botocore and aiobotocore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .answer import NOT_DYNAMODB as NOT_DYNAMODB
    from .async_aws_client import AsyncAwsClient as AsyncAwsClient
    from .aws_client import AwsClient as AwsClient
    from .aws_options import AwsOptions as AwsOptions

__all__ = ["NOT_DYNAMODB", "AsyncAwsClient", "AwsClient", "AwsOptions"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "NOT_DYNAMODB": "pksk.aws.answer",
        "AsyncAwsClient": "pksk.aws.async_aws_client",
        "AwsClient": "pksk.aws.aws_client",
        "AwsOptions": "pksk.aws.aws_options",
    },
)
