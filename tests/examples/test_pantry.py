"""The design of the pantry: queries that it cannot serve, and mistakes that it rules out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

import pytest

from examples.pantry.clients import Client
from examples.pantry.other_layouts import ServiceByMonth
from examples.pantry.services import FOOD, Service
from pksk import F, begins, between, gte
from tests.examples.example_requests import error_code

REJECTED: dict[str, tuple[str, Callable[[], object]]] = {
    "clients whose name begins like this: a name is a partition key": (
        "plan-partition-operator",
        lambda: Client.by_family_name(family_name=begins("Lop")),
    ),
    "services by their own number, which no key begins with": (
        "where-no-index",
        lambda: Service.where(service_id="cl7r5a1xk0000"),
    ),
    "all services since a time, without a span of years": (
        "plan-partition-operator",
        lambda: Service.by_year(at=gte(datetime(2022, 9, 1))),
    ),
    "a report with a column that the index does not hold": (
        "plan-not-projected",
        lambda: Service.by_year(at=between(datetime(2022, 9, 1), datetime(2022, 9, 2))).plan,
    ),
    "a filter on an attribute that the index does not hold": (
        "plan-filter-not-stored",
        lambda: Service.of_month(date(2022, 9, 1), "Food_Pantry").filter(F.served_by == "ann").plan,
    ),
    "another date for a service, which is part of its key": (
        "write-key-field",
        lambda: Service.primary.update(
            client_id="12305", at=datetime(2022, 9, 7, 10, 15), service_id="cl7r5a1xk0000"
        ).set(at=datetime(2022, 9, 6)),
    ),
    "a client from an index, which has no GetItem": (
        "plan-get-index",
        lambda: Client.by_birth.get(born=date(1980, 2, 29)),
    ),
}


@pytest.mark.parametrize("what", REJECTED)
def test_a_query_that_no_key_can_serve_is_rejected(what: str) -> None:
    code, call = REJECTED[what]

    assert error_code(call) == code


def test_a_report_is_one_request_and_filters_by_category() -> None:
    day = date(2022, 9, 7)
    reports = [Service.of_day(day, FOOD), Service.of_month(day, FOOD), Service.of_year(day.year, FOOD)]

    for plan in (each.plan for each in reports):
        assert plan.exact
        assert len(plan.requests) == 1
        assert plan.requests[0]["FilterExpression"] == "svcCat = :v3"


def test_the_sort_key_limits_a_year_to_a_month_or_a_day() -> None:
    values = Service.all_of_month(date(2022, 9, 7)).plan.requests[0]["ExpressionAttributeValues"]

    assert values[":v0"] == {"S": "2022"}
    # `}` is the character after the delimiter: no id of this minute sorts behind it.
    assert [values[name]["S"] for name in (":v1", ":v2")] == ["2022-09-01T00:00|", "2022-09-30T23:59}"]


def test_a_report_on_a_year_by_month_reads_twelve_partitions_of_a_category() -> None:
    plan = ServiceByMonth.of_year(2022, "Food_Pantry").plan

    assert plan.exact
    assert [request["ExpressionAttributeValues"][":v0"]["S"] for request in plan.requests] == [
        f"2022-{month:02d}" for month in range(1, 13)
    ]


def test_a_filled_voucher_leaves_the_index_of_waiting_vouchers() -> None:
    service = Service(
        client_id="12305",
        at=datetime(2022, 12, 20, 9),
        service_id="cl7r5a1xk0001",
        category="Christmas",
        type_id="toys",
        fill_pending="PENDING",
    )

    filled = Service.fill(service, "ann", 2, datetime(2022, 12, 21, 9))

    assert filled.request["UpdateExpression"].endswith("REMOVE fillPending")
