"""Parses operands: paths, values and functions, nested to any depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .texts import Parameter, expression_error
from .tokens import KEYWORDS, LETTERS, Tokens
from .tree import Call, Operand

MAX_OPERATORS: Final = 300
CONDITION_FUNCTIONS: Final = frozenset(
    {"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size"}
)
UPDATE_FUNCTIONS: Final = frozenset({"if_not_exists", "list_append"})


class OperandReader:
    """The common base of readers of conditions and updates; without recursion, because callers choose the depth."""

    __slots__ = (
        "_bad_function",
        "_functions",
        "_nestable",
        "_redundant",
        "in_parentheses",
        "misused_function",
        "operators",
        "tokens",
    )

    def __init__(
        self,
        text: str,
        parameter: Parameter,
        names: Mapping[str, str] | None,
        values: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        self.tokens = Tokens(text, parameter, names, values)
        self._functions, self._nestable = CONDITION_FUNCTIONS, "size"
        self.operators = 0
        self.in_parentheses = False
        self.misused_function = ""
        self._redundant = False
        self._bad_function = ""

    def operand(self) -> Operand:
        """The operand that comes next, in parentheses or not."""
        tokens = self.tokens
        open_ones: list[tuple[str, list[Operand]]] = []
        while True:
            token = tokens.peek()
            if token[:1] == ":":
                node: Operand = tokens.value()
                self.in_parentheses = False
            elif token == "(":
                tokens.position += 1
                open_ones.append(("", []))
                continue
            elif self._at_call(token):
                tokens.position += 2
                open_ones.append((token, []))
                continue
            else:
                node = tokens.path()
                self.in_parentheses = False
            while open_ones:
                closed = self._close(open_ones, node)
                if closed is None:
                    break
                node = closed
            else:
                return node

    def _at_call(self, token: str) -> bool:
        tokens = self.tokens
        return (
            token[:1] in LETTERS
            and tokens.tokens[tokens.position + 1] == "("
            and token.upper() not in KEYWORDS
        )

    def _close(self, open_ones: list[tuple[str, list[Operand]]], node: Operand) -> Operand | None:
        """The content of the innermost parenthesis, if it ends here; None if another operand follows."""
        name, operands = open_ones[-1]
        if name:
            if isinstance(node, Call) and node.name != self._nestable:
                self.misused_function = self.misused_function or node.name
            operands.append(node)
            if self.tokens.peek() == ",":
                self.tokens.position += 1
                return None
        self.tokens.expect(")")
        open_ones.pop()
        if not name:
            self.close_group()
            return node
        self.in_parentheses = False
        return self.call(name, operands)

    def close_group(self) -> None:
        """Record the end of a pair of parentheses, and whether it contained only another pair."""
        self._redundant |= self.in_parentheses
        self.in_parentheses = True

    def call(self, name: str, operands: list[Operand]) -> Call:
        """A call of this function, counted and checked for its name."""
        self.operators += 1
        if name not in self._functions:
            self._bad_function = self._bad_function or name
        return Call(name, tuple(operands))

    def finish(self) -> None:
        """Raise the recorded errors, in DynamoDB's order, after the last token."""
        tokens, parameter = self.tokens, self.tokens.parameter
        if self._redundant:
            raise expression_error("expression-redundant-parentheses", parameter)
        if self._bad_function:
            self._reject_function(self._bad_function)
        if self.misused_function:
            raise expression_error("expression-misused-function", parameter, function=self.misused_function)
        if self.operators > MAX_OPERATORS:
            raise expression_error("expression-too-many-operators", parameter, count=MAX_OPERATORS + 1)
        if tokens.name_error:
            raise tokens.name_error

    def _reject_function(self, name: str) -> None:
        parameter = self.tokens.parameter
        if name in UPDATE_FUNCTIONS:
            raise expression_error("expression-not-in-condition", parameter, function=name)
        if name in CONDITION_FUNCTIONS:
            raise expression_error("expression-not-in-update", parameter, function=name)
        raise expression_error("expression-unknown-function", parameter, function=name)
