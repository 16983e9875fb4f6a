"""How many of each a table may have, and how long names may be.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
"""

from __future__ import annotations

from typing import Final

NAME_CHARACTERS: Final = (3, 255)
ATTRIBUTE_NAME_BYTES: Final = 255  # of keys, projected attributes and TTL; others may have 64 KB

GSI_COUNT: Final = 20
LSI_COUNT: Final = 5
VECTOR_INDEX_COUNT: Final = 5

GSI_KEY_ATTRIBUTES: Final = 4  # for the partition key and again for the sort key, since November 2025

PROJECTED_PER_INDEX: Final = 20  # the length of NonKeyAttributes in DynamoDB's service model
PROJECTED_IN_ALL: Final = 100

VECTOR_DIMENSIONS: Final = (1, 4096)
VECTOR_FILTERS: Final = 18

TAG_COUNT: Final = 50
TAG_KEY_CHARACTERS: Final = 128
TAG_VALUE_CHARACTERS: Final = 256
