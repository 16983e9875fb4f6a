"""What the operations refuse, as errors that a caller can act on; the store's own error is the cause of each."""

from __future__ import annotations

from collections.abc import Sequence

from pksk import AlreadyExists, ConditionFailed, Entity, ReferenceMissing, TransactionFailed

__all__ = [
    "AlreadyImported",
    "ChangedMeanwhile",
    "ImportRunning",
    "InUse",
    "InvalidInput",
    "LinksDiffer",
    "Missing",
    "RecordsError",
    "Taken",
    "error_of_transaction",
    "error_of_write",
]


class RecordsError(Exception):
    """An operation that did nothing, and says why."""


class Missing(RecordsError):
    """Something that an operation needs is not there, such as the post of a record."""

    def __init__(self, kind: str, key: object) -> None:
        super().__init__(f"There is no {kind} {key}.")
        self.kind = kind
        self.key = key


class Taken(RecordsError):
    """Something new has the key of something that is there."""

    def __init__(self, kind: str, key: object) -> None:
        super().__init__(f"There is a {kind} {key} already.")
        self.kind = kind
        self.key = key


class ChangedMeanwhile(RecordsError):
    """Somebody else has changed what was to be changed; `stored` is what it is now."""

    def __init__(self, kind: str, key: object, stored: Entity) -> None:
        super().__init__(f"The {kind} {key} was changed by somebody else since it was read.")
        self.kind = kind
        self.key = key
        self.stored = stored


class ImportRunning(RecordsError):
    """A post is getting another register, which was begun and has not ended; it has so many `lines`."""

    def __init__(self, post_id: int, lines: int) -> None:
        super().__init__(
            f"The post {post_id} is getting another register (lines: {lines:,}), whose import has not ended. "
            "Wait for it, or import that register again to end it; or import this one into another post."
        )
        self.post_id = post_id
        self.lines = lines


class AlreadyImported(RecordsError):
    """A post has got this very register before."""

    def __init__(self, post_id: int) -> None:
        super().__init__(
            f"The post {post_id} has these lines already: all of them were imported before. "
            "To have them twice, import them into another post."
        )
        self.post_id = post_id


class InUse(RecordsError):
    """Something cannot go, since others refer to it."""

    def __init__(self, kind: str, key: object, by: str) -> None:
        super().__init__(f"The {kind} {key} is in use by {by}.")
        self.kind = kind
        self.key = key
        self.by = by


class LinksDiffer(RecordsError):
    """A collection names other categories than it is linked to."""

    def __init__(self, collection_id: int, named: set[int], linked: set[int]) -> None:
        super().__init__(
            f"The collection {collection_id} names the categories {sorted(named)} and is linked to {sorted(linked)}."
        )
        self.collection_id = collection_id
        self.named = named
        self.linked = linked


class InvalidInput(RecordsError):
    """What was asked for cannot be done with what was given, or in the state that things are in."""


def error_of_write(failed: ConditionFailed, kind: str, key: object) -> RecordsError:
    """What the failure of a write means, which was of this kind and key."""
    if isinstance(failed, ReferenceMissing):
        return Missing(failed.field.removesuffix("_id"), failed.key["pk"]["S"])
    if isinstance(failed, AlreadyExists):
        return Taken(kind, key)
    if failed.item is None:
        return Missing(kind, key)
    return ChangedMeanwhile(kind, key, failed.item)


def error_of_transaction(failed: TransactionFailed, members: Sequence[tuple[str, object]]) -> Exception:
    """What the failure of a transaction means: `members` are the kind and key of each, by their places."""
    place, first = min(failed.failures.items())
    return error_of_write(first, *members[place]) if isinstance(first, ConditionFailed) else failed
