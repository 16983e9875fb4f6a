"""Lessons in keys, as designs: `pksk design examples/lessons/design.py` prints them.

`patterns` are the shapes to use, `mistakes` the ones to avoid with what to do instead, `indexes` the rest.
"""

from __future__ import annotations

from .indexes import tickets
from .mistakes import (
    bucketed,
    by_country,
    by_country_and_user,
    by_date,
    by_entity,
    counters,
    in_order,
    numbered,
    one_partition,
    random_order,
    scattered,
    sharded,
    too_coarse,
    too_fine,
)
from .patterns import accounts, orders, people, users

TABLES = [
    users, orders, accounts, people,
    one_partition, numbered, scattered, counters, by_date, by_entity, by_country, by_country_and_user,
    sharded, bucketed, too_coarse, too_fine, random_order, in_order,
    tickets,
]  # fmt: skip

__all__ = ["TABLES"]
