"""What is public is listed, can be imported, and explains itself with an example that runs."""

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


@pytest.mark.parametrize("name", LISTED)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert hasattr(pksk, name)


@pytest.mark.parametrize("name", LISTED)
def test_a_public_name_and_its_methods_have_a_docstring(name: str) -> None:
    assert [label for label, thing in _described(name) if not inspect.getdoc(thing)] == []


@pytest.mark.parametrize("name", LISTED)
def test_a_public_class_or_function_shows_an_example(name: str) -> None:
    thing = getattr(pksk, name)
    if not _needs_an_example(thing):
        return

    assert ">>> " in (thing.__doc__ or "")


PACKAGES = (
    "pksk.aws",
    "pksk.capacity",
    "pksk.client",
    "pksk.connection",
    "pksk.engine",
    "pksk.expressions",
    "pksk.keys",
    "pksk.model",
    "pksk.partitions",
    "pksk.schema",
    "pksk.server",
    "pksk.store",
    "pksk.testing",
    "pksk.transfer",
    "pksk.values",
)
IN_PACKAGES = [(package, name) for package in PACKAGES for name in import_module(package).__all__]


@pytest.mark.parametrize(("package", "name"), IN_PACKAGES)
def test_a_name_that_a_package_exports_explains_itself(package: str, name: str) -> None:
    thing = getattr(import_module(package), name)
    if inspect.isroutine(thing) or inspect.isclass(thing):
        assert thing.__doc__
    if inspect.isroutine(thing):
        assert ">>> " in (thing.__doc__ or "")


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


def _needs_an_example(thing: object) -> bool:
    # An error is met, not made: its page is `pksk explain`, and the base class shows the shape of all.
    is_error = inspect.isclass(thing) and issubclass(thing, PkskError)
    return inspect.isroutine(thing) or (inspect.isclass(thing) and not is_error)
