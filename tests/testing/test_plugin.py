"""The fixtures in separate runs of pytest, also with xdist, and the cost of loading the plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("all_imported")

ROOT = Path(__file__).parents[2]
FIXTURES = """
import boto3, pytest
from pksk import Table

@pytest.mark.parametrize("number", range(4))
def test_each_has_its_own_engine(pksk_engine, number):
    assert pksk_engine.call("ListTables", {}) == {"TableNames": []}
    pksk_engine.call("CreateTable", Table("orders", sk=None).create_request())

@pytest.mark.parametrize("number", range(4))
def test_each_has_its_own_session(pksk_boto3, pksk_engine, number):
    table = pksk_boto3.resource("dynamodb").create_table(**Table("orders", sk=None).create_request())
    table.put_item(Item={"pk": "7"})
    assert boto3.resource("dynamodb").Table("orders").scan()["Count"] == 1
    assert pksk_engine.call("Scan", {"TableName": "orders"})["Count"] == 1

def test_the_server_uses_the_same_engine(pksk_server, pksk_boto3):
    pksk_boto3.client("dynamodb").create_table(**Table("orders", sk=None).create_request())
    client = pksk_boto3.client("dynamodb", endpoint_url=pksk_server.url)
    assert client.list_tables()["TableNames"] == ["orders"]
    client.close()
"""


@pytest.mark.parametrize(
    "options", [["-pno:xdist"], pytest.param(["-n2"], marks=pytest.mark.wider)], ids=["alone", "xdist"]
)
def test_every_test_has_fixtures_of_its_own(pytester: pytest.Pytester, options: list[str]) -> None:
    pytester.makepyfile(FIXTURES)

    pytester.runpytest("-Werror", *options).assert_outcomes(passed=9)


def test_the_engine_is_opened_with_the_settings(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pksk import Clock, Table

        @pytest.fixture
        def clock():
            return Clock(1_800_000_000)

        @pytest.fixture
        def pksk_settings(clock):
            return {"region": "eu-west-1", "clock": clock}

        def test_it(pksk_boto3, clock):
            client = pksk_boto3.client("dynamodb")
            arn = client.create_table(**Table("orders", sk=None).create_request())["TableDescription"]["TableArn"]
            assert arn == "arn:aws:dynamodb:eu-west-1:000000000000:table/orders"
            assert pksk_boto3.region_name == "eu-west-1"
        """
    )

    pytester.runpytest("-Werror").assert_outcomes(passed=1)


def test_fixtures_are_reset_for_the_next_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from botocore.httpsession import URLLib3Session
        SEND = vars(URLLib3Session)["send"]

        def test_with(pksk_boto3):
            assert vars(URLLib3Session)["send"] is not SEND

        def test_without(pksk_engine):
            assert vars(URLLib3Session)["send"] is SEND
        """
    )

    pytester.runpytest().assert_outcomes(passed=2)


def test_code_with_its_own_endpoint_is_routed_if_a_fixture_names_it(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import boto3, pytest
        from pksk.testing import intercept

        @pytest.fixture
        def pksk_intercept(pksk_engine):
            with intercept(pksk_engine, endpoints="localhost:8000"):
                yield pksk_engine

        def test_it(pksk_boto3):
            client = boto3.client("dynamodb", endpoint_url="http://localhost:8000")
            assert client.list_tables()["TableNames"] == []
        """
    )

    pytester.runpytest().assert_outcomes(passed=1)


STORES = """
import asyncio

import pytest
from pksk import Entity, Key, Table

shop = Table("shop", ttl="until")

class Order(Entity, table=shop):
    id: str
    primary = Key("ORDER#{id}", "META")

@pytest.fixture
def pksk_tables():
    return RETURNED

def test_alone(pksk_store):
    pksk_store.create(Order(id="1"))

def test_awaited(pksk_async_store):
    asyncio.run(pksk_async_store.create(Order(id="1")))

def test_together(pksk_store, pksk_async_store):
    pksk_store.create(Order(id="1"))
    assert asyncio.run(pksk_async_store.get(Order.primary.get(id="1"))) == Order(id="1")

def test_the_other_way_round(pksk_async_store, pksk_store):
    asyncio.run(pksk_async_store.create(Order(id="1")))
    assert pksk_store.get(Order.primary.get(id="1")) == Order(id="1")
"""


@pytest.mark.parametrize("returned", ["[shop]", "(shop,)", "shop", "(each for each in [shop])"])
def test_both_stores_share_tables_that_are_created_once(pytester: pytest.Pytester, returned: str) -> None:
    pytester.makepyfile(STORES.replace("RETURNED", returned))

    pytester.runpytest("-Werror", "-pno:xdist").assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("None", "pksk_tables returns None, which is not a Table."),
        ("'shop'", "pksk_tables returns 'shop', which is not a Table."),
        ("['shop']", "pksk_tables returns a list with 'shop', which is not a Table."),
        ("7", "pksk_tables returns 7, which is not a Table."),
        ("Order", "pksk_tables returns <class *Order'>, which is not a Table."),
    ],
)
def test_a_fixture_that_returns_no_table_is_an_error(
    pytester: pytest.Pytester, returned: str, message: str
) -> None:
    pytester.makepyfile(STORES.replace("RETURNED", returned))
    result = pytester.runpytest("-Werror", "-pno:xdist")

    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines([f"*DesignError: The fixture {message}", "*Fix: write return [[]shop], *"])


def test_loading_the_plugin_imports_few_modules() -> None:
    code = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport pksk.testing.plugin\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    ours = [name for name in done.stdout.split() if name != "argparse"]
    assert ours == ["pksk", "pksk.lazy", "pksk.testing", "pksk.testing.plugin"]


def test_a_run_without_fixtures_imports_neither_engine_nor_boto3(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_it():
            heavy = {"boto3", "botocore", "orjson", "pydantic", "pksk.engine.engine", "pksk.testing.heat_report"}
            assert heavy & set(sys.modules) == set()
        """
    )

    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_without_botocore_the_error_names_the_package_to_install(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        import pytest
        from pksk.errors import PkskError

        def test_botocore(monkeypatch):
            from pksk.testing import intercept

            for name in ("botocore.auth", "botocore.endpoint"):
                monkeypatch.setitem(sys.modules, name, None)
            with pytest.raises(PkskError, match="pip install boto3") as caught, intercept():
                pass
            assert caught.value.code == "testing-package"

        def test_boto3(monkeypatch):
            from pksk.testing.boto3_session import new_boto3_session

            monkeypatch.setitem(sys.modules, "boto3", None)
            with pytest.raises(PkskError, match="pksk_intercept") as caught:
                new_boto3_session("us-east-1")
            assert caught.value.code == "testing-package"
        """
    )

    pytester.runpytest("-Werror").assert_outcomes(passed=2)


@pytest.fixture(autouse=True)
def _runs_find_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
