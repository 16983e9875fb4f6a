"""The tokens of an expression, paths and placeholders among them, and the reserved words.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_letters
from typing import Any, Final

from pksk.errors import ExpressionError
from pksk.values.wire import normalize_wire

from .texts import Parameter, expression_error
from .tree import Element, NameRef, Path, Value, ValueRef

MAX_EXPRESSION_BYTES: Final = 4096
MAX_LIST_INDEX: Final = 2**32 - 2

# A number with a leading zero is two tokens, so a syntax error; any other character is a token.
_TOKEN: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|0|[1-9][0-9]*|<=|<>|>=|[^ \t\r\n]", re.DOTALL
)
LETTERS: Final = frozenset(ascii_letters)
_NAME_STARTS: Final = LETTERS | {"#"}
_DIGITS: Final = frozenset("0123456789")
# Tokens are not empty, so this one is the end.
END: Final = ""
KEYWORDS: Final = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"})
_LONGEST_KEYWORD: Final = 7


class Tokens:
    """An expression's tokens, read from left to right; errors other than syntax errors are recorded."""

    __slots__ = ("_names", "_values", "name_error", "parameter", "position", "text", "tokens")

    def __init__(
        self,
        text: str,
        parameter: Parameter,
        names: Mapping[str, str] | None,
        values: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        if not text:
            raise expression_error("expression-empty", parameter)
        if len(text) > MAX_EXPRESSION_BYTES or (
            not text.isascii() and len(text.encode(errors="replace")) > MAX_EXPRESSION_BYTES
        ):
            raise expression_error("expression-too-long", parameter)
        self.text = text
        self.parameter = parameter
        self.tokens: list[str] = _TOKEN.findall(text)
        self.tokens.append(END)
        self.position = 0
        self.name_error: ExpressionError | None = None
        self._names = names
        self._values = values

    def peek(self) -> str:
        """The token that comes next."""
        return self.tokens[self.position]

    def take(self) -> str:
        """Read the next token."""
        token = self.tokens[self.position]
        self.position += 1
        return token

    def expect(self, token: str) -> None:
        """Read this token, or raise an error for another one."""
        if self.tokens[self.position] != token:
            raise self.syntax_error()
        self.position += 1

    def keyword(self) -> str:
        """The next keyword in capitals; empty if the next token is not one."""
        token = self.tokens[self.position]
        if len(token) > _LONGEST_KEYWORD or token[:1] not in LETTERS:
            return ""
        upper = token.upper()
        return upper if upper in KEYWORDS else ""

    def path(self) -> Path:
        """The document path that comes next."""
        tokens = self.tokens
        first = self._name()
        token = tokens[self.position]
        if token not in {".", "["}:
            return Path((first,))
        elements: list[Element] = [first]
        while token in {".", "["}:
            self.position += 1
            elements.append(self._name() if token == "." else self._index())
            token = tokens[self.position]
        return Path(tuple(elements))

    def _name(self) -> Element:
        token = self.tokens[self.position]
        if token[:1] not in _NAME_STARTS or token == "#":
            raise self.syntax_error()
        if token[0] == "#":
            self.position += 1
            known = self._names.get(token) if self._names is not None else None
            return NameRef(token) if known is None else known
        upper = token.upper()
        if upper in RESERVED_WORDS:
            if upper in KEYWORDS:
                raise self.syntax_error()
            self._note(expression_error("expression-reserved-word", self.parameter, name=token))
        self.position += 1
        return token

    def _index(self) -> int:
        token = self.tokens[self.position]
        if token[:1] not in _DIGITS:
            raise self.syntax_error()
        self.position += 1
        self.expect("]")
        if len(token) > 10 or int(token) > MAX_LIST_INDEX:
            self._note(expression_error("expression-index-range", self.parameter, index=token))
            return MAX_LIST_INDEX
        return int(token)

    def _note(self, trouble: ExpressionError) -> None:
        self.name_error = self.name_error or trouble

    def value(self) -> Value | ValueRef:
        """The placeholder of a value that comes next."""
        token = self.tokens[self.position]
        if token[:1] != ":" or len(token) < 2:
            raise self.syntax_error()
        self.position += 1
        known = self._values.get(token) if self._values is not None else None
        return ValueRef(token) if known is None else Value(normalize_wire(known))

    def syntax_error(self) -> ExpressionError:
        """The error for the next token, shown with its neighbours."""
        spans = [match.span() for match in _TOKEN.finditer(self.text)]
        at = self.position
        start = spans[at - 1][0] if at else 0
        end = (
            spans[at + 1][1] if at + 1 < len(spans) else len(self.text) if at >= len(spans) else spans[at][1]
        )
        token = self.tokens[at] or "<EOF>"
        return expression_error("expression-syntax", self.parameter, token=token, near=self.text[start:end])


# FLATTERN, INNTER and LOGED are spelled so in AWS's own list.
_WORDS: Final = """
    ABORT ABSOLUTE ACTION ADD AFTER AGENT AGGREGATE ALL ALLOCATE ALTER ANALYZE AND ANY ARCHIVE ARE ARRAY AS
    ASC ASCII ASENSITIVE ASSERTION ASYMMETRIC AT ATOMIC ATTACH ATTRIBUTE AUTH AUTHORIZATION AUTHORIZE AUTO
    AVG BACK BACKUP BASE BATCH BEFORE BEGIN BETWEEN BIGINT BINARY BIT BLOB BLOCK BOOLEAN BOTH BREADTH BUCKET
    BULK BY BYTE CALL CALLED CALLING CAPACITY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHECK CLASS
    CLOB CLOSE CLUSTER CLUSTERED CLUSTERING CLUSTERS COALESCE COLLATE COLLATION COLLECTION COLUMN COLUMNS
    COMBINE COMMENT COMMIT COMPACT COMPILE COMPRESS CONDITION CONFLICT CONNECT CONNECTION CONSISTENCY
    CONSISTENT CONSTRAINT CONSTRAINTS CONSTRUCTOR CONSUMED CONTINUE CONVERT COPY CORRESPONDING COUNT COUNTER
    CREATE CROSS CUBE CURRENT CURSOR CYCLE DATA DATABASE DATE DATETIME DAY DEALLOCATE DEC DECIMAL DECLARE
    DEFAULT DEFERRABLE DEFERRED DEFINE DEFINED DEFINITION DELETE DELIMITED DEPTH DEREF DESC DESCRIBE
    DESCRIPTOR DETACH DETERMINISTIC DIAGNOSTICS DIRECTORIES DISABLE DISCONNECT DISTINCT DISTRIBUTE DO DOMAIN
    DOUBLE DROP DUMP DURATION DYNAMIC EACH ELEMENT ELSE ELSEIF EMPTY ENABLE END EQUAL EQUALS ERROR ESCAPE
    ESCAPED EVAL EVALUATE EXCEEDED EXCEPT EXCEPTION EXCEPTIONS EXCLUSIVE EXEC EXECUTE EXISTS EXIT EXPLAIN
    EXPLODE EXPORT EXPRESSION EXTENDED EXTERNAL EXTRACT FAIL FALSE FAMILY FETCH FIELDS FILE FILTER FILTERING
    FINAL FINISH FIRST FIXED FLATTERN FLOAT FOR FORCE FOREIGN FORMAT FORWARD FOUND FREE FROM FULL FUNCTION
    FUNCTIONS GENERAL GENERATE GET GLOB GLOBAL GO GOTO GRANT GREATER GROUP GROUPING HANDLER HASH HAVE HAVING
    HEAP HIDDEN HOLD HOUR IDENTIFIED IDENTITY IF IGNORE IMMEDIATE IMPORT IN INCLUDING INCLUSIVE INCREMENT
    INCREMENTAL INDEX INDEXED INDEXES INDICATOR INFINITE INITIALLY INLINE INNER INNTER INOUT INPUT
    INSENSITIVE INSERT INSTEAD INT INTEGER INTERSECT INTERVAL INTO INVALIDATE IS ISOLATION ITEM ITEMS
    ITERATE JOIN KEY KEYS LAG LANGUAGE LARGE LAST LATERAL LEAD LEADING LEAVE LEFT LENGTH LESS LEVEL LIKE
    LIMIT LIMITED LINES LIST LOAD LOCAL LOCALTIME LOCALTIMESTAMP LOCATION LOCATOR LOCK LOCKS LOG LOGED LONG
    LOOP LOWER MAP MATCH MATERIALIZED MAX MAXLEN MEMBER MERGE METHOD METRICS MIN MINUS MINUTE MISSING MOD
    MODE MODIFIES MODIFY MODULE MONTH MULTI MULTISET NAME NAMES NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO
    NONE NOT NULL NULLIF NUMBER NUMERIC OBJECT OF OFFLINE OFFSET OLD ON ONLINE ONLY OPAQUE OPEN OPERATOR
    OPTION OR ORDER ORDINALITY OTHER OTHERS OUT OUTER OUTPUT OVER OVERLAPS OVERRIDE OWNER PAD PARALLEL
    PARAMETER PARAMETERS PARTIAL PARTITION PARTITIONED PARTITIONS PATH PERCENT PERCENTILE PERMISSION
    PERMISSIONS PIPE PIPELINED PLAN POOL POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVATE
    PRIVILEGES PROCEDURE PROCESSED PROJECT PROJECTION PROPERTY PROVISIONING PUBLIC PUT QUERY QUIT QUORUM
    RAISE RANDOM RANGE RANK RAW READ READS REAL REBUILD RECORD RECURSIVE REDUCE REF REFERENCE REFERENCES
    REFERENCING REGEXP REGION REINDEX RELATIVE RELEASE REMAINDER RENAME REPEAT REPLACE REQUEST RESET
    RESIGNAL RESOURCE RESPONSE RESTORE RESTRICT RESULT RETURN RETURNING RETURNS REVERSE REVOKE RIGHT ROLE
    ROLES ROLLBACK ROLLUP ROUTINE ROW ROWS RULE RULES SAMPLE SATISFIES SAVE SAVEPOINT SCAN SCHEMA SCOPE
    SCROLL SEARCH SECOND SECTION SEGMENT SEGMENTS SELECT SELF SEMI SENSITIVE SEPARATE SEQUENCE SERIALIZABLE
    SESSION SET SETS SHARD SHARE SHARED SHORT SHOW SIGNAL SIMILAR SIZE SKEWED SMALLINT SNAPSHOT SOME SOURCE
    SPACE SPACES SPARSE SPECIFIC SPECIFICTYPE SPLIT SQL SQLCODE SQLERROR SQLEXCEPTION SQLSTATE SQLWARNING
    START STATE STATIC STATUS STORAGE STORE STORED STREAM STRING STRUCT STYLE SUB SUBMULTISET SUBPARTITION
    SUBSTRING SUBTYPE SUM SUPER SYMMETRIC SYNONYM SYSTEM TABLE TABLESAMPLE TEMP TEMPORARY TERMINATED TEXT
    THAN THEN THROUGHPUT TIME TIMESTAMP TIMEZONE TINYINT TO TOKEN TOTAL TOUCH TRAILING TRANSACTION TRANSFORM
    TRANSLATE TRANSLATION TREAT TRIGGER TRIM TRUE TRUNCATE TTL TUPLE TYPE UNDER UNDO UNION UNIQUE UNIT
    UNKNOWN UNLOGGED UNNEST UNPROCESSED UNSIGNED UNTIL UPDATE UPPER URL USAGE USE USER USERS USING UUID
    VACUUM VALUE VALUED VALUES VARCHAR VARIABLE VARIANCE VARINT VARYING VIEW VIEWS VIRTUAL VOID WAIT WHEN
    WHENEVER WHERE WHILE WINDOW WITH WITHIN WITHOUT WORK WRAPPED WRITE YEAR ZONE
"""
RESERVED_WORDS: Final = frozenset(_WORDS.split())


def is_reserved(name: str) -> bool:
    """Whether a name needs a placeholder in expressions, in upper or lower case.

    Example:
        >>> is_reserved("status"), is_reserved("Status"), is_reserved("state_of_mind")
        (True, True, False)
    """
    return name.upper() in RESERVED_WORDS
