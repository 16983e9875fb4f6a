"""Parses statements: SELECT, INSERT, UPDATE, DELETE and EXISTS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pksk.engine.service_errors import validation
from pksk.engine.texts import partiql as texts
from pksk.errors import ExpressionError
from pksk.expressions import (
    Action,
    Add,
    Arithmetic,
    Call,
    Condition,
    Operand,
    Path,
    Remove,
    Set,
    Update,
    Value,
    ValueRef,
)
from pksk.expressions import Delete as DeleteMembers
from pksk.expressions.check_update import check_update
from pksk.expressions.tree import SetValue

from .conditions import ConditionReader
from .operands import ARITHMETIC, OperandReader
from .tokens import malformed_statement
from .tree import (
    Column,
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    OrderBy,
    SelectStatement,
    Statement,
    UpdateStatement,
)

_SET_FUNCTIONS: Final[dict[str, type[Add] | type[DeleteMembers]]] = {
    "set_add": Add,
    "set_delete": DeleteMembers,
}
_SIGNS: Final = frozenset("+-")


class UpdateReader(OperandReader):
    """Parses the actions of an UPDATE."""

    __slots__ = ()

    def changes(self) -> Update:
        """One or more SET and REMOVE clauses."""
        tokens = self.tokens
        actions: list[Action] = []
        while True:
            if tokens.keyword("SET"):
                actions.append(self._assignment())
                while tokens.symbol(","):
                    actions.append(self._assignment())
            elif tokens.keyword("REMOVE"):
                actions.append(Remove(self.path()))
            else:
                break
        if not actions:
            raise malformed_statement(texts.EXPECTED_OPERATION)
        update = Update(tuple(actions))
        try:
            check_update(update, values=False)
        except ExpressionError as error:
            raise validation(error.problem) from None
        return update

    def _assignment(self) -> Action:
        path = self.path()
        if not self.tokens.symbol("="):
            raise malformed_statement(texts.EXPECTED_EQUALS)
        name = self._function_name()
        return self._set_function(name, path) if name in _SET_FUNCTIONS else Set(path, self._value())

    def _value(self) -> SetValue:
        """An operand, or a sum of two, with or without parentheses."""
        tokens = self.tokens
        depth = 0
        while tokens.symbol("("):
            depth += 1
        value: SetValue = self._operand()
        while True:
            sign = tokens.next
            if sign.kind == "symbol" and sign.text in _SIGNS and not isinstance(value, Arithmetic):
                tokens.take()
                value = Arithmetic(sign.text, value, self.grouped(self._operand))
            elif depth:
                tokens.expect(")")
                depth -= 1
            elif sign.kind == "symbol" and sign.text in ARITHMETIC:
                raise tokens.located(texts.UNSUPPORTED_OPERATOR, sign)
            else:
                return value

    def _function_name(self) -> str:
        """The name of the function that is called next, or an empty string."""
        token = self.tokens.next
        return token.text.lower() if token.kind == "word" and self.at_call() else ""

    def _operand(self) -> Operand:
        name = self._function_name()
        if name == "list_append":
            return Call(name, self.arguments(name, 2))
        if name:
            raise self.tokens.located(texts.unsupported_function(self.tokens.next.text), self.tokens.next)
        return self.operand()

    def _set_function(self, name: str, path: Path) -> Action:
        token = self.tokens.next
        first, members = self.arguments(name, 2)
        if first != path:
            raise self.tokens.located(texts.unequal_argument(name), token)
        if not isinstance(members, Value | ValueRef):
            raise self.tokens.located(texts.UNEXPECTED_VALUE, token)
        return _SET_FUNCTIONS[name](path, members)


_JOINS: Final = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "OUTER", "CROSS", "FULL", "NATURAL"})
# Clauses of PartiQL that DynamoDB does not support.
_CLAUSES: Final = frozenset({"GROUP", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT", *_JOINS})
_RETURN_VALUES: Final = {"ALL": "ALL", "MODIFIED": "UPDATED"}


class StatementReader(UpdateReader, ConditionReader):
    """Parses one statement.

    Example:
        >>> from pksk.engine.partiql.tokens import Tokens
        >>> StatementReader(Tokens("SELECT a.b FROM t")).statement().columns
        (Column(name='b', path=Path(elements=('a', 'b'))),)
    """

    __slots__ = ()

    def statement(self) -> Statement:
        """The statement, which is the whole text."""
        token = self.tokens.take()
        parse = _PARSERS.get(token.text) if token.kind == "keyword" else None
        if parse is None:
            raise malformed_statement(
                texts.UNEXPECTED_KEYWORD
                if token.text in _UNSUPPORTED_STATEMENTS
                else texts.EXPECTED_OPERATION
            )
        statement = parse(self)
        self._finish()
        return statement

    def _finish(self) -> None:
        tokens = self.tokens
        if tokens.symbol(";") and tokens.next.kind != "end":
            raise malformed_statement(texts.AFTER_SEMICOLON)
        if tokens.next.kind != "end":
            raise malformed_statement(texts.AFTER_EXPRESSION)

    def select(self) -> SelectStatement:
        """``columns FROM table ...``, after SELECT."""
        tokens = self.tokens
        if tokens.next.kind == "keyword" and tokens.next.text in {"DISTINCT", "ALL", "VALUE"}:
            raise tokens.located(texts.unsupported_clause(tokens.next.text), tokens.next)
        columns = self._columns()
        if not tokens.keyword("FROM"):
            raise malformed_statement(texts.EXPECTED_FROM)
        table, index = self._source()
        self._reject_clauses()
        where = self.where()
        self._reject_clauses()
        return SelectStatement(table, index, columns, where, self._orders())

    def _columns(self) -> tuple[Column, ...] | None:
        tokens = self.tokens
        if tokens.symbol("*"):
            if tokens.at(","):
                raise malformed_statement(texts.STAR_AND_OTHERS)
            return None
        columns = [self._column()]
        while tokens.symbol(","):
            if tokens.at("*"):
                raise malformed_statement(texts.STAR_AND_OTHERS)
            columns.append(self._column())
        return tuple(columns)

    def _column(self) -> Column:
        tokens = self.tokens
        token = tokens.next
        if token.kind == "keyword" and token.text == "FROM":
            raise malformed_statement(texts.EXPECTED_OPERATION)
        if self.at_value() or (token.kind in {"word", "quoted", "keyword"} and self.at_call()):
            raise tokens.located(texts.UNEXPECTED_PATH_COMPONENT, token)
        if token.kind not in {"word", "quoted"}:
            raise self.unexpected(token)
        path = self.path()
        self._reject_alias()
        elements = path.elements
        last = max(position for position, element in enumerate(elements) if isinstance(element, str))
        indexes = "".join(f"[{element}]" for element in elements[last + 1 :])
        return Column(f"{elements[last]}{indexes}", path)

    def _source(self) -> tuple[str, str | None]:
        tokens = self.tokens
        first = tokens.next
        if first.kind not in {"word", "quoted"}:
            if first.kind == "end":
                raise malformed_statement(texts.UNEXPECTED_TERM)
            raise tokens.located(texts.UNEXPECTED_SOURCE, first)
        table = tokens.take().text
        index = None
        if tokens.symbol("."):
            if tokens.next.kind not in {"word", "quoted"}:
                raise malformed_statement(texts.INVALID_DOT)
            index = tokens.take().text
        if tokens.next.kind == "symbol" and tokens.next.text != ";":
            raise tokens.located(texts.UNEXPECTED_SOURCE, first)
        self._reject_alias()
        return table, index

    def _reject_alias(self) -> None:
        token = self.tokens.next
        if token.kind in {"word", "quoted"} or (token.kind == "keyword" and token.text in {"AS", "AT", "BY"}):
            raise validation(texts.ALIASING)

    def _reject_clauses(self) -> None:
        token = self.tokens.next
        if token.kind == "keyword" and token.text in _CLAUSES:
            raise self.tokens.located(texts.unsupported_clause(token.text), token)

    def _orders(self) -> tuple[OrderBy, ...]:
        if not self.tokens.keyword("ORDER"):
            return ()
        if not self.tokens.keyword("BY"):
            raise malformed_statement(texts.expected_symbol("BY"))
        orders = [self._order()]
        while self.tokens.symbol(","):
            orders.append(self._order())
        self._reject_clauses()
        return tuple(orders)

    def _order(self) -> OrderBy:
        tokens = self.tokens
        if tokens.next.kind not in {"word", "quoted"}:
            raise self.unexpected(tokens.next)
        name = tokens.take().text
        if tokens.at(".") or tokens.at("["):
            raise tokens.located(texts.UNEXPECTED_PATH_COMPONENT, tokens.next)
        descending = tokens.keyword("DESC")
        if not descending:
            tokens.keyword("ASC")
        return OrderBy(name, descending)

    def insert(self) -> InsertStatement:
        """``INTO table VALUE item``, after INSERT."""
        tokens = self.tokens
        if not tokens.keyword("INTO"):
            raise malformed_statement(texts.UNEXPECTED_KEYWORD)
        table = self._table()
        if not tokens.keyword("VALUE"):
            raise self._not_one_item()
        item = self.read()
        return InsertStatement(table, item if callable(item) else lambda _: item)

    def _not_one_item(self) -> Exception:
        """The error for anything but one item, such as PartiQL's lists of values."""
        tokens = self.tokens
        if tokens.keyword("VALUES"):
            return validation(texts.INSERT_SEVERAL)
        if tokens.symbol("("):
            return (
                self.unexpected(tokens.next)
                if tokens.next.kind == "keyword"
                else malformed_statement(texts.AFTER_EXPRESSION)
            )
        if self.at_value():
            return validation(texts.INSERT_SEVERAL)
        return self.unexpected(tokens.next)

    def update(self) -> UpdateStatement:
        """``table SET ... WHERE ...``, after UPDATE."""
        table = self._table()
        changes = self.changes()
        where = self.where()
        return UpdateStatement(table, changes, where, self._returning())

    def delete(self) -> DeleteStatement:
        """``FROM table WHERE ...``, after DELETE."""
        if not self.tokens.keyword("FROM"):
            raise malformed_statement(texts.EXPECTED_FROM_AFTER_DELETE)
        table = self._table()
        where = self.where()
        returning = self._returning()
        if returning not in {None, "ALL_OLD"}:
            raise validation(texts.DELETE_RETURNING)
        return DeleteStatement(table, where, returning)

    def exists(self) -> ExistsStatement:
        """``(SELECT ...)``, after EXISTS."""
        self.tokens.expect("(")
        if not self.tokens.keyword("SELECT"):
            raise validation(texts.EXISTS_SELECT)
        select = self.select()
        self.tokens.expect(")")
        if select.index is not None or select.orders:
            raise validation(texts.EXISTS_SELECT)
        return ExistsStatement(select.table, select.where)

    def _table(self) -> str:
        name = self.name()
        token = self.tokens.next
        if self.tokens.at(".") or self.tokens.at("["):
            raise self.tokens.located(texts.UNEXPECTED_PATH_COMPONENT, token)
        if token.kind in {"word", "quoted"} or (token.kind == "keyword" and token.text == "AS"):
            raise validation(texts.ALIASING)
        return name

    def where(self) -> Condition | None:
        """``WHERE condition``, if it comes next."""
        return self.condition() if self.tokens.keyword("WHERE") else None

    def _returning(self) -> str | None:
        tokens = self.tokens
        if not tokens.keyword("RETURNING"):
            return None
        scope, when = tokens.take().text.upper(), tokens.take().text.upper()
        if scope not in _RETURN_VALUES or when not in {"OLD", "NEW"} or not tokens.symbol("*"):
            raise malformed_statement(texts.EXPECTED_RETURNING)
        return f"{_RETURN_VALUES[scope]}_{when}"


_PARSERS: Final[dict[str, Callable[[StatementReader], Statement]]] = {
    "SELECT": StatementReader.select,
    "INSERT": StatementReader.insert,
    "UPDATE": StatementReader.update,
    "DELETE": StatementReader.delete,
    "EXISTS": StatementReader.exists,
}
_UNSUPPORTED_STATEMENTS: Final = frozenset(
    {"CREATE", "DROP", "ALTER", "GRANT", "WITH", "BEGIN", "COMMIT", "EXECUTE", "DESCRIBE"}
)
