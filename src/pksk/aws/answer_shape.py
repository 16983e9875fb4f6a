"""What the answers of an operation look like, so that another service's answer is not taken for DynamoDB's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

__all__ = ["AnswerShape", "Kind"]

# By botocore's name of a type. Times are left out, which others than AWS write in more than one way.
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

# The member that is never left out, be there nothing to tell; botocore's model of the service does not say so.
_ALWAYS: Final = {
    "BatchGetItem": "Responses",
    "BatchWriteItem": "UnprocessedItems",
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
    """The types that a value of JSON may have, and the kind of what is in it where all of that is of one."""

    types: frozenset[type]
    inner: Kind | None = None

    @classmethod
    def of(cls, shape: Any) -> Kind | None:
        """The kind that botocore's shape of a value stands for; None where any will do."""
        types = _TYPES.get(shape.type_name)
        if types is None:
            return None
        within = {"list": "member", "map": "value"}.get(shape.type_name)
        return cls(types, cls.of(getattr(shape, within)) if within else None)

    def fits(self, value: Any) -> bool:
        """Whether a value is of the kind; of the elements of a list or an object all, and within the first of them.

        Example:
            >>> items = Kind(frozenset({list}), Kind(frozenset({dict})))
            >>> items.fits([{"pk": {"S": "a"}}]), items.fits({}), items.fits(["a"])
            (True, False, False)
        """
        found = type(value)
        if found not in self.types:
            return False
        if self.inner is None or not value:
            return True
        elements = value.values() if found is dict else value
        return self.inner.types.issuperset(map(type, elements)) and self.inner.fits(next(iter(elements)))


class AnswerShape:
    """What an operation's answers may hold and must hold, by botocore's model of it."""

    def __init__(self, operation: str, output: Any = None) -> None:
        self._operation = operation
        self._kinds = {name: Kind.of(shape) for name, shape in output.members.items()} if output else {}

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to answer but that it was done; AWS then sends no body at all."""
        return not self._kinds

    def required(self, request: object) -> str:
        """The member that the answer to a request cannot be without, or nothing.

        Example:
            >>> AnswerShape("Query").required({"Select": "COUNT"}), AnswerShape("Query").required({})
            ('Count', 'Items')
            >>> AnswerShape("GetItem").required({})
            ''
        """
        if self._operation in ("Query", "Scan"):
            return "Count" if _request_member(request, "Select") == "COUNT" else "Items"
        if self._operation == "UpdateItem":
            return "Attributes" if _returns_new_values(request) else ""
        return _ALWAYS.get(self._operation, "")

    def misfit(self, answer: dict[str, Any], required: str) -> str:
        """Why an answer is none of DynamoDB's, or nothing; a member that is null is taken out, as if left out.

        An answer that has members of which none is known is another service's. Unknown ones beside others may be new.

        Example:
            >>> AnswerShape("GetItem").misfit({"status": "ok"}, "")
            "'status' is no member of it"
            >>> AnswerShape("Query").misfit({}, "Items")
            "'Items' is missing"
        """
        known, nulls = not answer, []
        for name, value in answer.items():
            if name not in self._kinds:
                continue
            known = True
            kind = self._kinds[name]
            if value is None:
                nulls.append(name)
            elif kind is not None and not kind.fits(value):
                return _kind_mismatch(name, value, kind)
        for name in nulls:
            del answer[name]
        if not known:
            return f"{next(iter(answer))!r} is no member of it"
        return _missing(answer, required) if required else ""


def _missing(answer: dict[str, Any], required: str) -> str:
    found = answer.get(required)
    if found is None or (required == "Attributes" and not found):  # no item is left without its key
        return f"{required!r} is missing"
    if required == "Table" and not isinstance(found.get("TableStatus"), str):
        return "'TableStatus' is missing in 'Table'"
    return ""


def _kind_mismatch(name: str, value: object, kind: Kind) -> str:
    found = next(text for known, text in _NAMES.items() if known in kind.types)
    if type(value) in kind.types:
        return f"{name!r} holds what no {found} of that name does"
    return f"{name!r} is no {found}"


def _returns_new_values(request: object) -> bool:
    """Whether an update asks for the item or its attributes afterwards, of which there are some in any case."""
    wanted = _request_member(request, "ReturnValues")
    if wanted != "UPDATED_NEW":
        return wanted == "ALL_NEW"
    text = _request_member(request, "UpdateExpression")
    # What is only removed has no value afterwards, and what is set beyond the end of a list stands elsewhere.
    return isinstance(text, str) and text.lstrip()[:4].upper() in ("SET ", "ADD ") and "[" not in text


def _request_member(request: object, name: str) -> object:
    return request.get(name) if isinstance(request, Mapping) else None
