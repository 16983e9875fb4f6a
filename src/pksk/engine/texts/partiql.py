"""DynamoDB's messages about PartiQL statements."""

from __future__ import annotations

from typing import Final


def malformed(reason: str) -> str:
    """A statement that cannot be parsed, with the message of PartiQL's parser; bad characters have none."""
    return f"Statement wasn't well formed, can't be processed: {reason}"


# Messages of the parser.
AFTER_EXPRESSION: Final = "Unexpected token after expression"
AFTER_SEMICOLON: Final = "Unexpected token after semicolon. (Only one query is allowed.)"
EMPTY_GROUP: Final = "Expression group cannot be empty"
EXPECTED_EQUALS: Final = "Expected '='"
EXPECTED_EXPRESSION_AFTER_AND: Final = "Expected expression after AND"
EXPECTED_FROM: Final = "Expected FROM after SELECT list"
EXPECTED_FROM_AFTER_DELETE: Final = "Expected FROM after DELETE"
EXPECTED_NAME: Final = "Expected identifier for simple path"
EXPECTED_OPERATION: Final = "Expected data manipulation"
EXPECTED_RETURNING: Final = "Expected ALL or MODIFIED, then OLD or NEW, then * after RETURNING"
EXPECTED_TYPE_NAME: Final = "Expected type name"
INVALID_DOT: Final = "Invalid path dot component"
INVALID_INDEX: Final = "Invalid path component for simple path"
MISSING_OPERAND: Final = "Missing right-hand side expression of infix operator"
STAR_AND_OTHERS: Final = (
    "Other expressions may not be present in the select list when '*' is used without dot notation."
)
UNEXPECTED_KEYWORD: Final = "Unexpected keyword"
UNEXPECTED_OPERATOR: Final = "Unexpected operator"
UNEXPECTED_TERM: Final = "Unexpected term"


def expected_symbol(symbol: str) -> str:
    """A missing bracket, colon or word."""
    return f"Expected {_SYMBOLS.get(symbol, symbol)}"


_SYMBOLS: Final = {
    "(": "LEFT_PAREN",
    ")": "RIGHT_PAREN",
    "]": "RIGHT_BRACKET",
    "}": "RIGHT_CURLY",
    ">>": "RIGHT_DOUBLE_ANGLE_BRACKET",
    ":": "COLON",
    ",": "COMMA",
}


def located(words: str, line: int, column: int, length: int) -> str:
    """An error at a position of a statement that can be parsed."""
    return f"{words} at {line}:{column}:{length}"


# Errors with a position.
UNEXPECTED_CONDITION: Final = "Unexpected condition"
UNEXPECTED_MAP_KEY: Final = "Unexpected map key"
UNEXPECTED_PATH_COMPONENT: Final = "Unexpected path component"
UNEXPECTED_SOURCE: Final = "Unexpected from source"
UNEXPECTED_VALUE: Final = "Unexpected value"
UNSUPPORTED_OPERATOR: Final = "Unsupported operator"


def unsupported_function(name: str) -> str:
    """A function that DynamoDB's PartiQL does not have."""
    return f"Unsupported function: {name}"


def unsupported_clause(name: str) -> str:
    """A clause that DynamoDB's PartiQL does not have."""
    return f"Unsupported clause: {name}"


def operand_count(name: str) -> str:
    """A function with too few or too many arguments."""
    return f"Incorrect number of arguments for function: {name}"


def unequal_argument(function: str) -> str:
    """A set function of another attribute than the updated one."""
    return f"The first argument to {function.upper()} must equal the assignment value"


# Errors of a whole statement.
ALIASING: Final = "Aliasing is not supported"
DELETE_RETURNING: Final = "Only RETURNING ALL OLD * is supported for DELETE statements."
DUPLICATE: Final = "Duplicate primary key exists in table"
EMPTY_SET: Final = "One or more parameter values were invalid: An string set  may not be empty"
EXISTS_ALONE: Final = "EXISTS is only supported in ExecuteTransaction."
EXISTS_SELECT: Final = "EXISTS must have a SELECT statement as its argument"
INSERT_SEVERAL: Final = (
    "Unsupported operation: Inserting multiple items in a single statement is not supported, "
    'use "INSERT INTO tableName VALUE item" instead'
)
INSERT_WANTS_MAP: Final = "Value of an INSERT statement must be a map"
MISSING_KEY: Final = "Where clause does not contain a mandatory equality on all key attributes"
MIXED_SET: Final = (
    "One or more parameter values were invalid: All members of a set must be strings, or all numbers"
)
PARAMETER_COUNT: Final = "Number of parameters in request and statement don't match."
SEVERAL_KEYS: Final = (
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys "
    "or multi-attribute RANGE keys."
)
TOO_MANY_OPERATORS: Final = "The expression contains too many operators"


def too_many_operands(count: int) -> str:
    """An IN with too many values."""
    return f"The IN operator is provided with too many operands; number of operands: {count}"


# Reads.
CONSISTENT_INDEX: Final = "Strongly consistent read is not supported on Global Secondary Indexes"
NEXT_TOKEN: Final = "NextToken does not match request"
NO_INDEX: Final = "The table does not have the specified index"
ORDER_NEEDS_KEY: Final = (
    "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
)
ORDER_NEEDS_PARTITION: Final = (
    "Must specify hash key in ORDER BY clause when more than one hash key condition "
    "specified in WHERE clause."
)
ORDER_NEEDS_WHERE: Final = "Must have WHERE clause in the statement when using ORDER BY clause."


def not_a_key(name: str) -> str:
    """An ORDER BY of an attribute that is not a key."""
    return f"Attribute {name} in ORDER BY clause must be part of the primary key"


# Batches and transactions.
ITEM_TWICE: Final = "Provided list of item keys contains duplicates"
MIXED_BATCH: Final = "Read and write requests together in the same batch is not supported."
MIXED_TRANSACTION: Final = (
    "ExecuteTransaction API does not support both read and write operations in the same request."
)
SELECT_NEEDS_KEY: Final = (
    "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
)
TRANSACTION_SELECT_NEEDS_KEY: Final = (
    "Select statements within ExecuteTransaction must specify the primary key in the where clause."
)


def returning_in_transaction(place: int) -> str:
    """A statement of a transaction with a clause that only single statements support."""
    return (
        f"Validation failed in TransactStatements[{place}]: "
        "RETURNING clause is not supported in ExecuteTransaction."
    )
