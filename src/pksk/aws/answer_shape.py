"""The members of an operation's answers, to detect answers of other services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

# By botocore's name of a type. Times are left out, since servers write them in several ways.
_TYPES: Final[Mapping[str, frozenset[type]]] = {
    **dict.fromkeys(("structure", "map"), frozenset({dict})),
    "list": frozenset({list}),
    **dict.fromkeys(("string", "blob"), frozenset({str})),
    **dict.fromkeys(("integer", "long", "float", "double"), frozenset({int, float})),
    "boolean": frozenset({bool}),
}
_NAMES: Final[Mapping[type, str]] = {
    dict: "object",
    list: "list",
    str: "text",
    int: "number",
    bool: "boolean",
}

# The member that every answer has; botocore's model of the service does not say so. Some servers leave out an empty
# UnprocessedItems or UnprocessedKeys.
_ALWAYS: Final = {
    "BatchGetItem": "Responses",
    "CreateTable": "TableDescription",
    "DeleteTable": "TableDescription",
    "DescribeContinuousBackups": "ContinuousBackupsDescription",
    "DescribeStream": "StreamDescription",
    "DescribeTable": "Table",
    "DescribeTimeToLive": "TimeToLiveDescription",
    "GetRecords": "Records",
    "GetShardIterator": "ShardIterator",
    "ListStreams": "Streams",
    "ListTables": "TableNames",
    "TransactGetItems": "Responses",
    "UpdateTable": "TableDescription",
    "UpdateTimeToLive": "TimeToLiveSpecification",
}


class Kind(NamedTuple):
    """The types that a JSON value may have, and the kind of its elements."""

    types: frozenset[type]
    inner: Kind | None = None

    @classmethod
    def of(cls, shape: Any) -> Kind | None:
        """The kind of a shape of botocore; None if any value is right."""
        types = _TYPES.get(shape.type_name)
        if types is None:
            return None
        inner = {"list": "member", "map": "value"}.get(shape.type_name)
        return cls(types, cls.of(getattr(shape, inner)) if inner else None)

    def matches(self, value: Any) -> bool:
        """Whether a value is of the kind; checks the types of all its elements, and the content of the first.

        Example:
            >>> items = Kind(frozenset({list}), Kind(frozenset({dict})))
            >>> items.matches([{"pk": {"S": "a"}}]), items.matches({}), items.matches(["a"])
            (True, False, False)
        """
        kind = type(value)
        if kind not in self.types:
            return False
        if self.inner is None or not value:
            return True
        elements = value.values() if kind is dict else value
        return self.inner.types.issuperset(map(type, elements)) and self.inner.matches(next(iter(elements)))


class AnswerShape:
    """The members of an operation's answers, by botocore's model."""

    def __init__(self, operation: str, output: Any = None) -> None:
        self._operation = operation
        self._kinds = {name: Kind.of(shape) for name, shape in output.members.items()} if output else {}

    @property
    def is_empty(self) -> bool:
        """Whether an answer has no members; AWS then sends no body."""
        return not self._kinds

    def required_member(self, request: object) -> str:
        """The member that the answer to a request must have, or an empty text.

        Example:
            >>> AnswerShape("Query").required_member({"Select": "COUNT"}), AnswerShape("Query").required_member({})
            ('Count', 'Items')
            >>> AnswerShape("GetItem").required_member({})
            ''
        """
        if self._operation in ("Query", "Scan"):
            return "Count" if _request_member(request, "Select") == "COUNT" else "Items"
        if self._operation == "UpdateItem":
            return "Attributes" if _returns_new_values(request) else ""
        return _ALWAYS.get(self._operation, "")

    def mismatch(self, answer: dict[str, Any], required: str) -> str:
        """Why an answer is not DynamoDB's, or an empty text; removes members that are null.

        If no member is known, the answer is another service's. Unknown members beside known ones may be new.

        Example:
            >>> AnswerShape("GetItem").mismatch({"status": "ok"}, "")
            "it has no member 'status'"
            >>> AnswerShape("Query").mismatch({}, "Items")
            "'Items' is missing"
        """
        has_known_member, nulls = not answer, []
        for name, value in answer.items():
            if name not in self._kinds:
                continue
            has_known_member = True
            kind = self._kinds[name]
            if value is None:
                nulls.append(name)
            elif kind is not None and not kind.matches(value):
                return _kind_mismatch(name, value, kind)
        for name in nulls:
            del answer[name]
        if not has_known_member:
            return f"it has no member {next(iter(answer))!r}"
        return _missing(answer, required) if required else ""


def _missing(answer: dict[str, Any], required: str) -> str:
    value = answer.get(required)
    if value is None or (required == "Attributes" and not value):  # every item has a key
        return f"{required!r} is missing"
    if required == "Table" and not isinstance(value.get("TableStatus"), str):
        return "'TableStatus' is missing in 'Table'"
    return ""


def _kind_mismatch(name: str, value: object, kind: Kind) -> str:
    expected = next(text for type_, text in _NAMES.items() if type_ in kind.types)
    expected = f"{'an' if expected == 'object' else 'a'} {expected}"
    if type(value) in kind.types:
        return f"{name!r} is {expected} with wrong content"
    return f"{name!r} is not {expected}"


def _returns_new_values(request: object) -> bool:
    """Whether the answer to an update surely has new attributes."""
    option = _request_member(request, "ReturnValues")
    if option != "UPDATED_NEW":
        return option == "ALL_NEW"
    text = _request_member(request, "UpdateExpression")
    # A removed attribute has no new value, nor has an element that is set beyond the end of a list.
    return isinstance(text, str) and text.lstrip()[:4].upper() in ("SET ", "ADD ") and "[" not in text


def _request_member(request: object, name: str) -> object:
    return request.get(name) if isinstance(request, Mapping) else None
