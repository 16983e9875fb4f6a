"""Functions, generators and classes of tests, each call with an engine of its own."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any

import boto3
import pytest
from botocore.httpsession import URLLib3Session

from pksk.engine import Engine
from pksk.testing import intercept

from .orders import ORDERS


def _make() -> list[str]:
    client = boto3.client("dynamodb")
    client.create_table(**ORDERS)
    names: list[str] = client.list_tables()["TableNames"]
    return names


@intercept
def plain(left: int, *, right: int) -> tuple[int, list[str]]:
    """Adds."""
    return left + right, _make()


def test_each_call_of_a_function_has_an_engine_of_its_own() -> None:
    assert plain(1, right=2) == plain(2, right=1) == (3, ["orders"])
    assert (plain.__name__, plain.__doc__) == ("plain", "Adds.")


def test_with_an_engine_all_calls_share_it() -> None:
    engine = Engine.open()
    make = intercept(engine)(_make)
    make()

    with pytest.raises(Exception, match="ResourceInUse"):
        make()


def test_calls_of_an_async_function_that_overlap_have_an_engine_each() -> None:
    met: list[int] = []

    @intercept()
    async def run(number: int) -> list[str]:
        names = _make()
        met.append(number)
        while len(met) < 3:
            await asyncio.sleep(0)
        return names

    async def main() -> list[list[str]]:
        return list(await asyncio.gather(run(1), run(2), run(3)))

    assert asyncio.run(main()) == [["orders"]] * 3


def test_a_generator_runs_in_its_block_from_the_first_value_to_the_end() -> None:
    @intercept
    def values() -> Iterator[list[str]]:
        yield _make()
        yield boto3.client("dynamodb").list_tables()["TableNames"]

    assert list(values()) == [["orders"], ["orders"]]


def test_an_async_generator_runs_in_its_block() -> None:
    @intercept
    async def values() -> AsyncIterator[list[str]]:
        yield _make()
        yield boto3.client("dynamodb").list_tables()["TableNames"]

    async def main() -> list[list[str]]:
        return [value async for value in values()]

    assert asyncio.run(main()) == [["orders"], ["orders"]]


def test_an_async_generator_receives_sent_and_thrown_values() -> None:
    @intercept
    async def values() -> AsyncGenerator[object, object]:
        sent = yield "first"
        try:
            yield sent
        except KeyError as error:
            yield error.args[0]

    async def main() -> list[object]:
        running = values()
        seen = [await anext(running), await running.asend("sent"), await running.athrow(KeyError("thrown"))]
        with pytest.raises(StopAsyncIteration):
            await anext(running)
        return seen

    assert asyncio.run(main()) == ["first", "sent", "thrown"]


@intercept()
class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.made = _make()

    def test_one(self) -> None:
        assert self.made == boto3.client("dynamodb").list_tables()["TableNames"]

    test_two = test_one


@intercept
class AsyncCase(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.made = _make()

    async def test_one(self) -> None:
        assert self.made == boto3.client("dynamodb").list_tables()["TableNames"]


@pytest.mark.parametrize("case", [Case, AsyncCase])
def test_a_case_of_unittest_has_one_block_for_set_up_and_test(case: type[unittest.TestCase]) -> None:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)

    assert (result.errors, result.failures) == ([], [])
    assert result.testsRun >= 1


@intercept
class TestPlainClass:
    def test_a_test_of_a_plain_class(self, tmp_path: Any) -> None:
        assert _make() == ["orders"]

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_test_of_a_plain_class_with_parameters(self, number: int) -> None:
        assert _make() == ["orders"]


@intercept
class TestSetUp:
    def setup_method(self) -> None:
        self.made = _make()

    def teardown_method(self, method: Any) -> None:
        assert method.__name__.startswith("test_")
        assert boto3.client("dynamodb").list_tables()["TableNames"] == self.made

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_plain_class_has_one_block_for_set_up_and_test(self, number: int) -> None:
        assert boto3.client("dynamodb").list_tables()["TableNames"] == self.made == ["orders"]


def test_a_block_ends_if_its_set_up_fails() -> None:
    @intercept
    class Failing:
        def setup_method(self) -> None:
            raise RuntimeError("no")

    unpatched = URLLib3Session.send
    with pytest.raises(RuntimeError, match="no"):
        Failing().setup_method()

    assert URLLib3Session.send is unpatched


@intercept
class TestBase:
    def setup_method(self, method: object) -> None:
        self.made = _make()


@intercept
class TestDerived(TestBase):
    def setup_method(self, method: object) -> None:
        super().setup_method(method)

    def test_a_subclass_has_its_own_block(self) -> None:
        assert boto3.client("dynamodb").list_tables()["TableNames"] == self.made
