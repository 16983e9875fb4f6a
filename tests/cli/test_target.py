"""The forms of TARGET, and the errors about invalid ones."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pksk.cli.explain import explanations
from pksk.cli.target import load
from pksk.cli.target_import import on_path
from pksk.errors import PkskError
from tests.cli.designs import BROKEN, SHOP, STALL
from tests.cli.run_pksk import SOURCE, forget_modules, pksk, pksk_process, process_environment

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes files into a folder of its own, from which modules are loaded and forgotten again."""
    monkeypatch.chdir(tmp_path)

    def write(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / (name if "." in name else f"{name}.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    with forget_modules():
        yield write


def _message_of(target: str) -> str:
    with pytest.raises(PkskError) as raised:
        load(target)
    return str(raised.value)


@pytest.mark.parametrize(
    "target", ["shop", "shop.py", "./shop.py", "shop:shop", "shop.py:shop", "shop.py:Order", "shop:both"]
)
def test_a_design_is_found_by_module_file_and_name(target: str, write: Write) -> None:
    write(shop=f"{SHOP}\nboth = [shop]\n")

    assert [table.name for table in load(target).tables] == ["shop"]


def test_a_named_entity_is_the_only_one_printed(write: Write) -> None:
    write(shop=SHOP)
    found = load("shop.py:Customer")

    assert found.only is found.module.Customer


def test_each_table_appears_once_in_the_order_of_the_module(write: Write) -> None:
    write(
        shop=SHOP,
        both="from shop import Order, shop\nfrom pksk import Table\n\n"
        "other = Table('shop')\nagain = shop\nlisted = [other, shop]\n",
    )
    first, second = load("both.py").tables

    assert ([each.name for each in first.entities], second.entities) == (["Order", "Customer"], [])


def test_a_file_of_a_package_has_its_real_name_and_relative_imports(write: Write) -> None:
    write(**{
        "src/app/__init__.py": "",
        "src/app/tables.py": SHOP,
        "src/app/deep/__init__.py": "",
        "src/app/deep/design.py": "from ..tables import shop\nfrom app.tables import Order\n",
    })  # fmt: skip
    found = load("src/app/deep/design.py")

    assert (found.module.__name__, [table.name for table in found.tables]) == ("app.deep.design", ["shop"])


def test_a_package_folder_is_the_package(write: Write) -> None:
    write(**{"parks/__init__.py": "from .tables import shop\n", "parks/tables.py": SHOP})

    assert load("parks").module is load("parks/").module


def test_a_package_without_tables_in_its_init_file_has_those_of_its_modules(write: Write) -> None:
    write(**{
        "larder/__init__.py": "",
        "larder/plain.py": "raise SystemExit('this file has nothing to do with designs')\n",
        "larder/__main__.py": "import pksk\nraise SystemExit('a program')\n",
        "larder/test_shop.py": "import pksk\nraise SystemExit('a test')\n",
        "larder/tables/__init__.py": "",
        "larder/tables/shop.py": SHOP,
        "larder/orders.py": "from larder.tables.shop import shop\n",
    })  # fmt: skip

    assert [table.name for table in load("larder").tables] == ["shop"]
    assert [table.name for table in load("larder.tables").tables] == ["shop"]


def test_the_error_of_a_module_inside_a_package_shows_its_line(write: Write) -> None:
    write(**{"attic/__init__.py": "", "attic/shop.py": "import pksk\nmissing\n"})

    assert "name 'missing' is not defined" in _message_of("attic")


def test_a_package_without_any_table_is_an_error(write: Write) -> None:
    write(**{"empty_rooms/__init__.py": "", "empty_rooms/one.py": "import pksk\n"})

    assert "there is no Table in empty_rooms." in _message_of("empty_rooms")


def test_a_file_can_import_from_its_folder_and_the_working_directory(write: Write) -> None:
    write(**{
        "beside/design.py": "from neighbour_of_it import shop\nimport where_it_runs\n",
        "beside/neighbour_of_it.py": SHOP,
        "where_it_runs.py": "",
    })  # fmt: skip

    assert len(load("beside/design.py").tables) == 1


@pytest.mark.parametrize("name", ["random", "types", "typing", "click", "pydantic", "difflib"])
def test_a_design_with_the_name_of_another_module_hides_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text(SHOP)
    moved = f"import os; os.chdir({str(tmp_path)!r})"

    ran = pksk_process("design", f"{name}.py", before=f"{moved}; import sys; sys.path.remove('')")

    assert (ran.code, ran.err) == (0, "")
    assert "ORDER#{number:06d}" in ran.out


def test_a_file_takes_precedence_over_a_standard_module(write: Write) -> None:
    write(random=SHOP)

    assert len(load("random").tables) == 1
    assert hasattr(sys.modules["random"], "randrange")


def test_folders_are_on_the_path_after_python_and_before_packages(tmp_path: Path) -> None:
    before = list(sys.path)
    with on_path([str(tmp_path)]):
        place = sys.path.index(str(tmp_path))
        assert any("site-packages" in entry for entry in sys.path[place:])
        assert not any("site-packages" in entry for entry in sys.path[:place])

    assert sys.path == before


def test_an_entity_with_a_forward_reference_is_completed(write: Write) -> None:
    write(
        late="from pksk import Entity, Key, Table\nfrom pydantic import BaseModel\n\n\nlate = Table('late')\n\n\n"
        "class Order(Entity, table=late):\n    id: 'Id'\n    lines: 'list[Line]'\n"
        "    primary = Key('ORDER#{id}', 'META')\n\n\n"
        "class Line(BaseModel):\n    n: int\n\n\nId = str\n"
    )

    assert [each.name for each in load("late").tables[0].entities] == ["Order"]


def test_a_traceback_has_only_the_lines_of_the_user(write: Write) -> None:
    write(raises=BROKEN["raises.py"])

    # How much of a line is underlined differs from one Python to the next.
    message = "".join(
        line for line in _message_of("raises.py").splitlines(keepends=True) if line.strip(" ~^\n")
    )

    assert message == (
        "raises.py cannot be imported.\n"
        "Traceback (most recent call last):\n"
        '  File "raises.py", line 5, in <module>\n'
        "    name = find({})\n"
        '  File "raises.py", line 2, in find\n'
        "    return settings['table']\n"
        "KeyError: 'table'\n"
        "Fix: correct the last of these lines, or set what it needs before the import.  "
        "(pksk explain target-raises)"
    )


def test_a_traceback_leaves_out_the_lines_of_packages(write: Write) -> None:
    write(
        model="from pydantic import BaseModel, field_validator\n\n\nclass Point(BaseModel):\n    x: int\n\n"
        "    @field_validator('x')\n    def far(cls, x):\n        return 1 / x\n\n\nPoint(x=0)\n"
    )
    message = _message_of("model.py")

    assert re.findall(r'File "(.*)", line (\d+)', message) == [("model.py", "12"), ("model.py", "9")]


def test_a_traceback_has_the_lines_of_the_cause(write: Write) -> None:
    write(
        cause="try:\n    int('x')\nexcept ValueError as error:\n    raise RuntimeError('no number') from error\n"
    )
    message = _message_of("cause.py")

    assert (
        message.index("ValueError") < message.index("direct cause") < message.index("RuntimeError: no number")
    )


def test_an_invalid_design_is_reported_with_its_line(write: Write) -> None:
    write(
        wrong="from pksk import Entity, Key, Table\n\n\n"
        "class Order(Entity, table=Table('orders')):\n    id: str\n    primary = Key('ORDER#{ide}', 'META')\n"
    )

    assert _message_of("wrong").splitlines()[:2] == [
        "wrong.py, line 4: class Order(Entity, table=Table('orders')):",
        "Order.primary: template 'ORDER#{ide}' uses field 'ide', which Order does not declare.",
    ]
    assert _message_of("wrong").endswith("(pksk explain template-unknown-field)")


def test_a_syntax_error_is_printed_with_line_and_caret(write: Write) -> None:
    write(syntax="x = 1\nz = 3 4\n")

    assert '  File "syntax.py", line 2\n    z = 3 4\n          ^\nSyntaxError: ' in _message_of("syntax.py")
    assert "Traceback" not in _message_of("syntax.py")


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        (
            "import nowhere_at_all\n",
            "install 'nowhere_at_all', or add the folder that holds it to PYTHONPATH.",
        ),
        ("from . import tables\n", "add an __init__.py to its folder"),
        ("class Quit(BaseException): pass\nraise Quit\n", "correct the last of these lines"),
        ("def again(): again()\nagain()\n", "correct the last of these lines"),
        ("\0", ""),
    ],
)
def test_the_error_of_a_failed_import_names_the_missing_module(text: str, fix: str, write: Write) -> None:
    write(lacking=text)
    message = _message_of("lacking.py")

    assert fix in message
    assert message.endswith("(pksk explain target-raises)")
    assert len(message) < 4000


def test_a_module_that_failed_leaves_no_trace(write: Write) -> None:
    write(raises=BROKEN["raises.py"])
    before = list(sys.path)
    _message_of("raises.py")

    assert ("raises" in sys.modules, sys.path) == (False, before)


@pytest.mark.parametrize(
    ("target", "fix"),
    [
        ("shpo.py", "did you mean 'shop.py'?"),
        ("shpo", "did you mean 'shop.py'?"),
        ("apps/shop.py", "check the name and the folder."),
        ("lib/desing.py", "did you mean 'lib/design.py'?"),
        ("app.ordres", "did you mean 'app/orders.py'?"),
        ("apq.orders", "did you mean 'app.orders'?"),
        ("inner.orders", "did you mean 'src/inner/orders.py'?"),
        ("lib", "write a file: lib/design.py."),
        ("lib/", "write a file: lib/design.py."),
        ("not-here", "write a file"),
        ("shop:Ordr", "did you mean 'Order'?"),
        ("shop:zzz", "write a table or an entity"),
    ],
)
def test_the_error_for_a_missing_target_suggests_the_nearest(target: str, fix: str, write: Write) -> None:
    write(**{
        "shop.py": SHOP, "lib/about.py": "", "lib/design.py": SHOP, "src/inner/orders.py": SHOP,
        "app/__init__.py": "", "app/orders.py": SHOP,
    })  # fmt: skip

    assert f"Fix: {fix}" in _message_of(target)


def test_output_printed_by_a_module_is_left_out(write: Write) -> None:
    write(talks=f"{SHOP}\nprint('loading')\n")
    ran = pksk("design", "talks.py", "--json")

    assert (json.loads(ran.out)["tables"][0]["name"], ran.err) == ("shop", "loading\n")


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"]])
def test_with_json_an_error_is_a_document(option: list[str], write: Write) -> None:
    write(raises=BROKEN["raises.py"])
    ran = pksk("design", "raises.py", *option)

    assert (ran.code, ran.out) == (2, "")
    assert json.loads(ran.err)["error"]["code"] == "target-raises"


def test_an_interrupt_while_a_design_is_loaded_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\n\nprint('loading', flush=True)\ntime.sleep(60)\n")
    with subprocess.Popen(
        [sys.executable, "-m", "pksk", "design", "slow.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=process_environment(),
        # The program that starts the tests may ignore interrupts, as nohup does; a child inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"loading\n"
        os.kill(process.pid, signal.SIGINT)
        out, message = process.communicate()

    assert (process.returncode, out, message) == (128 + signal.SIGINT, b"", b"")


CODES = re.findall(r"^## (\S+)", (SOURCE / "pksk/explanations/target.md").read_text("utf-8"), re.M)


@pytest.mark.parametrize("code", CODES)
def test_the_example_about_a_target_raises_that_code(code: str, write: Write) -> None:
    write(**BROKEN)
    example = "\n".join(re.findall(r"^    (.*)$", explanations()[code], re.M))

    ran = pksk(*shlex.split(example)[1:])

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(f"(pksk explain {code})\n")
    assert re.search(r"^Fix: ", explanations()[code], re.M)


def test_the_error_for_the_name_of_an_access_pattern_says_how_to_plan_it(write: Write) -> None:
    write(**{"stall.py": STALL})

    ran = pksk("plan", "stall.py:Sale.of_code", "code=abc")

    assert ran.code == 2
    assert "'Sale.of_code' is an access pattern." in ran.err
    assert "Fix: plan a call of it: pksk plan stall.py Sale.of_code." in ran.err
