"""The errors of the operations; the error of the store is the cause of each."""

from __future__ import annotations

from collections.abc import Sequence

from pksk import AlreadyExists, ConditionFailed, Entity, ReferenceMissing, TransactionFailed


class RecordsError(Exception):
    """An operation failed, and changed nothing."""


class Missing(RecordsError):
    """Something that the operation needs does not exist, such as the post of a record."""

    def __init__(self, kind: str, key: object) -> None:
        super().__init__(f"There is no {kind} {key}.")
        self.kind = kind
        self.key = key


class Taken(RecordsError):
    """A new item has the key of an existing one."""

    def __init__(self, kind: str, key: object) -> None:
        super().__init__(f"The {kind} {key} already exists.")
        self.kind = kind
        self.key = key


class ChangedMeanwhile(RecordsError):
    """The item has changed since it was read; `stored` is its current state."""

    def __init__(self, kind: str, key: object, stored: Entity) -> None:
        super().__init__(f"The {kind} {key} has changed since it was read.")
        self.kind = kind
        self.key = key
        self.stored = stored


class ImportRunning(RecordsError):
    """Another import into the post, with so many `lines`, was started and has not ended."""

    def __init__(self, post_id: int, lines: int) -> None:
        super().__init__(
            f"The post {post_id} is importing another register (lines: {lines:,}), and that import has not ended. "
            "Fix: wait for it, or import that register again to end it; or import this one into another post."
        )
        self.post_id = post_id
        self.lines = lines


class AlreadyImported(RecordsError):
    """This register was imported into the post before."""

    def __init__(self, post_id: int) -> None:
        super().__init__(
            f"The post {post_id} has these lines already. "
            "Fix: to have them twice, import them into another post."
        )
        self.post_id = post_id


class InUse(RecordsError):
    """The item cannot be deleted, since others refer to it."""

    def __init__(self, kind: str, key: object, by: str) -> None:
        super().__init__(f"The {kind} {key} is in use by {by}.")
        self.kind = kind
        self.key = key
        self.by = by


class LinksDiffer(RecordsError):
    """A collection names other categories than its links do."""

    def __init__(self, collection_id: int, named: set[int], linked: set[int]) -> None:
        super().__init__(
            f"The collection {collection_id} names the categories {sorted(named)} and is linked to {sorted(linked)}."
        )
        self.collection_id = collection_id
        self.named = named
        self.linked = linked


class InvalidInput(RecordsError):
    """The input is not valid, or not in the current state of the items."""


def error_of_write(failed: ConditionFailed, kind: str, key: object) -> RecordsError:
    """The error for a failed write of an item of this kind and key."""
    if isinstance(failed, ReferenceMissing):
        return Missing(failed.field.removesuffix("_id"), failed.key["pk"]["S"])
    if isinstance(failed, AlreadyExists):
        return Taken(kind, key)
    if failed.item is None:
        return Missing(kind, key)
    return ChangedMeanwhile(kind, key, failed.item)


def error_of_transaction(failed: TransactionFailed, members: Sequence[tuple[str, object]]) -> Exception:
    """The error for a failed transaction; `members` are the kind and key of each, in order."""
    place, first = min(failed.failures.items())
    return error_of_write(first, *members[place]) if isinstance(first, ConditionFailed) else failed
