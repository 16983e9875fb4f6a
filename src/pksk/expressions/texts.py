"""DynamoDB's error messages about expressions, word for word, and our fixes.

AWS rewords its messages region by region; if two texts are in use, this is the newer one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pksk.errors import ExpressionError

# The request's member that holds the expression, such as FilterExpression.
Parameter = str


class Text(NamedTuple):
    """DynamoDB's message, with format fields, and our fix."""

    words: str
    fix: str


_PAREN_FIX: Final = "remove one of the two pairs of parentheses."
_PATHS_FIX: Final = "name each attribute once; set a whole map or list, or its members, not both."
_KEY_FIX: Final = (
    "compare the partition key with =, and the sort key with =, <, <=, >, >=, BETWEEN or begins_with."
)

TEXTS: Final[dict[str, Text]] = {
    "expression-empty": Text(
        "Invalid {parameter}: The expression can not be empty;",
        "leave the parameter out, or write an expression.",
    ),
    "expression-too-long": Text(
        "Invalid {parameter}: Expression size has exceeded the maximum allowed size;",
        "an expression has at most 4,096 bytes; shorten its placeholders, or split the request.",
    ),
    "expression-syntax": Text(
        'Invalid {parameter}: Syntax error; token: "{token}", near: "{near}"',
        "check the named token; placeholders of values begin with ':', those of names with '#'.",
    ),
    "expression-redundant-parentheses": Text(
        "Invalid {parameter}: The expression has redundant parentheses;", _PAREN_FIX
    ),
    "expression-unknown-function": Text(
        "Invalid {parameter}: Invalid function name; function: {function}",
        "functions are attribute_exists, attribute_not_exists, attribute_type, begins_with, contains and size in "
        "conditions, if_not_exists and list_append in updates, all in lower case.",
    ),
    "expression-not-in-condition": Text(
        "Invalid {parameter}: The function is not allowed in a condition expression; function: {function}",
        "if_not_exists and list_append belong to SET; in a condition use attribute_not_exists or contains.",
    ),
    "expression-not-in-update": Text(
        "Invalid {parameter}: The function is not allowed in an update expression; function: {function}",
        "put the test into the request's ConditionExpression.",
    ),
    "expression-misused-function": Text(
        "Invalid {parameter}: The function is not allowed to be used this way in an expression; function: {function}",
        "compare size(x) with a number; use other functions without a comparison; nest only if_not_exists.",
    ),
    "expression-too-many-operators": Text(
        "Invalid {parameter}: The expression contains too many operators; operator count: {count}",
        "an expression has at most 300 operators; use IN or BETWEEN, or split the request.",
    ),
    "expression-too-many-operands": Text(
        "Invalid {parameter}: The IN operator is provided with too many operands; number of operands: {count}",
        "IN takes at most 100 operands; join several IN by OR, or split the request.",
    ),
    "expression-reserved-word": Text(
        "Invalid {parameter}: Attribute name is a reserved keyword; reserved keyword: {name}",
        "write #name, and define it in ExpressionAttributeNames.",
    ),
    "expression-index-range": Text(
        "Invalid {parameter}: List index is not within the allowable range; index: [{index}]",
        "no list is that long; to append, use list_append.",
    ),
    "expression-path-too-deep": Text(
        "Invalid {parameter}: The document path has too many nesting levels; nesting levels: {count}",
        "a path has at most 32 elements, as an item has at most 32 levels.",
    ),
    "expression-undefined-name": Text(
        "Invalid {parameter}: An expression attribute name used in the document path is not defined; "
        "attribute name: {name}",
        "add it to ExpressionAttributeNames.",
    ),
    "expression-undefined-value": Text(
        "Invalid {parameter}: An expression attribute value used in expression is not defined; "
        "attribute value: {name}",
        "add it to ExpressionAttributeValues.",
    ),
    "expression-unused-names": Text(
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {{{names}}}",
        "leave them out; DynamoDB rejects unused placeholders.",
    ),
    "expression-unused-values": Text(
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {{{names}}}",
        "leave them out; DynamoDB rejects unused placeholders.",
    ),
    "expression-operand-count": Text(
        "Invalid {parameter}: Incorrect number of operands for operator or function; "
        "operator or function: {operator}, number of operands: {count}",
        "attribute_exists, attribute_not_exists and size take one operand, the other functions two.",
    ),
    "expression-operand-type": Text(
        "Invalid {parameter}: Incorrect operand type for operator or function; "
        "operator or function: {operator}, operand type: {type}",
        "order compares S, N and B; begins_with takes S and B, + and - take N, list_append takes L.",
    ),
    "expression-clause-type": Text(
        "Invalid {parameter}: Incorrect operand type for operator or function; "
        "operator: {operator}, operand type: {type}, typeSet: ALLOWED_FOR_ADD_OPERAND",
        "ADD takes a number or a set, DELETE a set; use SET for all else.",
    ),
    "expression-needs-path": Text(
        "Invalid {parameter}: Operator or function requires a document path; operator or function: {operator}",
        "name an attribute as its first operand.",
    ),
    "expression-type-name": Text(
        "Invalid {parameter}: Invalid attribute type name found; type: {type}, "
        "valid types: {{S,SS,N,NS,B,BS,BOOL,NULL,L,M}}",
        "use one of the valid types, in capitals.",
    ),
    "expression-same-operand": Text(
        "Invalid {parameter}: The first operand must be distinct from the remaining operands for this operator or "
        "function; operator: {operator}, first operand: {operand}",
        "compare an attribute with another one or with a value; to test whether it exists, use attribute_exists.",
    ),
    "expression-between-types": Text(
        "Invalid {parameter}: The BETWEEN operator requires same data type for lower and upper bounds; "
        "lower bound operand: AttributeValue: {low}, upper bound operand: AttributeValue: {high}",
        "give both bounds the type of the attribute.",
    ),
    "expression-between-order": Text(
        "Invalid {parameter}: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {low}, upper bound operand: AttributeValue: {high}",
        "swap the bounds; if nothing can match, skip the request.",
    ),
    "expression-section-twice": Text(
        'Invalid {parameter}: The "{section}" section can only be used once in an update expression;',
        "put all actions of a section after one keyword, separated by commas.",
    ),
    "expression-paths-overlap": Text(
        "Invalid {parameter}: Two document paths overlap with each other; "
        "must remove or rewrite one of these paths; path one: {one}, path two: {two}",
        _PATHS_FIX,
    ),
    "expression-paths-conflict": Text(
        "Invalid {parameter}: Two document paths conflict with each other; "
        "must remove or rewrite one of these paths; path one: {one}, path two: {two}",
        "an attribute is a map or a list, not both; correct one of the paths.",
    ),
    "expression-key-operator": Text("Invalid operator used in KeyConditionExpression: {operator}", _KEY_FIX),
    "expression-key-first-operand": Text(
        "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute as its first "
        "operand",
        "write the key attribute first, the values after it.",
    ),
    "expression-key-function": Text(
        "KeyConditionExpressions cannot contain nested operations",
        "move the function into the FilterExpression.",
    ),
    "expression-key-attributes": Text(
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
        "compare a key attribute with values only; attributes are compared in a FilterExpression.",
    ),
    "expression-key-nested": Text(
        "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes",
        "keys are attributes of the item itself; move the condition into the FilterExpression.",
    ),
    "expression-key-missing": Text(
        "Invalid condition in KeyConditionExpression: No key attribute specified",
        "name a key attribute in every condition.",
    ),
    "expression-key-twice": Text(
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key",
        "combine two bounds on a sort key with BETWEEN.",
    ),
    "update-invalid-path": Text(
        "The document path provided in the update expression is invalid for update",
        "set the enclosing map or list first; SET does not create it.",
    ),
    "update-missing-attribute": Text(
        "The provided expression refers to an attribute that does not exist in the item",
        "write if_not_exists(path, value) for an attribute that may be absent.",
    ),
    "update-operand-type": Text(
        "An operand in the update expression has an incorrect data type",
        "+, - and ADD take numbers, list_append takes lists, ADD and DELETE take sets of the stored set's type.",
    ),
}


def expression_error(code: str, parameter: Parameter = "", **named: object) -> ExpressionError:
    """The error with this code, in DynamoDB's words.

    Example:
        >>> print(expression_error("expression-reserved-word", "FilterExpression", name="status"))
        Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: status
        Fix: write #name, and define it in ExpressionAttributeNames.  (pksk explain expression-reserved-word)
    """
    text = TEXTS[code]
    return ExpressionError(code, text.words.format(parameter=parameter, **named), fix=text.fix)
