"""The names and checksums of an export's files, as AWS writes them.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
"""

from __future__ import annotations

import hashlib
from base64 import b32encode, b64encode
from datetime import UTC, datetime
from secrets import token_bytes, token_hex
from typing import Final

ROOT: Final = "AWSDynamoDB"
DATA: Final = "data"
STARTED: Final = "_started"
SUMMARY: Final = "manifest-summary"
FILES: Final = "manifest-files"
TABLE: Final = "table"  # our own: the CreateTable request for an equal table
UNFINISHED: Final = ".unfinished"

JSON: Final = "DYNAMODB_JSON"
FULL: Final = "FULL_EXPORT"
INCREMENTAL: Final = "INCREMENTAL_EXPORT"


def export_id(seconds: float) -> str:
    """A new id of an export: fourteen digits of its time, and random ones.

    Example:
        >>> export_id(1_693_685_827.463)[:15]
        '01693685827463-'
    """
    return f"{int(seconds * 1000):014d}-{token_hex(4)}"


def data_file_name() -> str:
    """A new name for a file of items.

    Example:
        >>> len(data_file_name())
        34
    """
    return f"{b32encode(token_bytes(16)).decode().rstrip('=').lower()}.json.gz"


def timestamp(seconds: float) -> str:
    """A time in the format of manifests.

    Example:
        >>> timestamp(1_604_474_914.028)
        '2020-11-04T07:28:34.028Z'
    """
    return datetime.fromtimestamp(round(seconds, 3), UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def checksum(digest: bytes) -> str:
    """An MD5 sum in the format of manifests.

    Example:
        >>> checksum(hashlib.md5(b"").digest())
        '1B2M2Y8AsgTpgAmY7PhCfg=='
    """
    return b64encode(digest).decode()


def etag(digest: bytes) -> str:
    """The entity tag that S3 gives a file that is uploaded in one part.

    Example:
        >>> etag(hashlib.md5(b"").digest())
        '59adb24ef3cdbe0297f05b395827453f-1'
    """
    return f"{hashlib.md5(digest, usedforsecurity=False).hexdigest()}-1"
