"""Every public name is listed, can be imported, and has an example that runs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

import pksk
from pksk.errors import PkskError

LISTED = Path(__file__).with_name("public_names.txt").read_text("utf-8").split()


def test_the_public_names_are_those_of_the_checked_in_list() -> None:
    assert sorted(pksk.__all__) == LISTED


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in LISTED if not hasattr(pksk, name)] == []


def test_public_names_and_their_methods_have_docstrings() -> None:
    described = [each for name in LISTED for each in _described(name)]

    assert [label for label, thing in described if not inspect.getdoc(thing)] == []


def test_public_classes_and_functions_show_an_example() -> None:
    things = {name: getattr(pksk, name) for name in LISTED}

    assert [name for name, thing in things.items() if _lacks_its_example(thing)] == []


PACKAGES = (
    "pksk.aws",
    "pksk.capacity",
    "pksk.cells",
    "pksk.cells.arrays",
    "pksk.changes",
    "pksk.client",
    "pksk.connection",
    "pksk.engine",
    "pksk.expressions",
    "pksk.geo",
    "pksk.geo.counts",
    "pksk.geo.h3",
    "pksk.geometry",
    "pksk.keys",
    "pksk.model",
    "pksk.partitions",
    "pksk.review",
    "pksk.schema",
    "pksk.search",
    "pksk.server",
    "pksk.store",
    "pksk.testing",
    "pksk.transfer",
    "pksk.values",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_exported_names_of_packages_have_docstrings(package: str) -> None:
    module = import_module(package)
    things = {name: getattr(module, name) for name in module.__all__}
    described = {
        name: each for name, each in things.items() if inspect.isroutine(each) or inspect.isclass(each)
    }
    functions = {name: each for name, each in described.items() if inspect.isroutine(each)}

    assert [name for name, each in described.items() if not each.__doc__] == []
    assert [name for name, each in functions.items() if ">>> " not in (each.__doc__ or "")] == []


def _described(name: str) -> Iterator[tuple[str, object]]:
    thing = getattr(pksk, name)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        yield name, thing
    if inspect.isclass(thing):
        methods = {label: member for label, member in vars(thing).items() if _is_method(label, member)}
        yield from ((f"{name}.{label}", member) for label, member in methods.items())


def _is_method(label: str, member: object) -> bool:
    bound = isinstance(member, (property, cached_property, classmethod, staticmethod))
    return not label.startswith("_") and (bound or inspect.isroutine(member))


def _lacks_its_example(thing: object) -> bool:
    return _needs_an_example(thing) and ">>> " not in (thing.__doc__ or "")


def _needs_an_example(thing: object) -> bool:
    # Users do not create errors: `pksk explain` documents them, and the base class shows their shape.
    is_error = inspect.isclass(thing) and issubclass(thing, PkskError)
    return inspect.isroutine(thing) or (inspect.isclass(thing) and not is_error)
