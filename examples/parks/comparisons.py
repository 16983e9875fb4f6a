"""Two layouts of product dates compared: the product in the sort key, or in the partition key."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any
from uuid import UUID

from ..tour import Tour
from . import product_dates as apart
from .data import OPENING
from .products import ProductDate
from .tables import ItemKey

ACTIVITY = ("layouts", "dayuse", 1)
PRODUCTS = range(1, 9)
DAYS = [OPENING.date() + timedelta(days=more) for more in range(92)]
SEASON = (DAYS[0], DAYS[-1])
WEEK = (DAYS[7], DAYS[13])
DAY = (DAYS[7], DAYS[7])


def layout_steps(tour: Tour) -> None:
    """Run the same access patterns on both layouts, and show requests, units and partitions side by side."""
    tour.section("Two layouts of product dates: the product in the sort key, or in the partition key")
    dates = list(_dates())
    tour.fill(dates, len(dates), "dates with the product in the sort key")
    tour.fill(map(_as_separate, dates), len(dates), "dates with the product in the partition key")
    rows = [
        _compare(tour, dates, "a week of one product", [1], WEEK),
        _compare(tour, dates, "a day of every product", list(PRODUCTS), DAY),
        _compare(tour, dates, "a week of every product", list(PRODUCTS), WEEK),
        _compare(tour, dates, "the season of every product", list(PRODUCTS), SEASON),
    ]
    headers = ("Dates of products", "Requests", "Read units", "Requests, apart", "Read units, apart")
    tour.table(headers, rows, right=(1, 2, 3, 4))
    tour.compare(
        "Dates of eight products, with the product in the sort key, or apart with it in the partition key",
        headers,
        rows,
        right=(1, 2, 3, 4),
        conclusion="Units differ only because each request is rounded up. In the sort key, one request reads all "
        "products of an activity, but they share the 3,000 read units a second of one partition key. Apart, each "
        "product has its own 3,000.",
    )
    tour.table(
        ("Layout", "Partition keys", "Dates of each"),
        [
            ("product in the sort key", 1, len(dates)),
            ("product in the partition key, apart", len(PRODUCTS), len(DAYS)),
        ],
        right=(1, 2),
    )
    tour.note(
        "Units differ only because each request is rounded up. In the sort key, one request reads all products of an\n"
        "activity, but they share the 3,000 read units a second of one partition key. Apart, each product has its own\n"
        "3,000, and needs a request of its own."
    )


def _compare(
    tour: Tour, dates: list[ProductDate], question: str, products: list[int], span: tuple[date, date]
) -> tuple[object, ...]:
    matches = [each for each in dates if each.product_id in products and span[0] <= each.day <= span[1]]
    together: Any = [ProductDate.within(*ACTIVITY, number, *span) for number in products]
    if len(matches) == len(dates):
        together = ProductDate.of_activity(*ACTIVITY)
    tour.run(together, matches, title=f"Product in the sort key: {question}")
    first = tour.steps[-1]
    separate = [apart.ProductDate.within(*ACTIVITY, number, *span) for number in products]
    tour.run(separate, list(map(_as_separate, matches)), title=f"Product in the partition key: {question}")
    second = tour.steps[-1]
    figures = ((len(step.requests), f"{step.consumed.read:g}") for step in (first, second))
    return (question, *(figure for pair in figures for figure in pair))


def _dates() -> Iterator[ProductDate]:
    random = Random("parks: layouts")
    collection_id, activity_type, activity_id = ACTIVITY
    for number in PRODUCTS:
        for day in DAYS:
            yield ProductDate(
                collection_id=collection_id,
                activity_type=activity_type,
                activity_id=activity_id,
                product_id=number,
                day=day,
                policies=[ItemKey(pk=f"policy::{kind}::1", sk="latest") for kind in ("booking", "fee")],
                global_id=UUID(int=random.getrandbits(128), version=4),
            )


def _as_separate(each: ProductDate) -> apart.ProductDate:
    return apart.ProductDate(**each.model_dump())
