"""What DynamoDB says of streams, shards and iterators."""

from __future__ import annotations

from typing import Final

from .tables import INVALID, NO_TABLE

__all__ = [
    "FILTER_INCOMPLETE",
    "FOREIGN_NUMBER",
    "FUTURE_TIMESTAMP",
    "INVALID_ARN",
    "INVALID_ITERATOR",
    "ITERATOR_EXPIRED",
    "NO_SHARD",
    "NUMBER_GIVEN",
    "NUMBER_MISSING",
    "TIMESTAMP_GIVEN",
    "TIMESTAMP_MISSING",
    "TRIMMED",
    "no_stream",
]

NO_SHARD: Final = f"{NO_TABLE}: Shard does not exist"
TRIMMED: Final = "The data you are trying to access has been trimmed"
ITERATOR_EXPIRED: Final = "Shard iterator has expired"

# Sequence numbers of iterators.
NUMBER_MISSING: Final = "SequenceNumber cannot be null"
NUMBER_GIVEN: Final = "SequenceNumber should not be passed for this iterator type"
FOREIGN_NUMBER: Final = "Invalid SequenceNumber for the shard"

# Ours, after the service's own descriptions, as its words are not known.
INVALID_ITERATOR: Final = "Invalid ShardIterator"
INVALID_ARN: Final = "Invalid StreamArn"
TIMESTAMP_MISSING: Final = "Timestamp cannot be null"
TIMESTAMP_GIVEN: Final = "Timestamp should not be passed for this iterator type"
FUTURE_TIMESTAMP: Final = f"{INVALID}Timestamp cannot be in the future"
FILTER_INCOMPLETE: Final = f"{INVALID}ShardFilter must have both Type and ShardId"


def no_stream(arn: str) -> str:
    """A stream that is not there, or is there no more."""
    return f"{NO_TABLE}: Stream: {arn} not found"
