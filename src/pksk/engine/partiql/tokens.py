"""The tokens and keywords of PartiQL statements."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pksk.client import ServiceError
from pksk.engine.service_errors import validation
from pksk.engine.texts import partiql as texts

# The reserved words of SQL-92, except the parts of dates, and those that PartiQL adds.
_WORDS: Final = """
    ABSOLUTE ACTION ADD ALL ALLOCATE ALTER AND ANY ARE AS ASC ASSERTION AT AUTHORIZATION AVG BEGIN BETWEEN BIT
    BIT_LENGTH BY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHARACTER_LENGTH CHAR_LENGTH CHECK CLOSE
    COALESCE COLLATE COLLATION COLUMN COMMIT CONNECT CONNECTION CONSTRAINT CONSTRAINTS CONTINUE CONVERT
    CORRESPONDING COUNT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATE
    DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DELETE DESC DESCRIBE DESCRIPTOR DIAGNOSTICS
    DISCONNECT DISTINCT DOMAIN DOUBLE DROP ELSE END ESCAPE EXCEPT EXCEPTION EXEC EXECUTE EXISTS EXTERNAL
    EXTRACT FALSE FETCH FIRST FLOAT FOR FOREIGN FOUND FROM FULL GET GLOBAL GO GOTO GRANT GROUP HAVING IDENTITY
    IMMEDIATE IN INDICATOR INITIALLY INNER INPUT INSENSITIVE INSERT INT INTEGER INTERSECT INTERVAL INTO IS
    ISOLATION JOIN KEY LANGUAGE LAST LEFT LEVEL LIKE LOCAL LOWER MATCH MAX MIN MODULE NAMES NATIONAL NATURAL NCHAR
    NEXT NO NOT NULL NULLIF NUMERIC OCTET_LENGTH OF ON ONLY OPEN OPTION OR ORDER OUTER OUTPUT OVERLAPS PAD PARTIAL
    POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVILEGES PROCEDURE PUBLIC READ REAL REFERENCES RELATIVE
    RESTRICT REVOKE RIGHT ROLLBACK ROWS SCHEMA SCROLL SECTION SELECT SESSION SESSION_USER SET SMALLINT SOME SPACE
    SQL SQLCODE SQLERROR SQLSTATE SUBSTRING SUM SYSTEM_USER TABLE TEMPORARY THEN TIME TIMESTAMP TO TRANSACTION
    TRANSLATE TRANSLATION TRIM TRUE UNION UNIQUE UNKNOWN UPDATE UPPER USAGE USER USING VALUE VALUES VARCHAR
    VARYING VIEW WHEN WHENEVER WHERE WITH WORK WRITE ZONE
    MISSING PIVOT UNPIVOT LIMIT TUPLE REMOVE INDEX RETURNING
    BOOL BOOLEAN STRING SYMBOL CLOB BLOB STRUCT LIST SEXP BAG
"""
KEYWORDS: Final = frozenset(_WORDS.split())


# The text of the last token.
END: Final = ""
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+|--[^\n]*|/\*.*?\*/)
    |(?P<unclosed>/\*)
    |(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_$]))
    |(?P<string>'[^']*(?:''[^']*)*')
    |(?P<quoted>"[^"]*(?:""[^"]*)*")
    |(?P<symbol><<|>>|<=|>=|<>|!=|\|\||[-+*/%=<>(){}\[\].,:;?@])""",
    re.DOTALL | re.VERBOSE,
)


class Token(NamedTuple):
    """One token: its kind, its text, and its position in the statement.

    The kinds are word, keyword, quoted, string, number, symbol and end. Keywords are in capitals; quotes are
    removed.
    """

    kind: str
    text: str
    start: int
    end: int


class Tokens:
    """A statement's tokens, read from left to right.

    Example:
        >>> tokens = Tokens('SELECT "a" FROM t -- all')
        >>> tokens.take().text, tokens.take(), tokens.keyword("FROM")
        ('SELECT', Token(kind='quoted', text='a', start=7, end=10), True)
    """

    __slots__ = ("_position", "_text", "_tokens", "next")

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._position = 0
        self.next = self._tokens[0]

    def take(self) -> Token:
        """Return the next token and advance."""
        token = self.next
        if token.kind != "end":
            self._position += 1
            self.next = self._tokens[self._position]
        return token

    def peek_second(self) -> Token:
        """The token after the next."""
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def at(self, symbol: str) -> bool:
        """Whether the next token is this symbol."""
        return self.next.text == symbol and self.next.kind == "symbol"

    def symbol(self, symbol: str) -> bool:
        """Advance if the next token is this symbol."""
        found = self.at(symbol)
        if found:
            self.take()
        return found

    def keyword(self, word: str) -> bool:
        """Advance if the next token is this keyword."""
        found = self.next.text == word and self.next.kind == "keyword"
        if found:
            self.take()
        return found

    def expect(self, symbol: str) -> None:
        """Advance if the next token is this symbol; otherwise raise."""
        if not self.symbol(symbol):
            raise malformed_statement(texts.expected_symbol(symbol))

    def located(self, words: str, token: Token) -> ServiceError:
        """The error for a token, with its line and column."""
        line = self._text.count("\n", 0, token.start) + 1
        column = token.start - self._text.rfind("\n", 0, token.start)
        return validation(texts.located(words, line, column, token.end - token.start))


def malformed_statement(reason: str = "") -> ServiceError:
    """The error for a statement that cannot be parsed."""
    return validation(texts.malformed(reason))


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup == "unclosed":
            # An invalid character, or an unclosed string or comment.
            raise malformed_statement()
        kind, end = str(match.lastgroup), match.end()
        if kind != "space":
            tokens.append(_token(kind, match[0], position, end))
        position = end
    tokens.append(Token("end", END, position, position))
    return tokens


def _token(kind: str, text: str, start: int, end: int) -> Token:
    if kind == "word" and text.upper() in KEYWORDS:
        return Token("keyword", text.upper(), start, end)
    if kind in {"string", "quoted"}:
        quote = text[0]
        text = text[1:-1].replace(quote * 2, quote)
    return Token(kind, text, start, end)
