"""The place of a partition key in the range of hashes, which decides where items stand and how scans go."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

__all__ = ["PLACES", "PLACE_BYTES", "place", "segment"]

PLACE_BYTES: Final = 8
PLACES: Final = 2 ** (8 * PLACE_BYTES)


def place(typed_key: bytes) -> bytes:
    """The place of a partition key, given as the bytes of its type and value; places compare as they follow.

    Example:
        >>> place(b"Scustomer#1").hex(), len(place(b""))
        ('f5dc5a2ca1e5a639', 8)
    """
    # AWS does not name its hash, and any uniform one spreads keys alike. Files are laid out by this one.
    return blake2b(typed_key, digest_size=PLACE_BYTES).digest()


def segment(number: int, of: int) -> tuple[bytes, bytes | None]:
    """The first place of a segment and the first place after it, None at the end of the range.

    Example:
        >>> [(low.hex()[:4], high and high.hex()[:4]) for low, high in (segment(0, 2), segment(1, 2))]
        [('0000', '8000'), ('8000', None)]
    """
    low, high = -(-PLACES * number // of), -(-PLACES * (number + 1) // of)
    return low.to_bytes(PLACE_BYTES), None if high == PLACES else high.to_bytes(PLACE_BYTES)
