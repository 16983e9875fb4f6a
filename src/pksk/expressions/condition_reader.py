"""Parses conditions: comparisons and functions joined by AND, OR, NOT and parentheses."""

from __future__ import annotations

from typing import Final

from .operand_reader import OperandReader
from .tokens import END
from .tree import And, Between, Call, Compare, Condition, In, Not, Operand, Or

# A parenthesis, a NOT, or a run of AND or OR with its operands so far.
_Open = tuple[str, list[Condition]]
_GROUP: Final[_Open] = ("(", [])
_NOT: Final[_Open] = ("NOT", [])


class Junctions:
    """An explicit stack for reading conditions, so that thousands of parentheses need no recursion."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: list[_Open] = []

    def __bool__(self) -> bool:
        """Whether anything is open."""
        return bool(self._open)

    def open_group(self) -> None:
        """A parenthesis opens."""
        self._open.append(_GROUP)

    def close_group(self) -> None:
        """The parenthesis that was opened last closes; all within it must be closed."""
        self._open.pop()

    def open_not(self) -> None:
        """Push a NOT."""
        self._open.append(_NOT)

    def in_group(self) -> bool:
        """Whether the innermost open element is a parenthesis."""
        return bool(self._open) and self._open[-1] is _GROUP

    def negated(self, node: Condition) -> Condition:
        """The condition with the NOTs before it applied and popped."""
        while self._open and self._open[-1] is _NOT:
            self._open.pop()
            node = Not(node)
        return node

    def running(self) -> bool:
        """Whether an AND or OR waits for its right side."""
        return bool(self._open) and self._open[-1][0] in {"AND", "OR"}

    def add(self, keyword: str, node: Condition) -> None:
        """Add the condition to the open run of this keyword, or open one."""
        if self._open and self._open[-1][0] == keyword:
            self._open[-1][1].append(node)
        else:
            self._open.append((keyword, [node]))

    def closed(self, keyword: str, node: Condition) -> Condition:
        """The condition, or the open run of this keyword with it, which ends."""
        if not self._open or self._open[-1][0] != keyword:
            return node
        _, conditions = self._open.pop()
        return (And if keyword == "AND" else Or)((*conditions, node))


_COMPARATORS: Final = frozenset({"=", "<>", "<", "<=", ">", ">="})


class ConditionReader(OperandReader):
    """Reads a condition with an explicit stack, so that 4,096 parentheses need no recursion."""

    __slots__ = ("_open",)

    def condition(self) -> Condition:
        """The whole expression as a condition; all but its operands' types is checked."""
        self._open = Junctions()
        while True:
            self._openings()
            node = self._test(self.operand())
            joined = self._join(node)
            if joined is not None:
                self.finish()
                return joined

    def _openings(self) -> None:
        tokens = self.tokens
        while True:
            if tokens.peek() == "(":
                self._open.open_group()
            elif tokens.keyword() == "NOT":
                self.operators += 1
                self._open.open_not()
            else:
                return
            tokens.position += 1

    def _test(self, operand: Operand) -> Condition:
        """The condition that begins with this operand; parentheses may end between the two."""
        tokens = self.tokens
        while True:
            token = tokens.peek()
            if token in _COMPARATORS:
                tokens.position += 1
                return self._count_operator(Compare(token, self._used(operand), self._used(self.operand())))
            keyword = tokens.keyword()
            if keyword == "BETWEEN":
                return self._count_operator(self._between(operand))
            if keyword == "IN":
                return self._count_operator(self._in(operand))
            if token == ")" and self._open.in_group():
                tokens.position += 1
                self._open.close_group()
                self.close_group()
            elif isinstance(operand, Call):
                return self._alone(operand)
            else:
                raise tokens.syntax_error()

    def _alone(self, call: Call) -> Call:
        if call.name == "size":
            self.misused_function = self.misused_function or call.name
        return call

    def _count_operator(self, node: Condition) -> Condition:
        self.in_parentheses = False
        self.operators += 1
        return node

    def _used(self, operand: Operand) -> Operand:
        if isinstance(operand, Call) and operand.name != "size":
            self.misused_function = self.misused_function or operand.name
        return operand

    def _between(self, operand: Operand) -> Between:
        tokens = self.tokens
        tokens.position += 1
        low = self._used(self.operand())
        if tokens.keyword() != "AND":
            raise tokens.syntax_error()
        tokens.position += 1
        return Between(self._used(operand), low, self._used(self.operand()))

    def _in(self, operand: Operand) -> In:
        tokens = self.tokens
        tokens.position += 1
        tokens.expect("(")
        candidates = [self._used(self.operand())]
        while tokens.peek() == ",":
            tokens.position += 1
            candidates.append(self._used(self.operand()))
        tokens.expect(")")
        return In(self._used(operand), tuple(candidates))

    def _join(self, node: Condition) -> Condition | None:
        """Add a condition to the stack; returns the whole one at the end of the text, else None."""
        tokens, open_ones = self.tokens, self._open
        while True:
            node = self._negated(node)
            token, keyword = tokens.peek(), tokens.keyword()
            if keyword == "AND":
                self._run("AND", node)
                return None
            node = self._closed("AND", node)
            if keyword == "OR":
                self._run("OR", node)
                return None
            node = self._closed("OR", node)
            if token == END and not open_ones:
                return node
            if token != ")" or not open_ones:
                raise tokens.syntax_error()
            tokens.position += 1
            open_ones.close_group()
            self.close_group()

    def _negated(self, node: Condition) -> Condition:
        return self._whole(node, self._open.negated(node))

    def _run(self, keyword: str, node: Condition) -> None:
        self.tokens.position += 1
        self.operators += 1
        self._open.add(keyword, node)

    def _closed(self, keyword: str, node: Condition) -> Condition:
        return self._whole(node, self._open.closed(keyword, node))

    def _whole(self, node: Condition, joined: Condition) -> Condition:
        """A joined condition is not itself in parentheses."""
        if joined is not node:
            self.in_parentheses = False
        return joined
