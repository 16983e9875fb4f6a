"""What is said of JSON that is of another type than a member's: SerializationExceptions by what was found."""

from __future__ import annotations

from typing import Final

from pksk.engine.faults import ServiceError, serialization
from pksk.engine.texts import members as texts

__all__ = ["no_blob", "no_list", "no_map", "no_scalar", "no_structure"]

_TOKENS: Final = {str: "STRING", int: "NUMBER", float: "DECIMAL"}
_SCALARS: Final = frozenset({str, int, float, bool})


def no_scalar(found: object, target: str) -> ServiceError:
    """What stands where a String, Boolean, Integer or Long should.

    Example:
        >>> print(no_scalar(5, "String"))
        SerializationException: NUMBER_VALUE cannot be converted to String
    """
    kind = type(found)
    if kind is list and target != "Boolean":
        return serialization(texts.collection_type(f"class {texts.scalar_type(target)}"))
    if kind is dict:
        return serialization(texts.STRUCTURE_FOUND)
    token = ("TRUE" if found else "FALSE") if kind is bool else _TOKENS.get(kind)
    return serialization(token and texts.not_converted(token, target))


def no_blob(found: object) -> ServiceError:
    """What stands where binary content should."""
    if type(found) is list:
        return serialization(texts.collection_type(f"class {texts.scalar_type('Blob')}"))
    if type(found) is dict:
        return serialization(texts.STRUCTURE_FOUND)
    return _scalar_or_foreign(found, texts.NOT_A_BLOB)


def no_list(found: object) -> ServiceError:
    """What stands where a list should."""
    if type(found) is dict:
        return serialization(texts.STRUCTURE_FOUND)
    return _scalar_or_foreign(found, texts.FIELD_TYPE)


def no_map(found: object, element: str) -> ServiceError:
    """What stands where a map should, whose values are of a Java type."""
    if type(found) is list:
        return serialization(texts.collection_type(texts.map_type(element)))
    return _scalar_or_foreign(found, texts.FIELD_TYPE)


def no_structure(found: object, name: str) -> ServiceError:
    """What stands where a structure should."""
    if type(found) is list:
        return serialization(texts.collection_type(f"class {texts.structure_type(name)}"))
    return _scalar_or_foreign(found, texts.VALUE_TYPE)


def _scalar_or_foreign(found: object, message: str) -> ServiceError:
    # Only a caller in Python can give something that JSON cannot say; DynamoDB has no words for it.
    return serialization(message if type(found) in _SCALARS else None)
