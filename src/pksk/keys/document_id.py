"""Document ids: both keys of an item in one text of at most 512 bytes, and back."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from decimal import Decimal
from hashlib import sha256
from typing import NoReturn

from pksk.errors import InvalidValue, quote
from pksk.keys.parse import is_utf8
from pksk.limits import DOCUMENT_ID_BYTES
from pksk.values import canonical_number, parse_number, to_wire

KeyValue = str | int | Decimal | bytes

_HASH = "%h"
_ESCAPES = str.maketrans({"%": "%25", "#": "%23"})
_TEXT = re.compile("(?:[^%#]|%25|%23)+", re.DOTALL)


def doc_id(partition: KeyValue, sort: KeyValue | None = None) -> str:
    """The id of an item: `<pk>#<sk>`, with `%` and `#` inside the keys percent-escaped.

    Number keys begin with `%n`, binary keys with `%b`. OpenSearch rejects ids over 512 bytes; such an id is
    `%h` and a hash instead. A hash cannot be parsed, so store both keys in fields of the document.

    Example:
        >>> doc_id("geozone::park_1", "1")
        'geozone::park_1#1'
        >>> doc_id("QUEUE#7", 12)
        'QUEUE%237#%n12'
    """
    text = _key_text(partition) if sort is None else f"{_key_text(partition)}#{_key_text(sort)}"
    data = text.encode()
    return text if len(data) <= DOCUMENT_ID_BYTES else _HASH + sha256(data).hexdigest()


def parse_doc_id(text: str) -> tuple[KeyValue, KeyValue | None]:
    """The keys in an id; the sort key is None if the table has none.

    Example:
        >>> parse_doc_id("QUEUE%237#%n12")
        ('QUEUE#7', 12)
    """
    if not isinstance(text, str):
        _reject_id(text)
    if is_hashed_doc_id(text):
        raise InvalidValue(
            "doc-id-hashed",
            f"Document id {quote(text)} is a hash, because the keys were too long for an id; it cannot be parsed.",
            fix="read both keys from fields of the document.",
        )
    keys = text.split("#")
    if len(keys) > 2 or len(text.encode("utf-8", "surrogatepass")) > DOCUMENT_ID_BYTES:
        _reject_id(text)
    return _read(keys[0], text), _read(keys[1], text) if len(keys) == 2 else None


def is_hashed_doc_id(text: str) -> bool:
    """Whether an id is a hash, which cannot be parsed.

    Example:
        >>> is_hashed_doc_id(doc_id("x" * 600))
        True
    """
    return isinstance(text, str) and text.startswith(_HASH)


def _key_text(key: KeyValue) -> str:
    if isinstance(key, str) and key:
        return _checked(key).translate(_ESCAPES)
    if isinstance(key, (bytes, bytearray, memoryview)) and len(key):
        return "%b" + urlsafe_b64encode(key).decode().rstrip("=")
    if isinstance(key, (int, Decimal)) and not isinstance(key, bool):
        return "%n" + str(to_wire(key)["N"])
    raise InvalidValue(
        "doc-id-key",
        f"{quote(key)} of type {type(key).__name__} is not the value of a key.",
        fix="pass the key attributes as stored: text, a number or bytes, not empty.",
    )


def _checked(key: str) -> str:
    if is_utf8(key):
        return key
    raise InvalidValue(
        "key-surrogate",
        f"key {quote(key)} contains half of a surrogate pair and is not text.",
        fix="decode the text with the right codec first; DynamoDB stores only UTF-8.",
    )


def _read(written: str, text: str) -> KeyValue:
    key: KeyValue
    try:
        if written.startswith("%n"):
            # Decimal would expand 1E999999 in memory.
            key = parse_number(canonical_number(written[2:]))
        elif written.startswith("%b"):
            key = urlsafe_b64decode(written[2:] + "=" * (-len(written[2:]) % 4))
        elif _TEXT.fullmatch(written):
            key = written.replace("%23", "#").replace("%25", "%")
        else:
            _reject_id(text)
        if _key_text(key) == written:
            return key
    except (ArithmeticError, ValueError):
        pass
    _reject_id(text)


def _reject_id(text: object) -> NoReturn:
    raise InvalidValue(
        "doc-id-invalid",
        f"{quote(text)} is not a document id made by doc_id.",
        expected="An id is <pk>#<sk>, with % and # inside the keys written %25 and %23.",
        fix="check where the id comes from; keys joined by hand cannot always be separated again.",
    )
