"""`pksk_budget` and `pksk_review` in separate runs of pytest: what passes, what fails, and what the failure says."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("all_imported")

DESIGN = """
    import pytest
    from pksk import Entity, GSI, Key, Query, Table, access, transaction, Put

    shop = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])

    class Order(Entity, table=shop):
        customer: str
        number: int
        status: str = "open"
        primary = Key("CUST#{customer}", "ORDER#{number:06d}")
        by_status = Key("STATUS#{status}", "{number:06d}", index="by-status")

    @pytest.fixture
    def pksk_tables():
        return [shop]
"""


def run(pytester: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    pytester.makeconftest("pass")
    pytester.makepyfile(test_shop=f"{_dedent(DESIGN)}\n{_dedent(tests)}")
    return pytester.runpytest("-Werror", "-pno:xdist", *options)


def _dedent(text: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in text.splitlines())


def test_a_test_within_its_budget_passes(pytester: pytest.Pytester) -> None:
    tests = """
    def test_the_rest_of_the_test(pksk_store, pksk_budget):
        pksk_store.batch_put(Order(customer="7", number=n) for n in range(20))
        pksk_budget(read_units=1, write_units=0, requests=2)
        pksk_store.get(Order, customer="7", number=1)
        pksk_store.get(Order, customer="7", number=2)

    def test_a_block(pksk_store, pksk_budget):
        with pksk_budget(write_units=2, requests=1) as budget:
            pksk_store.put(Order(customer="7", number=1))
        pksk_store.put(Order(customer="7", number=2))
        assert budget.consumed == {"read_units": 0, "write_units": 2, "requests": 1}

    def test_a_transaction_is_one_request(pksk_store, pksk_budget):
        pksk_budget(requests=1, write_units=6)
        pksk_store.run(transaction(*(Put(Order(customer="7", number=n)) for n in range(2))))
    """
    run(pytester, tests).assert_outcomes(passed=3)


def test_a_test_that_exceeds_its_budget_fails_with_its_requests(pytester: pytest.Pytester) -> None:
    tests = """
    def test_too_many_requests(pksk_store, pksk_budget):
        pksk_store.put(Order(customer="7", number=1))
        pksk_budget(read_units=0.5, requests=1)
        pksk_store.get(Order, customer="7", number=1)
        list(pksk_store.iter(Order.by_status(status="open")))

    def test_a_block(pksk_store, pksk_budget):
        with pksk_budget(write_units=1):
            pksk_store.put(Order(customer="a\\x1b[31m", number=1))
    """
    done = run(pytester, tests)

    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(
        [
            "pksk_budget: 1 read unit, and the budget is 0.5; 2 requests, and the budget is 1.",
            "  GetItem *0.5 read units: shop pk='CUST#7' sk='ORDER#000001'",
            "  Query *0.5 read units: shop/by-status pk='STATUS#open'",
            "pksk_budget: 2 write units, and the budget is 1.",
            r"  PutItem *2 write units: shop pk='CUST#a?x1b[[]31m' *",
        ]
    )
    assert "\x1b[31mm" not in done.stdout.str()


def test_requests_of_boto3_count(pytester: pytest.Pytester) -> None:
    tests = """
    def test_it(pksk_store, pksk_boto3, pksk_budget):
        pksk_budget(requests=0)
        pksk_boto3.resource("dynamodb").Table("shop").scan()
    """
    done = run(pytester, tests)

    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["pksk_budget: 1 request, and the budget is 0.", "  Scan *: shop"])


def test_a_failing_test_does_not_also_exceed_its_budget(pytester: pytest.Pytester) -> None:
    tests = """
    def test_it(pksk_store, pksk_budget):
        pksk_budget(requests=0)
        pksk_store.put(Order(customer="7", number=1))
        assert False, "this"

    def test_raised_in_a_block(pksk_store, pksk_budget):
        with pksk_budget(requests=0):
            pksk_store.put(Order(customer="7", number=1))
            raise ValueError("that")
    """
    done = run(pytester, tests)

    done.assert_outcomes(failed=2)
    assert "the budget is" not in done.stdout.str()
    done.stdout.fnmatch_lines(["*this*", "*ValueError: that*"])


@pytest.mark.parametrize("arguments", ["", "requests=-1", "read_units='2'", "requests=True"])
def test_a_budget_that_is_none_is_an_error(pytester: pytest.Pytester, arguments: str) -> None:
    done = run(pytester, f"    def test_it(pksk_budget):\n        pksk_budget({arguments})\n")

    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*pksk explain testing-budget*"])


REVIEW = """
    import pytest
    from pksk import Entity, Key, Table

    shop = Table("shop")

    class User(Entity, table=shop):
        user_id: str
        primary = Key("USER", "{user_id}")

    def test_design(pksk_review):
        pksk_review(shop{arguments})
"""


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        ("", "failed"),
        (", fail_on='error'", "passed"),
        (", baseline='known.json'", "passed"),
        (", baseline='other.json'", "failed"),
        (", baseline='missing.json'", "failed"),
    ],
)
def test_a_design_with_new_findings_fails(pytester: pytest.Pytester, arguments: str, outcome: str) -> None:
    known = '{"version": 1, "findings": [{"rule": "constant-partition-key", "subject": "User.primary"}]}'
    pytester.path.joinpath("known.json").write_text(known)
    pytester.path.joinpath("other.json").write_text(known.replace("User", "Other"))
    pytester.makepyfile(_dedent(REVIEW.replace("{arguments}", arguments)))
    done = pytester.runpytest("-Werror", "-pno:xdist")

    done.assert_outcomes(**{outcome: 1})
    if "missing" in arguments:
        done.stdout.fnmatch_lines(["*check-baseline*"])
    elif outcome == "failed":
        done.stdout.fnmatch_lines(["pksk_review: *findings in shop.", "*constant-partition-key"])
