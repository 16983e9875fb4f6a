"""The pytest fixtures and options of pksk, and the environment variables it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.project.tree import PACKAGE

__all__ = ["VARIABLES", "environment_lines"]

_PLUGIN = PACKAGE / "testing" / "plugin.py"

VARIABLES = {
    "PKSK_CURSOR_SECRET": (
        "the store",
        "the secret that encrypts cursors, if `cursor_secret=` is not given; see [Pagination](../pagination.md)",
    ),
    "PKSK_ACCESS_KEY_ID": ("`pksk serve`", "the access key id that requests must be signed with"),
    "PKSK_SECRET_ACCESS_KEY": ("`pksk serve`", "its secret key; set both or neither"),
    "PKSK_SESSION_TOKEN": ("`pksk serve`", "its session token, if it has one"),
    "PKSK_TARGET": ("the examples", "the default of their option `--target`"),
    "PKSK_ENDPOINT": (
        "the tests of the store",
        "the server to run them on; see [Other servers](../other-servers.md)",
    ),
    "PKSK_ENDPOINT_IS": (
        "the tests of the store",
        "which server it is, so that known differences are expected",
    ),
}


def environment_lines() -> Iterator[str]:
    """A table of fixtures and options, and one of environment variables."""
    yield from ("## Pytest fixtures", "")
    yield "Available in pytest wherever pksk is installed; see [Testing](../testing.md)."
    yield from ("", "| fixture | type | meaning |", "|---|---|---|")
    tree = ast.parse(_PLUGIN.read_text("utf-8"))
    yield from (f"| `{name}` | `{given}` | {meaning} |" for name, given, meaning in _fixtures(tree))
    yield from ("", "| pytest option | meaning |", "|---|---|")
    yield from (f"| `{name} {metavar}` | {meaning} |" for name, metavar, meaning in _options(tree))
    yield from ("", "## Environment variables", "", "| name | used by | meaning |", "|---|---|---|")
    yield from (f"| `{name}` | {reader} | {meaning} |" for name, (reader, meaning) in VARIABLES.items())
    yield ""
    yield "`NO_COLOR` and `TERM=dumb` disable colours. The AWS clients use the same variables as every AWS SDK:"
    yield "`AWS_REGION`, `AWS_PROFILE`, `AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL_DYNAMODB` and so on."


def _fixtures(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        marks = map(ast.unparse, node.decorator_list)
        if not node.name.startswith("_") and any("fixture" in mark for mark in marks):
            meaning = " ".join((ast.get_docstring(node) or "").split())
            yield node.name, _given(node).replace("|", "\\|"), meaning


def _given(node: ast.FunctionDef) -> str:
    """The type that a test gets: the one the fixture returns or yields."""
    returned = ast.unparse(node.returns) if node.returns else "None"
    return (
        returned.removeprefix("Iterator[").removesuffix("]") if returned.startswith("Iterator[") else returned
    )


def _options(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "addoption"
        ):
            given = {each.arg: ast.unparse(each.value).strip("'") for each in node.keywords}
            yield ast.unparse(node.args[0]).strip("'"), given["metavar"], given["help"]
