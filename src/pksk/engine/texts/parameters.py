"""What DynamoDB says of expression parameters and of their legacy forms.

What it says of an expression itself stands in pksk.expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

__all__ = [
    "CONDITIONAL_OPERATOR_ALONE",
    "CONDITIONAL_OPERATOR_SINGLE",
    "CONDITION_COUNT",
    "DIFFERENT_TYPES",
    "INVALID_OPERATOR",
    "NAMES_ALONE",
    "NOT_INDEXABLE",
    "NO_UPDATE_VALUE",
    "SUBSTITUTIONS_TOO_LARGE",
    "UPDATE_TYPE_MISMATCH",
    "WRONG_BOUNDS",
    "add_type",
    "delete_type",
    "duplicate_attribute",
    "empty_map",
    "exists_and_operator",
    "expression_size",
    "invalid_key",
    "invalid_value",
    "list_without_operator",
    "long_key",
    "mixed_parameters",
    "operand_count",
    "operand_type",
    "operator_without_value",
    "value_and_list",
    "value_wanted",
    "value_without_existence",
    "values_alone",
]

_INVALID: Final = "One or more parameter values were invalid: "

# Placeholders.

NAMES_ALONE: Final = "ExpressionAttributeNames can only be specified when using expressions"
SUBSTITUTIONS_TOO_LARGE: Final = (
    "The sum of the sizes of ExpressionAttributeNames and ExpressionAttributeValues has exceeded the maximum "
    "allowed size"
)


def mixed_parameters(legacy: Iterable[str], expressions: Iterable[str]) -> str:
    """A request with parameters of both families."""
    return (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{', '.join(legacy)}}} Expression parameters: {{{', '.join(expressions)}}}"
    )


def values_alone(expressions: Sequence[str]) -> str:
    """Values without any of the expressions that could use them."""
    verb = "is" if len(expressions) == 1 else "are"
    return (
        "ExpressionAttributeValues can only be specified when using expressions: "
        f"{' and '.join(expressions)} {verb} null"
    )


def empty_map(parameter: str) -> str:
    """A map of placeholders that has none."""
    return f"{parameter} must not be empty"


def invalid_key(parameter: str, key: str) -> str:
    """A placeholder that is not written as one."""
    return f'{parameter} contains invalid key: Syntax error; key: "{key}"'


def long_key(parameter: str, key: str) -> str:
    """A placeholder above 255 bytes."""
    return (
        f"{parameter} contains invalid key: The expression attribute map contains a key that is too long; "
        f'key: "{key}"'
    )


def invalid_value(reason: str, key: str) -> str:
    """A value that is none, with the placeholder that stands for it."""
    return f"ExpressionAttributeValues contains invalid value: {reason} for key {key}"


def expression_size(words: str, size: int) -> str:
    """An expression that is too long, with its bytes, as the older wording has it."""
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
    """A comparison with a value of a type that it does not take."""
    return f"{_INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type"


def value_and_list(attribute: str) -> str:
    """An expectation with its value given in two ways."""
    return f"{_INVALID}Value and AttributeValueList cannot be used together for Attribute: {attribute}"


def exists_and_operator(attribute: str) -> str:
    """An expectation in the older and in the newer form at once."""
    return f"{_INVALID}Exists and ComparisonOperator cannot be used together for Attribute: {attribute}"


def operator_without_value(operator: str, attribute: str) -> str:
    """An expectation that compares with nothing."""
    return (
        f"{_INVALID}Value or AttributeValueList must be used with ComparisonOperator: {operator} "
        f"for Attribute: {attribute}"
    )


def list_without_operator(attribute: str) -> str:
    """An expectation of values without the way to compare with them."""
    return (
        f"{_INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}"
    )


def value_wanted(exists: bool | None, attribute: str) -> str:
    """An expectation of an attribute without its value."""
    shown = "null" if exists is None else "true"
    return f"{_INVALID}Value must be provided when Exists is {shown} for Attribute: {attribute}"


def value_without_existence(attribute: str) -> str:
    """An expectation of the value of an attribute that shall not exist."""
    return f"{_INVALID}Value cannot be used when Exists is false for Attribute: {attribute}"


# Legacy updates and projections.

NO_UPDATE_VALUE: Final = f"{_INVALID}Only DELETE action is allowed when no attribute value is specified"
UPDATE_TYPE_MISMATCH: Final = "Type mismatch for attribute to update"


def add_type(kind: str) -> str:
    """An ADD of what can be added to nothing."""
    return f"{_INVALID}ADD action is not supported for the type {kind}"


def delete_type(kind: str) -> str:
    """A DELETE of a value that is no set."""
    return f"{_INVALID}DELETE action with value is not supported for the type {kind}"


def duplicate_attribute(name: str) -> str:
    """An attribute that is asked for twice."""
    return f"{_INVALID}Duplicate value in attribute name: {name}"
