"""A hook that writes each request to a log."""

from __future__ import annotations

from logging import DEBUG, WARNING, Logger, getLogger

from pksk.store.watching.consumed import consumed
from pksk.store.watching.hook import Done, Finish, Hook, Sending

__all__ = ["log_to"]


def log_to(logger: Logger | None = None, *, level: int = DEBUG) -> Hook:
    """A hook that logs every request when it is over: what it was, for which entity and pattern, and how long it took.

    Requests that fail are logged as warnings. Nothing of what is stored is logged, neither keys nor values.

    Example:
        >>> import logging, sys
        >>> from pksk import Entity, Key, Table, connect, log_to
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> logger = logging.Logger("shop")
        >>> logger.addHandler(logging.StreamHandler(sys.stdout))
        >>> with connect("memory:", hooks=[log_to(logger)]) as db:
        ...     db.create_tables(Order.__pksk__.table)
        ...     order = db.put(Order(id="7"))
        CreateTable shop in ... ms
        DescribeTable shop in ... ms
        PutItem shop for Order in ... ms
    """
    chosen = logger or getLogger("pksk.store")

    def hook(sending: Sending) -> Finish:
        def finish(done: Done) -> None:
            if done.error is None:
                units = consumed(sending.operation, done.answer or {})
                told = f", {units}" if units.charges else ""
                chosen.log(level, "%s in %.2f ms%s", _words(sending), done.seconds * 1000, told)
            else:
                name = getattr(done.error, "code", type(done.error).__name__)
                chosen.log(WARNING, "%s failed: %s", _words(sending), name)

        return finish

    return hook


def _words(sending: Sending) -> str:
    words = [sending.operation, ", ".join(sending.tables)]
    if sending.pattern:
        words.append(f"by {sending.pattern}")
    elif sending.entities:
        words.append(f"for {', '.join(sending.entities)}")
    if sending.attempt > 1:
        words.append(f"(attempt {sending.attempt})")
    return " ".join(word for word in words if word)
