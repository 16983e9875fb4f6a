"""A view read from the engine takes as few requests and units as planned, where all cells exist and where few do."""

from __future__ import annotations

from benchmarks.bench_view_queries import rows_of


def test_a_view_of_a_full_partition_takes_at_most_9_requests_and_23_units() -> None:
    rows = {row["name"].removeprefix("100% exist: "): row for row in rows_of(1.0)}

    plan = rows.pop("plan")
    assert plan["requests"] <= 9
    assert plan["units"] <= 23
    assert rows["exact ranges"]["items"] == 1403
    assert rows["whole partition"]["items"] == 32_768
    assert plan["units"] < min(row["units"] for row in rows.values())


def test_a_view_of_an_almost_empty_partition_costs_less_than_all_of_it() -> None:
    rows = {row["name"].removeprefix("1% exist: "): row for row in rows_of(0.01)}

    plan = rows.pop("plan")
    assert plan["requests"] == 1
    assert plan["units"] <= min(row["units"] for row in rows.values()) < rows["whole partition"]["units"]
