"""Repeats the rounds of workers: until they have caught up, or until they are stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pksk.changes.delivery import FIRST_PAUSE, MAX_PAUSE, OUTAGES, Deliverer, log_outage
from pksk.changes.worker import Batch, Worker
from pksk.sending import Pause, Steps

# So many rounds without records, each with a new list of shards, before a worker has caught up.
_QUIET_ROUNDS = 2
_FIRST_POLL = 0.05
# A worker that is stopped notices it after this time.
_LONGEST_PAUSE = 1.0


class Rounds:
    """The rounds of a worker that follows the stream, or ends when it has caught up."""

    def __init__(self, worker: Worker, *, follow: bool) -> None:
        self.worker, self.follow = worker, follow
        # How long to wait before the next round.
        self.pause = 0.0
        self._quiet = self._polls = self._outages = 0
        self._has_read = False

    def next(self) -> Steps[list[Batch] | None]:
        """The next batches, or none after a pause; None at the end."""
        batches = yield from self.poll()
        if self.pause:
            yield Pause(self.pause)
        return batches

    def poll(self) -> Steps[list[Batch] | None]:
        """The next batches, or none and a time to wait; None at the end."""
        self.pause = 0.0
        try:
            batches = yield from self.worker.round()
        except OUTAGES as error:
            self.note_outage(error)
            return []
        self._has_read, self._outages = True, 0
        if batches:
            self._quiet = self._polls = 0
            return batches
        return self._after_quiet_round()

    def note_outage(self, error: Exception) -> None:
        """Wait while DynamoDB cannot be reached; raises the error if it never could, or if nothing is to wait."""
        if not (self.follow and self._has_read):
            raise error
        self._outages += 1
        self.pause = min(MAX_PAUSE, FIRST_PAUSE * 2.0 ** min(self._outages, 20))
        log_outage(self.worker, self._outages, error)

    def _after_quiet_round(self) -> list[Batch] | None:
        if self.worker.looks_again:
            return []
        if self.follow or not self.worker.has_caught_up:
            # Soon again after the last records, and less and less often without any.
            self.pause = min(self.worker.settings.poll_seconds, _FIRST_POLL * 2.0 ** min(self._polls, 20))
            self._polls += 1
            if not self.follow:  # what it waits for are other workers, and what a second look has to confirm
                self.worker.look_again()
            return []
        self._quiet += 1
        self.worker.look_again()
        return None if self._quiet >= _QUIET_ROUNDS else []


class Consumption:
    """The rounds of one consumer with the delivery of what they read. It returns instead of waiting."""

    def __init__(self, rounds: Rounds, deliverer: Deliverer) -> None:
        self.rounds, self.deliverer = rounds, deliverer
        self._monotonic = rounds.worker.settings.monotonic
        self._waits_until = self._left = 0.0

    @property
    def pause(self) -> float:
        """How long this consumer has nothing to do: less by every pause, and by what others of the program take."""
        return max(0.0, min(self._left, self._waits_until - self._monotonic()))

    def has_paused(self, seconds: float) -> None:
        """Note that the program has waited."""
        self._left -= seconds

    def round(self, is_stopped: Callable[[], bool]) -> Steps[bool]:
        """One round, unless it is too early; False at the end, once it has caught up."""
        if self.pause:
            yield from self._renew()
            return True
        self.deliverer.pause = 0.0
        batches = yield from self.rounds.poll()
        for batch in batches or ():
            yield from self._deliver(batch, is_stopped)
        self._left = max(self.rounds.pause, self.deliverer.pause)
        self._waits_until = self._monotonic() + self._left
        return batches is not None

    def _deliver(self, batch: Batch, is_stopped: Callable[[], bool]) -> Steps[None]:
        if not is_stopped() and not self.deliverer.pause and not self.rounds.pause:
            try:
                yield from self.deliverer.deliver(batch, is_stopped)
            except OUTAGES as error:
                self.rounds.note_outage(error)

    def _renew(self) -> Steps[None]:
        try:
            yield from self.rounds.worker.renew()
        except OUTAGES:
            return  # the next round reports it


def process(consumers: Sequence[Consumption], is_stopped: Callable[[], bool]) -> Steps[None]:
    """Deliver the changes of consumers, one round of each after the other, until they end; then release leases."""
    running = list(consumers)
    for one in running:
        one.deliverer.companions = [each.rounds.worker for each in running if each is not one]
    try:
        while running and not is_stopped():
            for each in list(running):
                if not (yield from each.round(is_stopped)):
                    running.remove(each)
            pause = min((each.pause for each in running), default=0.0)
            if pause and not is_stopped():
                seconds = min(pause, _LONGEST_PAUSE)
                yield Pause(seconds)
                for each in running:
                    each.has_paused(seconds)
    finally:
        for each in consumers:
            try:
                yield from each.rounds.worker.stop()
            except OUTAGES as error:  # then its leases expire
                log_outage(each.rounds.worker, 1, error)
