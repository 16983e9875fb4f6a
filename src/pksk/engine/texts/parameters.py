"""DynamoDB's messages about expression parameters and their legacy forms.

Messages about an expression itself are in pksk.expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

_INVALID: Final = "One or more parameter values were invalid: "

# Placeholders.

NAMES_ALONE: Final = "ExpressionAttributeNames can only be specified when using expressions"
SUBSTITUTIONS_TOO_LARGE: Final = (
    "The sum of the sizes of ExpressionAttributeNames and ExpressionAttributeValues has exceeded the maximum "
    "allowed size"
)


def mixed_parameters(legacy: Iterable[str], expressions: Iterable[str]) -> str:
    """A request with expressions and legacy parameters."""
    return (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{', '.join(legacy)}}} Expression parameters: {{{', '.join(expressions)}}}"
    )


def values_alone(expressions: Sequence[str]) -> str:
    """Values without an expression that could use them."""
    verb = "is" if len(expressions) == 1 else "are"
    return (
        "ExpressionAttributeValues can only be specified when using expressions: "
        f"{' and '.join(expressions)} {verb} null"
    )


def empty_map(parameter: str) -> str:
    """A map of placeholders without entries."""
    return f"{parameter} must not be empty"


def invalid_key(parameter: str, key: str) -> str:
    """A placeholder with invalid characters."""
    return f'{parameter} contains invalid key: Syntax error; key: "{key}"'


def long_key(parameter: str, key: str) -> str:
    """A placeholder above 255 bytes."""
    return (
        f"{parameter} contains invalid key: The expression attribute map contains a key that is too long; "
        f'key: "{key}"'
    )


def invalid_value(reason: str, key: str) -> str:
    """An invalid value, with its placeholder."""
    return f"ExpressionAttributeValues contains invalid value: {reason} for key {key}"


def expression_size(words: str, size: int) -> str:
    """An expression that is too long, with its size, in the older wording."""
    return f"{words} expression size: {size}"


# Legacy conditions.

CONDITIONAL_OPERATOR_ALONE: Final = "ConditionalOperator cannot be used without Filter or Expected"
CONDITIONAL_OPERATOR_SINGLE: Final = (
    "ConditionalOperator can only be used when Filter or Expected has two or more elements"
)
INVALID_OPERATOR: Final = f"{_INVALID}Invalid comparison operator"
DIFFERENT_TYPES: Final = f"{_INVALID}AttributeValues inside AttributeValueList must be of same type"
WRONG_BOUNDS: Final = (
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
)
NOT_INDEXABLE: Final = "Attempted conditional constraint is not an indexable operation"
CONDITION_COUNT: Final = "Conditions can be of length 1 or 2 only"


def operand_count(operator: str) -> str:
    """A comparison with too few or too many values."""
    return f"{_INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"


def operand_type(operator: str, kind: str) -> str:
    """A comparison with a value of a type that it does not accept."""
    return f"{_INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type"


def value_and_list(attribute: str) -> str:
    """An entry of Expected with its value given in two forms."""
    return f"{_INVALID}Value and AttributeValueList cannot be used together for Attribute: {attribute}"


def exists_and_operator(attribute: str) -> str:
    """An entry of Expected in the older and the newer form at once."""
    return f"{_INVALID}Exists and ComparisonOperator cannot be used together for Attribute: {attribute}"


def operator_without_value(operator: str, attribute: str) -> str:
    """An entry of Expected that compares without a value."""
    return (
        f"{_INVALID}Value or AttributeValueList must be used with ComparisonOperator: {operator} "
        f"for Attribute: {attribute}"
    )


def list_without_operator(attribute: str) -> str:
    """An entry of Expected with values but no operator."""
    return (
        f"{_INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}"
    )


def value_wanted(exists: bool | None, attribute: str) -> str:
    """An entry of Expected without a value."""
    shown = "null" if exists is None else "true"
    return f"{_INVALID}Value must be provided when Exists is {shown} for Attribute: {attribute}"


def value_without_existence(attribute: str) -> str:
    """An entry of Expected with the value of an attribute that must not exist."""
    return f"{_INVALID}Value cannot be used when Exists is false for Attribute: {attribute}"


# Legacy updates and projections.

NO_UPDATE_VALUE: Final = f"{_INVALID}Only DELETE action is allowed when no attribute value is specified"
UPDATE_TYPE_MISMATCH: Final = "Type mismatch for attribute to update"


def add_type(kind: str) -> str:
    """An ADD of a value of the wrong type."""
    return f"{_INVALID}ADD action is not supported for the type {kind}"


def delete_type(kind: str) -> str:
    """A DELETE of a value that is not a set."""
    return f"{_INVALID}DELETE action with value is not supported for the type {kind}"


def duplicate_attribute(name: str) -> str:
    """An attribute that is requested twice."""
    return f"{_INVALID}Duplicate value in attribute name: {name}"
