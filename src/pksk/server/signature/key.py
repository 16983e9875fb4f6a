"""An access key: its id, which requests name, and its secret, which they are signed with."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Key"]


@dataclass(frozen=True, slots=True)
class Key:
    """An access key; with a session token, requests must carry that token too. It shows no secret.

    Example:
        >>> Key("AKIDEXAMPLE", "a secret")
        Key(key_id='AKIDEXAMPLE')
    """

    key_id: str
    secret: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)
