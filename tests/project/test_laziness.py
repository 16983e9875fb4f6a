"""Nothing is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("boto3", "click", "h3", "numpy", "pydantic", "rich", "shapely")
LOADED = f"print(*sorted(set({HEAVY!r}) & set(sys.modules)))"


def test_importing_pksk_imports_no_heavy_package() -> None:
    assert _loaded_after("import pksk") == []


def test_importing_pksk_imports_only_the_lazy_loader() -> None:
    loaded = _run("import sys, pksk; print(*(name for name in sys.modules if name.startswith('pksk.')))")

    assert loaded == ["pksk.lazy"]


def test_every_name_of_keys_and_values_imports_no_heavy_package() -> None:
    lower = "('pksk.keys', 'pksk.values', 'pksk.errors')"

    assert (
        _loaded_after(
            f"import pksk\n[getattr(pksk, n) for module in {lower} for n in pksk._NAMES.get(module, '').split()]"
        )
        == []
    )


def test_a_template_renders_and_matches_without_any_heavy_package() -> None:
    assert (
        _loaded_after("from pksk import Template\nkey = Template('A#{b}')\nkey.match(key.render({'b': 'c'}))")
        == []
    )


def test_values_are_converted_without_any_heavy_package() -> None:
    assert (
        _loaded_after("from pksk.values import from_wire, to_wire\nfrom_wire(to_wire({'n': [1, b'x']}))")
        == []
    )


def test_an_engine_answers_without_any_heavy_package() -> None:
    assert _loaded_after("from pksk import Engine\nEngine.open().call('ListTables', {})") == []


def test_an_engine_in_memory_does_not_load_sqlite() -> None:
    loaded = _run("import sys\nfrom pksk import Engine\nEngine.open()\nprint('sqlite3' in sys.modules)")

    assert loaded == ["False"]


# Modules that Pydantic loads to find plugins, and those that only asynchronous stores need.
SLOW = ("asyncio", "importlib.metadata", "ssl", "subprocess")


@pytest.mark.parametrize("code", ["from pksk import Entity", "from pksk import connect; connect('memory:')"])
def test_a_program_starts_without_unneeded_modules(code: str) -> None:
    assert _run(f"import sys\n{code}\nprint(*set({SLOW!r}) & set(sys.modules))") == []


def _loaded_after(code: str) -> list[str]:
    return _run(f"import sys\n{code}\n{LOADED}")


def _run(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()
