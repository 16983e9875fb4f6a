"""The rules of the review, one module each.

A new rule is a module here and an entry in `RULES`.
"""

from __future__ import annotations

from typing import Final

from pksk.review.rule import Rule
from pksk.review.rules.attributes_in_index_keys import attributes_in_index_keys
from pksk.review.rules.batch_get_of_one_partition import batch_get_of_one_partition
from pksk.review.rules.billing_mode import billing_mode
from pksk.review.rules.busy_item import busy_item
from pksk.review.rules.busy_partition_key import busy_partition_key
from pksk.review.rules.changing_index_key import changing_index_key
from pksk.review.rules.changing_primary_key import changing_primary_key
from pksk.review.rules.consistent_read import consistent_read
from pksk.review.rules.constant_partition_key import constant_partition_key
from pksk.review.rules.could_be_sparse import could_be_sparse
from pksk.review.rules.duplicate_index import duplicate_index
from pksk.review.rules.estimate_differs import estimate_differs
from pksk.review.rules.few_partition_keys import few_partition_keys
from pksk.review.rules.filtered_away import filtered_away
from pksk.review.rules.growing_item import growing_item
from pksk.review.rules.guessable_partition_keys import guessable_partition_keys
from pksk.review.rules.hot_key import hot_key
from pksk.review.rules.index_never_read import index_never_read
from pksk.review.rules.index_without_key import index_without_key
from pksk.review.rules.just_over_a_unit import just_over_a_unit
from pksk.review.rules.large_collection import large_collection
from pksk.review.rules.large_item import large_item
from pksk.review.rules.large_item_update import large_item_update
from pksk.review.rules.large_query import large_query
from pksk.review.rules.large_transaction import large_transaction
from pksk.review.rules.left_out_of_index import left_out_of_index
from pksk.review.rules.letter_case import letter_case
from pksk.review.rules.local_time_in_key import local_time_in_key
from pksk.review.rules.long_key import long_key
from pksk.review.rules.meaningful_key_names import meaningful_key_names
from pksk.review.rules.meaningless_order import meaningless_order
from pksk.review.rules.mixed_lengths import mixed_lengths
from pksk.review.rules.new_table_limit import new_table_limit
from pksk.review.rules.nothing_expires import nothing_expires
from pksk.review.rules.personal_data_in_key import personal_data_in_key
from pksk.review.rules.prefix_of_another_entity import prefix_of_another_entity
from pksk.review.rules.range_filter import range_filter
from pksk.review.rules.range_to_last_letter import range_to_last_letter
from pksk.review.rules.rolling_hot_key import rolling_hot_key
from pksk.review.rules.scan import scan
from pksk.review.rules.schema_name_first import schema_name_first
from pksk.review.rules.shard_count import shard_count
from pksk.review.rules.sort_key_by_bounds import sort_key_by_bounds
from pksk.review.rules.spread_contradicted import spread_contradicted
from pksk.review.rules.tenant_filter import tenant_filter
from pksk.review.rules.time_partition_key import time_partition_key
from pksk.review.rules.too_little_capacity import too_little_capacity
from pksk.review.rules.transaction_of_one import transaction_of_one
from pksk.review.rules.unique_across_tables import unique_across_tables
from pksk.review.rules.unique_by_index import unique_by_index
from pksk.review.rules.unplanned_scan import unplanned_scan
from pksk.review.rules.unused_index import unused_index
from pksk.review.rules.unused_key import unused_key
from pksk.review.rules.wide_projection import wide_projection

__all__ = ["RULES"]

# In this order findings of equal severity and place are printed.
RULES: Final[tuple[Rule, ...]] = (
    constant_partition_key,
    few_partition_keys,
    time_partition_key,
    busy_partition_key,
    busy_item,
    shard_count,
    too_little_capacity,
    scan,
    large_query,
    range_filter,
    tenant_filter,
    meaningless_order,
    mixed_lengths,
    range_to_last_letter,
    letter_case,
    local_time_in_key,
    unused_index,
    duplicate_index,
    unused_key,
    index_without_key,
    could_be_sparse,
    left_out_of_index,
    changing_index_key,
    changing_primary_key,
    large_item,
    large_collection,
    nothing_expires,
    transaction_of_one,
    large_transaction,
    personal_data_in_key,
    unique_by_index,
    growing_item,
    large_item_update,
    just_over_a_unit,
    wide_projection,
    consistent_read,
    batch_get_of_one_partition,
    billing_mode,
    new_table_limit,
    filtered_away,
    estimate_differs,
    spread_contradicted,
    hot_key,
    rolling_hot_key,
    unplanned_scan,
    index_never_read,
    long_key,
    prefix_of_another_entity,
    schema_name_first,
    guessable_partition_keys,
    sort_key_by_bounds,
    unique_across_tables,
    attributes_in_index_keys,
    meaningful_key_names,
)
