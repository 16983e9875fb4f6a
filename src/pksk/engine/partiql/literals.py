"""Parses the values of a statement: parameters, literals, and the item of an INSERT."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final, TypeAlias

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.request import check_value
from pksk.engine.service_errors import InvalidRequest, validation, with_older_wording
from pksk.expressions import Value, ValueRef
from pksk.values import Wire
from pksk.values.wire import MAX_DEPTH

from .tokens import Token, Tokens, malformed_statement
from .tree import ValueTemplate

_CLOSING: Final = {"[": "]", "{": "}", "<<": ">>"}
_CONSTANTS: Final[dict[str, Wire]] = {
    "TRUE": {"BOOL": True},
    "FALSE": {"BOOL": False},
    "NULL": {"NULL": True},
}
_BAG_TYPES: Final = frozenset({"S", "N"})


ParameterValues: TypeAlias = Mapping[str, Any]


def value_of(operand: Value | ValueRef) -> Callable[[ParameterValues], Wire]:
    """A function that returns an operand's value, from the values of a request."""
    if isinstance(operand, Value):
        wire = operand.wire
        return lambda _: wire
    return itemgetter(operand.placeholder)


def placeholder(number: int) -> str:
    """The placeholder of a parameter."""
    return f"?{number}"


class ValueReader:
    """Parses the values of one statement without recursion, and counts its parameters."""

    __slots__ = ("literal_error", "parameters", "tokens")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.parameters = 0
        # The error of the first literal that cannot be stored; it is raised once the statement is parsed.
        self.literal_error: ServiceError | None = None

    def at_value(self) -> bool:
        """Whether the next token begins a value."""
        kind, text = self.tokens.next.kind, self.tokens.next.text
        if kind == "symbol":
            return text in _CLOSING or text == "?" or self.tokens.at_signed_number()
        return kind in {"string", "number"} or (kind == "keyword" and text in _CONSTANTS)

    def value(self) -> Value | ValueRef:
        """The next value: a parameter, or a checked literal."""
        if self.tokens.symbol("?"):
            return ValueRef(self._parameter())
        return Value(self._checked(self._literal()))

    def item(self) -> ValueTemplate:
        """The item of an INSERT, whose attributes may be parameters, or which may be one."""
        if not self.tokens.symbol("{"):
            return value_of(self.value())
        members: dict[str, Callable[[ParameterValues], Wire]] = {}
        if not self.tokens.at("}"):
            self._member(members)
            while self.tokens.symbol(","):
                self._member(members)
        self.tokens.expect("}")
        return lambda values: {"M": {name: member(values) for name, member in members.items()}}

    def _member(self, members: dict[str, Callable[[ParameterValues], Wire]]) -> None:
        name = self._key()
        members[name] = value_of(self.value())

    def _parameter(self) -> str:
        """Count a parameter; returns its placeholder."""
        self.parameters += 1
        return placeholder(self.parameters - 1)

    def _checked(self, literal: Wire) -> Wire:
        try:
            return check_value(literal)
        except ServiceError as error:
            self._note(with_older_wording(error))
            return literal

    def _note(self, error: ServiceError) -> None:
        self.literal_error = self.literal_error or error

    def _literal(self) -> Wire:
        """The next literal; its numbers, sets and depth are checked."""
        containers: list[_Container] = []
        while True:
            node = self._begin(containers)
            while node is not None and containers:
                node = self._close(containers, node)
            if node is not None:
                return node

    def _begin(self, containers: list[_Container]) -> Wire | None:
        """A scalar or an empty container; None if a container was opened."""
        if len(containers) == MAX_DEPTH + 1:
            self._note(_under(texts.TOO_DEEP, containers))
        tokens = self.tokens
        token = tokens.next
        if token.kind != "symbol" or token.text not in _CLOSING:
            return self._scalar(containers)
        tokens.take()
        container = _Container(token)
        if tokens.symbol(_CLOSING[token.text]):
            return self._completed(container, containers)
        containers.append(container)
        if token.text == "{":
            container.keys.append(self._key())
        return None

    def _close(self, containers: list[_Container], node: Wire) -> Wire | None:
        """Add a value to the innermost container; returns that container if it is complete, otherwise None."""
        container, tokens = containers[-1], self.tokens
        container.members.append(node)
        if tokens.symbol(","):
            if container.token.text == "{":
                container.keys.append(self._key())
            return None
        tokens.expect(_CLOSING[container.token.text])
        containers.pop()
        return self._completed(container, containers)

    def _completed(self, container: _Container, outer: list[_Container]) -> Wire:
        if container.token.text == "[":
            return {"L": container.members}
        if container.token.text == "{":
            return {"M": dict(zip(container.keys, container.members, strict=True))}
        return self._bag(container.members, outer)

    def _bag(self, members: list[Wire], outer: list[_Container]) -> Wire:
        kinds = {kind for member in members for kind in member}
        contents: list[Any] = [content for member in members for content in member.values()]
        if not kinds:
            self._note(validation("Empty bags are not supported"))
        elif len(kinds) > 1 or not kinds <= _BAG_TYPES:
            self._note(
                validation(
                    "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
                )
            )
        elif kinds == {"N"}:
            if len({check_value({"N": text})["N"] for text in contents}) < len(contents):
                repeated = f"{texts.INVALID}Input collection [{', '.join(contents)}] contains duplicates!"
                self._note(_under(repeated, outer))
            return {"NS": contents}
        return {"SS": contents if kinds == {"S"} else ["invalid"]}

    def _key(self) -> str:
        token = self.tokens.take()
        if token.kind == "end":
            raise malformed_statement(texts.UNEXPECTED_TERM)
        if token.kind != "string":
            raise self.tokens.located("Unexpected map key", token)
        self.tokens.expect(":")
        return token.text

    def _scalar(self, containers: list[_Container]) -> Wire:
        tokens = self.tokens
        token = tokens.next
        if tokens.at_signed_number():
            return self._number(tokens.signed_number()[0], containers)
        if tokens.symbol("?"):
            self._parameter()
            if containers[-1].token.text == "<<":
                return {"NULL": True}  # as invalid in a bag as a parameter
            unsupported = f"Unsupported data type: Parameter under key {_path_of(containers)}"
            self._note(tokens.located(unsupported, token))
            return {"NULL": True}
        if token.kind == "keyword" and token.text in _CONSTANTS:
            return dict(_CONSTANTS[tokens.take().text])
        if token.kind == "string":
            return {"S": tokens.take().text}
        raise _unexpected_value(tokens, token, containers)

    def _number(self, text: str, containers: list[_Container]) -> Wire:
        try:
            check_value({"N": text})
        except InvalidRequest as error:
            self._note(_under(str(with_older_wording(error).message), containers))
            return {"N": "0"}
        return {"N": text}


def _under(message: str, containers: list[_Container]) -> ServiceError:
    """The error for the value that comes next, with its position."""
    return validation(f"{message} under {_path_of(containers)}")


def _path_of(containers: list[_Container]) -> str:
    """The position of the value that comes next."""
    return "root" + "".join(container.next_step() for container in containers)


def _unexpected_value(tokens: Tokens, token: Token, containers: list[_Container]) -> Exception:
    second = tokens.peek_second()
    if token.kind in {"word", "keyword"} and second.kind == "symbol" and second.text == "(":
        return tokens.located(
            f"Unsupported data type: {token.text.lower()} under key {_path_of(containers)}", token
        )
    if token.kind == "keyword" and token.text != "MISSING":
        return malformed_statement(texts.UNEXPECTED_KEYWORD)
    if token.kind in {"word", "quoted", "keyword"}:
        return tokens.located("Unexpected value", token)
    return malformed_statement(texts.UNEXPECTED_TERM)


class _Container:
    """A list, a map or a set that is being parsed."""

    __slots__ = ("keys", "members", "token")

    def __init__(self, token: Token) -> None:
        self.token = token
        self.keys: list[str] = []
        self.members: list[Wire] = []

    def next_step(self) -> str:
        """The step of a path to the member that comes next."""
        if self.token.text == "{":
            return f".{self.keys[-1]}"
        return f"[{len(self.members)}]" if self.token.text == "[" else ""
