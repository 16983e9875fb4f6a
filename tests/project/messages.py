"""Prints every error message of the source as one list: ``python -m tests.project.messages [WORD]``.

What is put in at run time is shown as its expression in braces. With WORD, only messages of places or codes that
contain it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pksk.expressions.texts import TEXTS as EXPRESSION_TEXTS
from tests.project.codes import calls_with_a_code, literal_codes
from tests.project.tree import syntax_trees

Constants = dict[str, ast.expr]


@dataclass(frozen=True)
class Message:
    """The texts of one call that makes an error."""

    place: str
    codes: tuple[str, ...]
    texts: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.place}  {' | '.join(self.codes) or '(the code of the caller)'}"]
        return "\n    ".join([*lines, *self.texts])


def messages() -> Iterator[Message]:
    """Every message, in the order of the files; then DynamoDB's messages about expressions, with our fixes."""
    trees = syntax_trees()
    constants = {place: _constants(tree) for place, tree in trees.items()}
    for place, call, code in calls_with_a_code(trees):
        texts = tuple(_texts(call, constants[place]))
        if texts:
            yield Message(f"{place}:{call.lineno}", tuple(literal_codes(code)), texts)
    for name, text in EXPRESSION_TEXTS.items():
        yield Message("src/pksk/expressions/texts.py", (name,), (text.words, f"fix: {text.fix}"))


def _constants(tree: ast.Module) -> Constants:
    """The values of a module's own constants, by name."""
    found: Constants = {}
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
    return found


def _texts(call: ast.Call, constants: Constants) -> Iterator[str]:
    """The texts of a call: the problem, then what is expected, and the fix."""
    for argument in call.args:
        text = _template(argument, constants)
        if " " in text:
            yield text
    for keyword in call.keywords:
        text = _template(keyword.value, constants)
        if keyword.arg in ("problem", "expected", "fix") and text:
            yield f"{keyword.arg}: {text}"


def _template(node: ast.expr, constants: Constants) -> str:
    """A text as in the source, with expressions in braces."""
    if isinstance(node, ast.Name) and isinstance(constants.get(node.id), ast.Constant | ast.JoinedStr):
        return _template(constants[node.id], constants)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        table = constants.get(node.value.id)
        if isinstance(table, ast.Dict):
            return f"[{' | '.join(_template(each, constants) for each in table.values)}]"
    if isinstance(node, ast.Constant):
        return str(node.value) if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            _template(each, constants) if isinstance(each, ast.Constant) else f"{{{ast.unparse(each.value)}}}"
            for each in node.values
            if isinstance(each, ast.Constant | ast.FormattedValue)
        )
    if isinstance(node, ast.BinOp):
        return _template(node.left, constants) + _template(node.right, constants)
    if isinstance(node, ast.IfExp):
        return f"[{_template(node.body, constants)} | {_template(node.orelse, constants)}]"
    return f"{{{ast.unparse(node)}}}"


if __name__ == "__main__":
    word = "".join(sys.argv[1:])
    print(*[f"{each}\n" for each in messages() if word in str(each)], sep="\n")
