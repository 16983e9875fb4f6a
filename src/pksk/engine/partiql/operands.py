"""Parses operands of a statement: literals, parameters, paths and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

from pksk.engine.request.attribute_values import check_value
from pksk.engine.service_errors import invalid_request, validation
from pksk.engine.texts import partiql as texts
from pksk.engine.texts.items import NESTING
from pksk.expressions import Call, Operand, Path, Value, ValueRef
from pksk.expressions.check import check_path
from pksk.expressions.texts import expression_error
from pksk.expressions.tokens import MAX_LIST_INDEX
from pksk.expressions.tree import Element
from pksk.values import Wire

from .tokens import Token, Tokens, malformed_statement
from .tree import ValueTemplate

_CLOSING: Final = {"[": "]", "{": "}", "<<": ">>"}
_CONSTANTS: Final[dict[str, Wire]] = {
    "TRUE": {"BOOL": True},
    "FALSE": {"BOOL": False},
    "NULL": {"NULL": True},
}
_SET_TYPES: Final = {"S": "SS", "N": "NS", "B": "BS"}
# Deeper values would be rejected later.
_DEEPEST: Final = 40


def placeholder(number: int) -> str:
    """The placeholder of a parameter."""
    return f"?{number}"


class ValueReader:
    """Parses the values of one statement without recursion, and counts its parameters."""

    __slots__ = ("parameters", "templates", "tokens")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.parameters = 0
        # Values that contain parameters, by the placeholders in their place.
        self.templates: dict[str, ValueTemplate] = {}

    def at_value(self) -> bool:
        """Whether the next token begins a value."""
        kind, text = self.tokens.next.kind, self.tokens.next.text
        if kind == "symbol":
            return text in _CLOSING or text == "?" or (text in "+-" and self._before_number())
        return kind in {"string", "number"} or (kind == "keyword" and text in _CONSTANTS)

    def _before_number(self) -> bool:
        return self.tokens.peek_second().kind == "number"

    def value(self) -> Value | ValueRef:
        """The next value: checked, or a placeholder if it contains parameters."""
        if self.tokens.symbol("?"):
            return ValueRef(self._parameter())
        read = self.read()
        if not callable(read):
            return Value(check_value(read))
        name = f"*{len(self.templates)}"
        self.templates[name] = read
        return ValueRef(name)

    def _parameter(self) -> str:
        """Count a parameter; returns its placeholder."""
        self.parameters += 1
        return placeholder(self.parameters - 1)

    def read(self) -> Wire | ValueTemplate:
        """The next value, unchecked."""
        containers: list[_Container] = []
        while True:
            node: Any = self._begin(containers)
            while node is not None and containers:
                node = self._close(containers, node)
            if node is not None:
                return node  # type: ignore[no-any-return]

    def _begin(self, containers: list[_Container]) -> Wire | ValueTemplate | None:
        """A scalar or an empty container; None if a container was opened."""
        tokens = self.tokens
        token = tokens.next
        if token.kind != "symbol" or token.text not in _CLOSING:
            return self._scalar()
        if len(containers) >= _DEEPEST:
            raise invalid_request(NESTING)
        tokens.take()
        container = _Container(token)
        if tokens.symbol(_CLOSING[token.text]):
            return container.value()
        containers.append(container)
        if token.text == "{":
            container.keys.append(self._key())
        return None

    def _close(self, containers: list[_Container], node: Wire | ValueTemplate) -> Wire | ValueTemplate | None:
        """Add a value to the innermost container; returns that container if it is complete, otherwise None."""
        container, tokens = containers[-1], self.tokens
        container.members.append(node)
        if tokens.symbol(","):
            if container.token.text == "{":
                container.keys.append(self._key())
            return None
        tokens.expect(_CLOSING[container.token.text])
        containers.pop()
        return container.value()

    def _key(self) -> str:
        token = self.tokens.take()
        if token.kind == "end":
            raise malformed_statement(texts.UNEXPECTED_TERM)
        if token.kind != "string":
            raise self.tokens.located(texts.UNEXPECTED_MAP_KEY, token)
        self.tokens.expect(":")
        return token.text

    def _scalar(self) -> Wire | ValueTemplate:
        tokens = self.tokens
        token = tokens.next
        if token.kind == "symbol" and token.text in "+-" and self._before_number():
            tokens.take()
            sign = "-" if token.text == "-" else ""
            return {"N": sign + tokens.take().text}
        if tokens.symbol("?"):
            return itemgetter(self._parameter())
        if token.kind == "keyword" and token.text in _CONSTANTS:
            return dict(_CONSTANTS[tokens.take().text])
        if token.kind in {"string", "number"}:
            return {"S" if tokens.take().kind == "string" else "N": token.text}
        raise _unexpected_value(tokens, token)


def _unexpected_value(tokens: Tokens, token: Token) -> Exception:
    if token.kind == "keyword" and token.text != "MISSING":
        return malformed_statement(texts.UNEXPECTED_KEYWORD)
    if token.kind in {"word", "quoted", "keyword"}:
        return tokens.located(texts.UNEXPECTED_VALUE, token)
    return malformed_statement(texts.UNEXPECTED_TERM)


class _Container:
    """A list, a map or a set that is being parsed."""

    __slots__ = ("keys", "members", "token")

    def __init__(self, token: Token) -> None:
        self.token = token
        self.keys: list[str] = []
        self.members: list[Wire | ValueTemplate] = []

    def value(self) -> Wire | ValueTemplate:
        """The value, or a template if it contains parameters."""
        return self._filled if any(map(callable, self.members)) else self._filled({})

    def _filled(self, values: Mapping[str, Any]) -> Wire:
        members = [member(values) if callable(member) else member for member in self.members]
        if self.token.text == "[":
            return {"L": members}
        if self.token.text == "{":
            return {"M": dict(zip(self.keys, members, strict=True))}
        return _set_value(members)


def _set_value(members: list[Any]) -> Wire:
    kinds = {kind for member in members for kind in member}
    if not kinds:
        raise validation(texts.EMPTY_SET)
    if len(kinds) > 1 or not kinds <= _SET_TYPES.keys():
        raise validation(texts.MIXED_SET)
    (kind,) = kinds
    return {_SET_TYPES[kind]: [member[kind] for member in members]}


# Most of these are not supported.
ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "||"})

_OPERAND_COUNTS: Final = {"begins_with": 2, "contains": 2, "attribute_type": 2, "size": 1}


class OperandReader(ValueReader):
    """Parses the operands of conditions and updates."""

    __slots__ = ("operators",)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        # Of the condition that is being parsed, with functions.
        self.operators = 0

    def name(self) -> str:
        """The next name, quoted or not."""
        token = self.tokens.next
        if token.kind not in {"word", "quoted"}:
            raise malformed_statement(texts.EXPECTED_NAME)
        return self.tokens.take().text

    def path(self) -> Path:
        """The next document path."""
        elements: list[Element] = [self.name()]
        tokens = self.tokens
        while True:
            if tokens.symbol("."):
                if tokens.next.kind not in {"word", "quoted"}:
                    raise malformed_statement(texts.INVALID_DOT)
                elements.append(tokens.take().text)
            elif tokens.symbol("["):
                elements.append(self._index())
                tokens.expect("]")
            else:
                break
        path = Path(tuple(elements))
        check_path(path, "ProjectionExpression", names=False)
        if "" in elements:
            raise malformed_statement(texts.EXPECTED_NAME)
        return path

    def _index(self) -> Element:
        token = self.tokens.take()
        if token.kind == "string":
            return token.text
        if token.kind != "number" or not token.text.isdigit():
            raise malformed_statement(texts.INVALID_INDEX)
        digits = token.text.lstrip("0") or "0"
        if len(digits) > 10 or int(digits) > MAX_LIST_INDEX:
            raise validation(
                expression_error("expression-index-range", "ProjectionExpression", index=digits).problem
            )
        return int(digits)

    def operand(self) -> Operand:
        """The next operand: a value, a path or a function."""
        tokens = self.tokens
        if self.at_value():
            return self.value()
        token = tokens.next
        if token.kind in {"word", "quoted"}:
            if token.kind == "word" and self.at_call():
                return self._call()
            return self.path()
        raise self.unexpected(token)

    def grouped(self, read: Callable[[], Operand]) -> Operand:
        """An operand with or without parentheses."""
        depth = 0
        while self.tokens.symbol("("):
            depth += 1
        operand = read()
        for _ in range(depth):
            self.tokens.expect(")")
        return operand

    def unexpected(self, token: Token) -> Exception:
        """The error for a token that cannot begin an operand."""
        if token.kind == "keyword":
            if token.text == "MISSING" or self.at_call():
                return self.tokens.located(texts.unsupported_function(token.text.lower()), token)
            return malformed_statement(texts.UNEXPECTED_KEYWORD)
        if token.kind == "symbol" and token.text in _OPERATORS:
            return malformed_statement(texts.UNEXPECTED_OPERATOR)
        return malformed_statement(texts.UNEXPECTED_TERM)

    def at_call(self) -> bool:
        """Whether a parenthesis follows the next token."""
        second = self.tokens.peek_second()
        return second.kind == "symbol" and second.text == "("

    def _call(self) -> Call:
        token = self.tokens.next
        name = token.text.lower()
        if name not in _OPERAND_COUNTS:
            raise self.tokens.located(texts.unsupported_function(token.text), token)
        operands = self.arguments(name, _OPERAND_COUNTS[name])
        self.operators += 1
        return Call(name, operands)

    def arguments(self, name: str, count: int) -> tuple[Operand, ...]:
        """The operands of the next function, which must be `count`."""
        token = self.tokens.take()
        self.tokens.expect("(")
        operands: list[Operand] = []
        if not self.tokens.at(")"):
            operands.append(self._argument())
            while self.tokens.symbol(","):
                operands.append(self._argument())
        self.tokens.expect(")")
        if len(operands) != count:
            raise self.tokens.located(texts.operand_count(name), token)
        return tuple(operands)

    def _argument(self) -> Operand:
        if self.at_value():
            return self.value()
        if self.at_call():
            token = self.tokens.next
            raise self.tokens.located(texts.unsupported_function(token.text), token)
        if self.tokens.next.kind not in {"word", "quoted"}:
            raise self.unexpected(self.tokens.next)
        return self.path()


_OPERATORS: Final = ARITHMETIC | {"=", "<", ">", "<=", ">=", "<>", "!=", "@"}
