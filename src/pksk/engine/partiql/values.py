"""Reads values: literals, parameters, and lists, maps and sets of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from pksk.engine.faults import refused, validation
from pksk.engine.texts import partiql as texts
from pksk.engine.texts.values import NESTING
from pksk.engine.values import check_value
from pksk.expressions import Value, ValueRef
from pksk.values import Wire

from .tokens import Token, Tokens, malformed
from .tree import Template

__all__ = ["ValueReader", "names"]

_CLOSING: Final = {"[": "]", "{": "}", "<<": ">>"}
_WORDS: Final[dict[str, Wire]] = {
    "TRUE": {"BOOL": True},
    "FALSE": {"BOOL": False},
    "NULL": {"NULL": True},
}
_SETS: Final = {"S": "SS", "N": "NS", "B": "BS"}
# No item is nested so deep; what is would be refused later.
_DEEPEST: Final = 40


def names(count: int) -> Sequence[str]:
    """The placeholders of so many parameters, in order."""
    return _FEW[:count] if count <= len(_FEW) else [_name(place) for place in range(count)]


def _name(place: int) -> str:
    return f"?{place}"


_FEW: Final = tuple(map(_name, range(256)))


class ValueReader:
    """Reads values of one statement, and counts its parameters; nothing here recurses."""

    __slots__ = ("made", "parameters", "tokens")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.parameters = 0
        # Values with parameters inside, by the placeholders that stand for them.
        self.made: dict[str, Template] = {}

    def at_value(self) -> bool:
        """Whether a value comes next."""
        kind, text = self.tokens.next.kind, self.tokens.next.text
        if kind == "symbol":
            return text in _CLOSING or text == "?" or (text in "+-" and self._before_number())
        return kind in {"string", "number"} or (kind == "keyword" and text in _WORDS)

    def _before_number(self) -> bool:
        return self.tokens.behind().kind == "number"

    def value(self) -> Value | ValueRef:
        """The value that comes next: checked, or a placeholder where it holds parameters."""
        if self.tokens.symbol("?"):
            return ValueRef(self._parameter())
        read = self.read()
        if not callable(read):
            return Value(check_value(read))
        placeholder = f"*{len(self.made)}"
        self.made[placeholder] = read
        return ValueRef(placeholder)

    def _parameter(self) -> str:
        """The placeholder of one more parameter."""
        self.parameters += 1
        return _name(self.parameters - 1)

    def read(self) -> Wire | Template:
        """The value that comes next as it is written, which is not checked."""
        open_ones: list[_Container] = []
        while True:
            node: Any = self._begin(open_ones)
            while node is not None and open_ones:
                node = self._close(open_ones, node)
            if node is not None:
                return node  # type: ignore[no-any-return]

    def _begin(self, open_ones: list[_Container]) -> Wire | Template | None:
        """A value that has none inside; or nothing, where one was opened."""
        tokens = self.tokens
        token = tokens.next
        if token.kind != "symbol" or token.text not in _CLOSING:
            return self._scalar()
        if len(open_ones) >= _DEEPEST:
            raise refused(NESTING)
        tokens.take()
        container = _Container(token)
        if tokens.symbol(_CLOSING[token.text]):
            return container.made()
        open_ones.append(container)
        if token.text == "{":
            container.keys.append(self._key())
        return None

    def _close(self, open_ones: list[_Container], node: Wire | Template) -> Wire | Template | None:
        """Put a value into what is open around it; that, where it is then whole, and nothing where more follows."""
        container, tokens = open_ones[-1], self.tokens
        container.members.append(node)
        if tokens.symbol(","):
            if container.token.text == "{":
                container.keys.append(self._key())
            return None
        tokens.expect(_CLOSING[container.token.text])
        open_ones.pop()
        return container.made()

    def _key(self) -> str:
        token = self.tokens.take()
        if token.kind == "end":
            raise malformed(texts.UNEXPECTED_TERM)
        if token.kind != "string":
            raise self.tokens.located(texts.UNEXPECTED_MAP_KEY, token)
        self.tokens.expect(":")
        return token.text

    def _scalar(self) -> Wire | Template:
        tokens = self.tokens
        token = tokens.next
        if token.kind == "symbol" and token.text in "+-" and self._before_number():
            tokens.take()
            sign = "-" if token.text == "-" else ""
            return {"N": sign + tokens.take().text}
        if tokens.symbol("?"):
            return itemgetter(self._parameter())
        if token.kind == "keyword" and token.text in _WORDS:
            return dict(_WORDS[tokens.take().text])
        if token.kind in {"string", "number"}:
            return {"S" if tokens.take().kind == "string" else "N": token.text}
        raise _unexpected(tokens, token)


def _unexpected(tokens: Tokens, token: Token) -> Exception:
    if token.kind == "keyword" and token.text != "MISSING":
        return malformed(texts.UNEXPECTED_KEYWORD)
    if token.kind in {"word", "quoted", "keyword"}:
        return tokens.located(texts.UNEXPECTED_VALUE, token)
    return malformed(texts.UNEXPECTED_TERM)


class _Container:
    """A list, a map or a set that is being read."""

    __slots__ = ("keys", "members", "token")

    def __init__(self, token: Token) -> None:
        self.token = token
        self.keys: list[str] = []
        self.members: list[Wire | Template] = []

    def made(self) -> Wire | Template:
        """The value; or what makes it, where a parameter is inside."""
        if not any(map(callable, self.members)):
            return self._filled({})
        if self.token.text == "{" and all(map(callable, self.members)):
            return self._all_given()
        return self._filled

    def _all_given(self) -> Template:
        """What makes a map of which every value has parameters inside: the quick way of most INSERTs."""
        pairs: list[tuple[str, Any]] = list(zip(self.keys, self.members, strict=True))
        return lambda values: {"M": {name: member(values) for name, member in pairs}}

    def _filled(self, values: Mapping[str, Any]) -> Wire:
        members = [member(values) if callable(member) else member for member in self.members]
        if self.token.text == "[":
            return {"L": members}
        if self.token.text == "{":
            return {"M": dict(zip(self.keys, members, strict=True))}
        return _set(members)


def _set(members: list[Any]) -> Wire:
    kinds = {kind for member in members for kind in member}
    if not kinds:
        raise validation(texts.EMPTY_SET)
    if len(kinds) > 1 or not kinds <= _SETS.keys():
        raise validation(texts.MIXED_SET)
    (kind,) = kinds
    return {_SETS[kind]: [member[kind] for member in members]}
