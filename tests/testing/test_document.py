"""The tests in documents pass, and --pksk-heat prints the documented report."""

from __future__ import annotations

import pytest

from tests.project.snippets import blocks, tidy
from tests.project.tree import ROOT

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("all_imported")

PAGE = blocks((ROOT / "docs" / "testing.md").read_text("utf-8"))
SUITE, CONFTEST, STORE = (block.text for block in PAGE if "@pytest.fixture" in block.text)
GUIDE = blocks((ROOT / "docs" / "guides" / "test-with-pytest.md").read_text("utf-8"))
REPORT = next(block.text for block in PAGE if "what the tests consumed" in block.text)


def test_the_documented_tests_pass_and_print_the_documented_report(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_shop=SUITE)
    result = pytester.runpytest("--pksk-heat=2", "-pno:xdist")

    result.assert_outcomes(passed=21)
    assert tidy(REPORT) in tidy(result.stdout.str())


def test_the_documented_tests_of_a_store_pass(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_orders=f"import pytest\n{STORE}")

    pytester.runpytest("-pno:xdist").assert_outcomes(passed=4)


def test_the_tests_in_the_guide_pass(pytester: pytest.Pytester) -> None:
    code = "\n".join(block.text for block in GUIDE if block.info == "python")
    pytester.makepyfile(test_tickets=code)

    pytester.runpytest("-pno:xdist").assert_outcomes(passed=code.count("\ndef test_"))


def test_fixtures_can_be_overridden(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(f"import pytest\n{CONFTEST}")
    pytester.makepyfile(
        """
        import boto3
        from pksk import Table

        def test_it(clock):
            client = boto3.client("dynamodb")
            client.create_table(**Table("shop").create_request())
            assert client.describe_table(TableName="shop")["Table"]["TableStatus"] == "CREATING"
            clock.advance(10)
            assert client.describe_table(TableName="shop")["Table"]["TableStatus"] == "ACTIVE"
        """
    )

    pytester.runpytest("-pno:xdist").assert_outcomes(passed=1)
