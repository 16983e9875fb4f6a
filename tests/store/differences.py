"""Tests of the store that other servers fail; docs/other-servers.md lists the differences for users.

They run all the same, and must fail. Remove a difference here and there when it is gone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

import pytest

__all__ = ["DIFFERENCES", "Difference", "expected_difference"]

# Which server the endpoint is, by its name below; without it no difference is expected.
SERVER: Final = os.environ.get("PKSK_ENDPOINT_IS", "")


@dataclass(frozen=True)
class Difference:
    """A difference between a server and what AWS documents, and the tests that show it."""

    what: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return self.what


DIFFERENCES: Final[dict[str, tuple[Difference, ...]]] = {
    "extenddb": (
        Difference(
            "rows with one sort key come in the same order in both directions, so that pages backwards skip some",
            (
                "test_fan_out.py::test_rows_with_equal_sort_keys_come_the_other_way_round_backwards",
                "test_pages.py::test_pages_backwards_across_equal_index_keys",
            ),
        ),
        Difference(
            "for a sort key of several attributes, ScanIndexForward reverses only the first",
            (
                "test_many_attributes.py::test_a_query_needs_all_attributes_of_the_partition_key",
                "test_many_attributes.py::test_pages_in_both_directions",
            ),
        ),
        Difference(
            "a condition on the second attribute of a sort key is an InternalServerError",
            ("test_many_attributes.py::test_attributes_of_the_sort_key_from_left_to_right",),
        ),
        Difference(
            "an answer of BatchGetItem does not end at 16 MB",
            ("test_batches.py::test_keys_beyond_the_response_limit_are_read_again",),
        ),
        Difference(
            "the capacity that a transaction consumes lacks that of indexes",
            (
                "test_meter.py::test_guards_are_counted_with_their_write",
                "test_meter.py::test_a_move_to_another_key_has_an_estimate_beside_what_it_consumed",
                "test_meter.py::test_the_guards_of_a_move_are_in_its_estimate",
                "test_meter.py::test_the_guards_of_an_item_with_a_changed_ttl_are_in_the_estimate",
                "test_refresh.py::test_guards_that_a_refresh_writes_are_estimated",
            ),
        ),
    )
}


def expected_difference(item: pytest.Item) -> Difference | None:
    """The difference that a test is expected to show on the server that it runs on."""
    name = f"{item.path.name}::{getattr(item, 'originalname', item.name)}"
    return next((each for each in DIFFERENCES.get(SERVER, ()) if name in each.tests), None)
