"""Lessons in keys, as designs: `pksk design examples/lessons/design.py` prints them.

`patterns` has the shapes to use, `mistakes` the ones to avoid beside what to do instead.
"""

from __future__ import annotations

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
from .patterns import accounts, orders, people, tickets, users

TABLES = [
    users,
    orders,
    accounts,
    people,
    one_partition,
    numbered,
    scattered,
    counters,
    by_date,
    by_entity,
    by_country,
    by_country_and_user,
    sharded,
    bucketed,
    too_coarse,
    too_fine,
    random_order,
    in_order,
    tickets,
]

__all__ = ["TABLES"]
