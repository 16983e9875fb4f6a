"""DynamoDB's limits on items, keys and requests; the text below each one describes it.

They are from the page below unless another one is named. `make reference` makes docs/reference/limits.md of them.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
"""

from __future__ import annotations

from typing import Final

PARTITION_KEY_BYTES: Final = 2048
"""The value of a partition key"""
SORT_KEY_BYTES: Final = 1024
"""The value of a sort key"""
ATTRIBUTE_NAME_BYTES: Final = 65_535
"""The name of an attribute that is in no key"""

ITEM_BYTES: Final = 409_600
"""An item, the names of its attributes included"""
NESTING_LEVELS: Final = 32
"""Lists and maps within each other"""

NUMBER_DIGITS: Final = 38
"""The digits of a number"""
NUMBER_MAX_EXPONENT: Final = 125
"""The power of ten of a number's first digit, at the most"""
NUMBER_MIN_EXPONENT: Final = -130
"""The power of ten of a number's first digit, at the least"""

READ_UNIT_BYTES: Final = 4096
"""What one read unit reads
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html"""
WRITE_UNIT_BYTES: Final = 1024
"""What one write unit writes
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html"""
VECTOR_REQUEST_BYTES: Final = 1024
"""What a write to a vector index, or a search of it, is billed by at the least
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html"""

BATCH_GET_ITEMS: Final = 100
"""One BatchGetItem"""
BATCH_WRITE_ITEMS: Final = 25
"""One BatchWriteItem"""
BATCH_BYTES: Final = 16 * 1024 * 1024
"""The items of one batch, and any request"""
TRANSACTION_ITEMS: Final = 100
"""One transaction"""
TRANSACTION_BYTES: Final = 4 * 1024 * 1024
"""The items of one transaction"""
TRANSACTION_TOKEN_LENGTH: Final = 36
"""The token by which a transaction can be sent again
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html"""
PAGE_BYTES: Final = 1024 * 1024
"""What one page of a query or scan reads"""
IN_OPERANDS: Final = 100
"""The values of one `IN`"""

DOCUMENT_ID_BYTES: Final = 512
"""The id of a document in OpenSearch, which is not a limit of DynamoDB: `doc_id` keeps to it
https://docs.opensearch.org/3.9/mappings/metadata-fields/id/"""
