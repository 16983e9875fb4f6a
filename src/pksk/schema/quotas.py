"""Quotas of a table and lengths of names; the text below each one describes it.

They are from the page below unless another one is named. `make reference` makes docs/reference/limits.md of them.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
"""

from __future__ import annotations

from typing import Final

NAME_CHARACTERS: Final = (3, 255)
"""The name of a table or an index"""
ATTRIBUTE_NAME_BYTES: Final = 255
"""The name of an attribute of a key, of a projection, or of the time to live"""

GSI_COUNT: Final = 20
"""Global indexes of a table, unless AWS raises it"""
LSI_COUNT: Final = 5
"""Local indexes of a table"""
VECTOR_INDEX_COUNT: Final = 5
"""Vector indexes of a table
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html"""

GSI_KEY_ATTRIBUTES: Final = 4
"""Attributes of the partition key of a global index, and again of its sort key, since November 2025"""

PROJECTED_PER_INDEX: Final = 20
"""Attributes that an index names besides keys; the length of NonKeyAttributes
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Projection.html"""
PROJECTED_IN_ALL: Final = 100
"""Attributes that all indexes of a table name besides keys"""

VECTOR_DIMENSIONS: Final = (1, 4096)
"""Dimensions of the vectors of an index
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html"""
VECTOR_FILTERS: Final = 18
"""Attributes that searches of a vector index can filter by
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html"""

TAG_COUNT: Final = 50
"""Tags of a table"""
TAG_KEY_CHARACTERS: Final = 128
"""The key of a tag"""
TAG_VALUE_CHARACTERS: Final = 256
"""The value of a tag"""
