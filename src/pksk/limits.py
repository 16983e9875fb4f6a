"""DynamoDB's limits, each with the page that states it.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
"""

from __future__ import annotations

from typing import Final

PARTITION_KEY_BYTES: Final = 2048
SORT_KEY_BYTES: Final = 1024
ATTRIBUTE_NAME_BYTES: Final = 65_535

ITEM_BYTES: Final = 409_600
NESTING_LEVELS: Final = 32

NUMBER_DIGITS: Final = 38
NUMBER_MAX_EXPONENT: Final = 125
NUMBER_MIN_EXPONENT: Final = -130

READ_UNIT_BYTES: Final = 4096
WRITE_UNIT_BYTES: Final = 1024
# What a write to a vector index, or a search of it, is billed by at the least.
VECTOR_REQUEST_BYTES: Final = 1024

# What one request takes, and how much one page of a query or scan reads.
BATCH_GET_ITEMS: Final = 100
BATCH_WRITE_ITEMS: Final = 25
BATCH_BYTES: Final = 16 * 1024 * 1024
TRANSACTION_ITEMS: Final = 100
TRANSACTION_BYTES: Final = 4 * 1024 * 1024
TRANSACTION_TOKEN_LENGTH: Final = 36
PAGE_BYTES: Final = 1024 * 1024
IN_OPERANDS: Final = 100

# OpenSearch refuses an _id above this, in bytes.
DOCUMENT_ID_BYTES: Final = 512
