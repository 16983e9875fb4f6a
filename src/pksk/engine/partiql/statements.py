"""Reads whole statements: SELECT, INSERT, UPDATE, DELETE and EXISTS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pksk.engine.faults import validation
from pksk.engine.texts import partiql as texts
from pksk.expressions import Condition

from .conditions import ConditionReader
from .tokens import malformed
from .tree import Column, Delete, Exists, Insert, Order, Select, Statement, Update
from .updates import UpdateReader

__all__ = ["StatementReader"]

_JOINS: Final = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "OUTER", "CROSS", "FULL", "NATURAL"})
# Clauses of PartiQL that DynamoDB lacks, where they may stand.
_CLAUSES: Final = frozenset({"GROUP", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT", *_JOINS})
_RETURNED: Final = {"ALL": "ALL", "MODIFIED": "UPDATED"}


class StatementReader(UpdateReader, ConditionReader):
    """Reads one statement.

    Example:
        >>> from pksk.engine.partiql.tokens import Tokens
        >>> StatementReader(Tokens("SELECT a.b FROM t")).statement().columns
        (Column(name='b', path=Path(elements=('a', 'b'))),)
    """

    __slots__ = ()

    def statement(self) -> Statement:
        """The whole text as one statement."""
        token = self.tokens.take()
        read = _READERS.get(token.text) if token.kind == "keyword" else None
        if read is None:
            raise malformed(texts.UNEXPECTED_KEYWORD if token.text in _OTHERS else texts.EXPECTED_OPERATION)
        statement = read(self)
        self._finish()
        return statement

    def _finish(self) -> None:
        tokens = self.tokens
        if tokens.symbol(";") and tokens.next.kind != "end":
            raise malformed(texts.AFTER_SEMICOLON)
        if tokens.next.kind != "end":
            raise malformed(texts.AFTER_EXPRESSION)

    def select(self) -> Select:
        """``columns FROM table ...``, behind SELECT."""
        tokens = self.tokens
        if tokens.next.kind == "keyword" and tokens.next.text in {"DISTINCT", "ALL", "VALUE"}:
            raise tokens.located(texts.unsupported_clause(tokens.next.text), tokens.next)
        columns = self._columns()
        if not tokens.keyword("FROM"):
            raise malformed(texts.EXPECTED_FROM)
        table, index = self._source()
        self._refuse_clauses()
        where = self.where()
        self._refuse_clauses()
        return Select(table, index, columns, where, self._orders())

    def _columns(self) -> tuple[Column, ...] | None:
        tokens = self.tokens
        if tokens.symbol("*"):
            if tokens.at(","):
                raise malformed(texts.STAR_AND_OTHERS)
            return None
        columns = [self._column()]
        while tokens.symbol(","):
            if tokens.at("*"):
                raise malformed(texts.STAR_AND_OTHERS)
            columns.append(self._column())
        return tuple(columns)

    def _column(self) -> Column:
        tokens = self.tokens
        token = tokens.next
        if token.kind == "keyword" and token.text == "FROM":
            raise malformed(texts.EXPECTED_OPERATION)
        if self.at_value() or (token.kind in {"word", "quoted", "keyword"} and self.calls()):
            raise tokens.located(texts.UNEXPECTED_PATH_COMPONENT, token)
        if token.kind not in {"word", "quoted"}:
            raise self.unexpected(token)
        path = self.path()
        self._refuse_alias()
        named = max(place for place, element in enumerate(path.elements) if isinstance(element, str))
        ending = "".join(f"[{element}]" for element in path.elements[named + 1 :])
        return Column(f"{path.elements[named]}{ending}", path)

    def _source(self) -> tuple[str, str | None]:
        tokens = self.tokens
        begin = tokens.next
        if begin.kind not in {"word", "quoted"}:
            if begin.kind == "end":
                raise malformed(texts.UNEXPECTED_TERM)
            raise tokens.located(texts.UNEXPECTED_SOURCE, begin)
        table = tokens.take().text
        index = None
        if tokens.symbol("."):
            if tokens.next.kind not in {"word", "quoted"}:
                raise malformed(texts.INVALID_DOT)
            index = tokens.take().text
        if tokens.next.kind == "symbol" and tokens.next.text != ";":
            raise tokens.located(texts.UNEXPECTED_SOURCE, begin)
        self._refuse_alias()
        return table, index

    def _refuse_alias(self) -> None:
        token = self.tokens.next
        if token.kind in {"word", "quoted"} or (token.kind == "keyword" and token.text in {"AS", "AT", "BY"}):
            raise validation(texts.ALIASING)

    def _refuse_clauses(self) -> None:
        token = self.tokens.next
        if token.kind == "keyword" and token.text in _CLAUSES:
            raise self.tokens.located(texts.unsupported_clause(token.text), token)

    def _orders(self) -> tuple[Order, ...]:
        if not self.tokens.keyword("ORDER"):
            return ()
        if not self.tokens.keyword("BY"):
            raise malformed(texts.expected_symbol("BY"))
        orders = [self._order()]
        while self.tokens.symbol(","):
            orders.append(self._order())
        self._refuse_clauses()
        return tuple(orders)

    def _order(self) -> Order:
        tokens = self.tokens
        if tokens.next.kind not in {"word", "quoted"}:
            raise self.unexpected(tokens.next)
        name = tokens.take().text
        if tokens.at(".") or tokens.at("["):
            raise tokens.located(texts.UNEXPECTED_PATH_COMPONENT, tokens.next)
        descending = tokens.keyword("DESC")
        if not descending:
            tokens.keyword("ASC")
        return Order(name, descending)

    def insert(self) -> Insert:
        """``INTO table VALUE item``, behind INSERT."""
        tokens = self.tokens
        if not tokens.keyword("INTO"):
            raise malformed(texts.UNEXPECTED_KEYWORD)
        table = self._table()
        if not tokens.keyword("VALUE"):
            raise self._not_one_item()
        read = self.read()
        return Insert(table, read if callable(read) else lambda _: read)

    def _not_one_item(self) -> Exception:
        """What is said of other things than one item, which PartiQL may know and DynamoDB does not."""
        tokens = self.tokens
        if tokens.keyword("VALUES"):
            return validation(texts.INSERT_SEVERAL)
        if tokens.symbol("("):
            return (
                self.unexpected(tokens.next)
                if tokens.next.kind == "keyword"
                else malformed(texts.AFTER_EXPRESSION)
            )
        if self.at_value():
            return validation(texts.INSERT_SEVERAL)
        return self.unexpected(tokens.next)

    def update(self) -> Update:
        """``table SET ... WHERE ...``, behind UPDATE."""
        table = self._table()
        changes = self.changes()
        where = self.where()
        return Update(table, changes, where, self._returning())

    def delete(self) -> Delete:
        """``FROM table WHERE ...``, behind DELETE."""
        if not self.tokens.keyword("FROM"):
            raise malformed(texts.EXPECTED_FROM_AFTER_DELETE)
        table = self._table()
        where = self.where()
        returning = self._returning()
        if returning not in {None, "ALL_OLD"}:
            raise validation(texts.DELETE_RETURNING)
        return Delete(table, where, returning)

    def exists(self) -> Exists:
        """``(SELECT ...)``, behind EXISTS."""
        self.tokens.expect("(")
        if not self.tokens.keyword("SELECT"):
            raise validation(texts.EXISTS_SELECT)
        select = self.select()
        self.tokens.expect(")")
        if select.index is not None or select.orders:
            raise validation(texts.EXISTS_SELECT)
        return Exists(select.table, select.where)

    def _table(self) -> str:
        name = self.name()
        token = self.tokens.next
        if self.tokens.at(".") or self.tokens.at("["):
            raise self.tokens.located(texts.UNEXPECTED_PATH_COMPONENT, token)
        if token.kind in {"word", "quoted"} or (token.kind == "keyword" and token.text == "AS"):
            raise validation(texts.ALIASING)
        return name

    def where(self) -> Condition | None:
        """``WHERE condition``, where it comes next."""
        return self.condition() if self.tokens.keyword("WHERE") else None

    def _returning(self) -> str | None:
        tokens = self.tokens
        if not tokens.keyword("RETURNING"):
            return None
        which, when = tokens.take().text.upper(), tokens.take().text.upper()
        if which not in _RETURNED or when not in {"OLD", "NEW"} or not tokens.symbol("*"):
            raise malformed(texts.EXPECTED_RETURNING)
        return f"{_RETURNED[which]}_{when}"


_READERS: Final[dict[str, Callable[[StatementReader], Statement]]] = {
    "SELECT": StatementReader.select,
    "INSERT": StatementReader.insert,
    "UPDATE": StatementReader.update,
    "DELETE": StatementReader.delete,
    "EXISTS": StatementReader.exists,
}
_OTHERS: Final = frozenset(
    {"CREATE", "DROP", "ALTER", "GRANT", "WITH", "BEGIN", "COMMIT", "EXECUTE", "DESCRIBE"}
)
