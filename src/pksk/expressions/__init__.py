"""DynamoDB's expressions: one grammar and one tree for conditions, updates and projections."""

from __future__ import annotations

from .apply import apply, project
from .evaluate import compile_condition, evaluate
from .fields import F, Field, Fields, projection, update
from .key_condition import KeyPart, key_parts
from .literals import unchecked
from .parse import parse_condition, parse_key_condition, parse_projection, parse_update
from .render import Placeholders, Rendered, describe, render
from .resolve import check_unused, references, resolve
from .tokens import RESERVED_WORDS, is_reserved
from .tree import (
    Action,
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Compare,
    Condition,
    Delete,
    In,
    NameRef,
    Not,
    Operand,
    Or,
    Path,
    Projection,
    Remove,
    Set,
    Update,
    Value,
    ValueRef,
)

__all__ = [
    "RESERVED_WORDS", "Action", "Add", "And", "Arithmetic", "Between", "Call", "Compare", "Condition",
    "Delete", "F", "Field", "Fields", "In", "KeyPart", "NameRef", "Not", "Operand", "Or", "Path",
    "Placeholders", "Projection", "Remove", "Rendered", "Set", "Update", "Value", "ValueRef", "apply",
    "check_unused", "compile_condition", "describe", "evaluate", "is_reserved", "key_parts", "parse_condition",
    "parse_key_condition", "parse_projection", "parse_update", "project", "projection", "references",
    "render", "resolve", "unchecked", "update",
]  # fmt: skip
