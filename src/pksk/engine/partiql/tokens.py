"""The tokens and keywords of PartiQL statements."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pksk.client import ServiceError
from pksk.engine.service_errors import validation

# The reserved words of SQL-92, except ONLY and the parts of dates, and those that PartiQL adds.
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
    NEXT NO NOT NULL NULLIF NUMERIC OCTET_LENGTH OF ON OPEN OPTION OR ORDER OUTER OUTPUT OVERLAPS PAD PARTIAL
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
    """A statement's tokens, read from left to right."""

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

    def at_signed_number(self) -> bool:
        """Whether a number comes next, with any number of signs before it."""
        position = self._position
        while self._tokens[position].text in _SIGNS and self._tokens[position].kind == "symbol":
            position += 1
        return self._tokens[position].kind == "number"

    def signed_number(self) -> tuple[str, Token]:
        """The next number, with a minus if it is negative, and its token without the signs."""
        sign = ""
        while self.next.kind == "symbol":
            if self.take().text == "-":
                sign = "" if sign else "-"
        token = self.take()
        return sign + token.text, token

    def at(self, symbol: str) -> bool:
        """Whether the next token is this symbol."""
        return self.next.text == symbol and self.next.kind == "symbol"

    def symbol(self, symbol: str) -> bool:
        """Advance if the next token is this symbol."""
        is_next = self.at(symbol)
        if is_next:
            self.take()
        return is_next

    def keyword(self, word: str) -> bool:
        """Advance if the next token is this keyword."""
        is_next = self.next.text == word and self.next.kind == "keyword"
        if is_next:
            self.take()
        return is_next

    def expect(self, symbol: str) -> None:
        """Advance if the next token is this symbol; otherwise raise."""
        if not self.symbol(symbol):
            raise malformed_statement(f"Expected {_SYMBOLS[symbol]}")

    def located(self, words: str, token: Token) -> ServiceError:
        """The error for a token, with its line and column."""
        line = self._text.count("\n", 0, token.start) + 1
        column = token.start - self._text.rfind("\n", 0, token.start)
        return validation(f"{words} at {line}:{column}:{token.end - token.start}")


_SIGNS: Final = frozenset("+-")
_SYMBOLS: Final = {
    "(": "LEFT_PAREN",
    ")": "RIGHT_PAREN",
    "]": "RIGHT_BRACKET",
    "}": "RIGHT_CURLY",
    ">>": "RIGHT_DOUBLE_ANGLE_BRACKET",
    ":": "COLON",
    ",": "COMMA",
}


def malformed_statement(reason: str = "") -> ServiceError:
    """The error for a statement that cannot be parsed."""
    return validation(f"Statement wasn't well formed, can't be processed: {reason}")


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


_INT32: Final = 2**31
_INT32_DIGITS: Final = 10


def _check_number(text: str) -> None:
    """Raise for a number whose exponent, or whose scale, has more than 32 bits."""
    digits, _, exponent = text.lower().partition("e")
    figures = exponent.lstrip("+-").lstrip("0") or "0"
    if len(figures) > _INT32_DIGITS:
        raise malformed_statement()
    power = -int(figures) if exponent.startswith("-") else int(figures)
    scale = len(digits.partition(".")[2]) - power
    if not (-_INT32 <= power < _INT32 and -_INT32 <= scale < _INT32):
        raise malformed_statement()


def _token(kind: str, text: str, start: int, end: int) -> Token:
    if kind == "number":
        _check_number(text)
    if kind == "word" and text.upper() in KEYWORDS:
        return Token("keyword", text.upper(), start, end)
    if kind in {"string", "quoted"}:
        quote = text[0]
        text = text[1:-1].replace(quote * 2, quote)
    return Token(kind, text, start, end)
