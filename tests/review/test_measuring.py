"""Measuring: every pattern runs with what its design declares, and what cannot run is named."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from examples.lessons.design import TABLES as LESSONS
from examples.records.system import system as records
from pksk import Engine, ServiceError, connect
from pksk.cli.app import app
from pksk.review import PatternMeasurement, ProblemIndicators, measure, measure_design, review
from pksk.review.reports.text_report import text_report
from tests.review.designs import design_module, tables_of

DESIGN = """
    shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])

    class Order(Entity, table=shop, per_partition=40):
        customer: str
        number: int
        status: Literal["open", "paid"]
        text: str = ""
        primary = Key("CUST#{customer}", "{number:06d}")
        by_status = Key("{status}", "{customer}#{number:06d}", index="by-status")

        @access(rate=5, item_size=3000)
        @classmethod
        def add(cls, order: "Order") -> Put["Order"]:
            return Put(order).if_absent()

        @access(rate=5, items=20, item_size=3000)
        @classmethod
        def from_number(cls, customer: str, first: int) -> Query["Order"]:
            return cls.primary(customer=customer, number=gte(first))

        @access(rate=5)
        @classmethod
        def pay(cls, customer: str, number: int) -> Update["Order"]:
            return cls.primary.update(customer=customer, number=number).set(status="paid").when(F.status == "open")

        @access(rate=5)
        @classmethod
        def never(cls, customer: str, number: int) -> Update["Order"]:
            return cls.primary.update(customer=customer, number=number).set(status="paid").when(F.text.contains("y"))
    """


def measured(name: str, source: str = DESIGN) -> PatternMeasurement:
    return next(each for each in measure_design(tables_of(source)).patterns if each.name == name)


def test_a_write_takes_the_size_that_the_design_declares() -> None:
    add = measured("Order.add")

    assert (add.calls, add.requests, add.consumed.write) == (10, 10, 60.0)
    assert add.estimate == add.consumed
    assert (add.share("shop", None, "write"), add.share("shop", "by-status", "write")) == (0.1, 0.5)


def test_a_query_reads_as_many_items_as_the_design_declares() -> None:
    found = measured("Order.from_number")

    assert (found.read, found.returned) == (20 * found.calls, 20 * found.calls)
    assert found.consumed.read == pytest.approx(7.5 * found.calls)


def test_an_update_runs_on_an_item_for_which_its_condition_holds() -> None:
    assert measured("Order.pay").consumed.write == 30


def test_a_pattern_whose_condition_cannot_be_met_is_named() -> None:
    tables = tables_of(DESIGN)
    found = measure_design(tables)

    assert found.of("Order.never") is None
    assert "Order.never: not measured: its condition does not hold" in text_report(
        review(*tables, measured=found)
    )


_STRICT = """
    from pydantic import field_validator

    notes = Table("notes")

    class Note(Entity, table=notes):
        note: str
        text: str = ""
        primary = Key("{note}", "META")

        @field_validator("note")
        @classmethod
        def _only_known(cls, note: str) -> str:
            return {"note": note, "a": note}[note]

        @access(rate=1)
        @classmethod
        def add(cls, item: "Note") -> Put["Note"]:
            return Put(item)

    class Page(Entity, table=notes):
        page: str
        number: int
        text: str = ""
        primary = Key("PAGE#{page}", "{number:04d}")

        @access(rate=1, items=200, item_size=350_000)
        @classmethod
        def of(cls, page: str) -> Query["Page"]:
            return cls.primary(page=page)
    """


def test_a_validator_that_raises_anything_leaves_the_other_patterns_measured() -> None:
    (notes,) = tables_of(_STRICT)
    add, pages = measure_design([notes]).patterns

    assert add.problem.startswith("KeyError")
    assert (pages.problem, pages.estimate) == ("", None)
    assert 0 < pages.read < 200 * pages.calls


@pytest.mark.parametrize("tables", [LESSONS, records.tables])
def test_estimates_of_examples_equal_their_consumption(tables: list[Any]) -> None:
    """For patterns whose call reads what the design declares; a sparse index and a filter may make it less."""
    found = [each for each in measure_design(tables).patterns if not each.problem]
    compared = [each for each in found if each.estimate is not None]

    assert len(found) > 25
    assert len(compared) > 15  # of generated items, some are longer than the one that an estimate rests on
    for each in compared:
        assert each.estimate is not None
        estimate = each.estimate.read + each.estimate.write
        assert each.consumed.read + each.consumed.write <= estimate * 1.6 + 1, each.name


def test_items_of_the_design_are_used_with_their_values() -> None:
    module: Any = design_module(DESIGN)
    orders = [module.Order(customer=f"c{n % 2}", number=n, status="open") for n in range(50)]
    found = measure_design([module.shop], orders).of("Order.from_number")

    assert found is not None
    assert found.on_own_items
    assert 0 < found.read < 25 * found.calls
    assert found.share("shop", None, "read") == 0.5


class Throttled:
    """A client of another DynamoDB, which throttles every second call, and meters no keys."""

    def __init__(self) -> None:
        self.engine = Engine.open()
        self.calls = 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.calls += 1
        if operation == "PutItem" and self.calls % 2:
            raise ServiceError("ThrottlingException", "Rate exceeded")
        return self.engine.call(operation, request)


def test_calls_on_a_store_of_ones_own_are_measured_with_their_problems() -> None:
    module: Any = design_module(DESIGN)
    store = connect(Throttled())
    store.create_tables(module.shop)
    order = module.Order(customer="a", number=1, status="open")
    found = measure([module.shop], [], lambda db: db.put(order), store=store)

    assert found.consumed.write == 2
    assert found.stored is None
    assert isnan(found.hottest)
    assert found.problems.rows in ([("PutItem shop", "throttled", 1)], [])
    assert orjson.loads(orjson.dumps(found.data()))["hottest"] is None


def test_an_engine_of_ones_own_meters_keys() -> None:
    module: Any = design_module(DESIGN)
    with Engine.open() as engine, connect(engine) as store:
        store.create_tables(module.shop)
        items = [module.Order(customer="a", number=n, status="open") for n in range(30)]
        found = measure([module.shop], items, lambda db: list(db.iter(module.Order.scan())), store=store)

    assert (len(found.answer), found.hottest) == (30, 0.0)
    assert found.problems.counts["Scan shop", "scan"] == 1
    assert "problem" in str(found)


def test_throttled_requests_are_counted_though_the_store_repeats_them() -> None:
    module: Any = design_module(DESIGN)
    client, indicators = Throttled(), ProblemIndicators()
    store = connect(client, hooks=[indicators])
    store.create_tables(module.shop)
    client.calls = 0
    store.put(module.Order(customer="a", number=1, status="open"))

    assert indicators.data() == [{"name": "PutItem shop", "indicator": "throttled", "requests": 1}]


_FILE = """
from pksk import Entity, Key, Query, Table, access

feed = Table("feed")

class Post(Entity, table=feed):
    number: int
    primary = Key("POSTS", "{number:09d}")

    @access(rate=9000, items=5, item_size=100)
    @classmethod
    def every(cls) -> Query["Post"]:
        return cls.primary()

posts = [Post(number=number) for number in range(1000)]
"""


def test_pksk_check_measures_and_adds_the_figures_as_evidence(tmp_path: Path) -> None:
    file = tmp_path / "feed_to_measure.py"
    file.write_text(_FILE)
    generated = CliRunner().invoke(app, ["check", str(file), "--measure"])
    own = CliRunner().invoke(app, ["check", str(file), "--items", "posts", "--json"])
    wrong = CliRunner().invoke(app, ["check", str(file), "--items", "post"])

    assert (
        "measured on generated items: 10 calls of Post.every took 10 requests and 5 read units"
        in " ".join(generated.output.split())
    )
    assert "estimate-differs" in {each["rule"] for each in orjson.loads(own.output)["findings"]}
    assert orjson.loads(own.output)["measured"][0]["items_read"] == 10_000
    assert wrong.exit_code != 0
    assert "did you mean 'posts'" in wrong.output


_JOBS = """
    jobs = Table("jobs", indexes=[GSI("by-owner", pk="g1", sk="g2")])

    class Job(Entity, table=jobs):
        job_id: UUID
        owner: str
        score: int = 0
        payload: bytes = b""
        version: Annotated[int, Version()] = 0
        primary = Key("JOB#{job_id}", "JOB")
        by_owner = Key("{owner}", "{score:09d}", index="by-owner")

        @access(rate=1, item_size=3000)
        @classmethod
        def add(cls, job: "Job") -> Put["Job"]:
            return Put(job).if_absent()

        @access(rate=1, items=4, item_size=3000)
        @classmethod
        def of_owner(cls, owner: str) -> Query["Job"]:
            return cls.by_owner(owner=owner)

        @access(rate=1, item_size=3000)
        @classmethod
        def scored(cls, job_id: UUID, score: int) -> Update["Job"]:
            return cls.primary.update(job_id=job_id).set(score=score)
    """


def test_generated_items_are_new_distinct_changed_by_updates_and_of_the_declared_size() -> None:
    add, of_owner, scored = measure_design(tables_of(_JOBS)).patterns

    assert (add.calls, add.consumed.write) == (10, 60)
    assert of_owner.read == 4 * of_owner.calls
    assert scored.consumed.write == scored.estimate.write == 90  # type: ignore[union-attr]


_BETWEEN = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: str
        at: AwareDatetime
        number: int
        primary = Key("CUST#{customer}", "{at}#{number}")

        @access(rate=1, items=30)
        @classmethod
        def within(cls, customer: str, start: AwareDatetime, end: AwareDatetime) -> Query["Order"]:
            return cls.primary(customer=customer, at=between(start, end))

    class Line(Entity, table=shop):
        customer: str
        number: int
        primary = Key("LINES#{customer}", "{number:06d}")

        @access(rate=1, items=30)
        @classmethod
        def within(cls, customer: str, first: int, last: int) -> Query["Line"]:
            return cls.primary(customer=customer, number=between(first, last))
    """


@pytest.mark.parametrize("name", ["Order.within", "Line.within"])
def test_a_range_between_two_arguments_finds_as_many_items_as_it_declares(name: str) -> None:
    within = measured(name, _BETWEEN)

    assert within.read == 30 * within.calls
