"""Policies: new ones, and new versions of them."""

from __future__ import annotations

from pksk import Store, TransactionFailed, WriteConflict

from ..errors import ParksError
from ..policies import LatestPolicy, PolicyVersion, publish_version
from ..sequences import policy_numbers

# In each round one of the concurrent publishers succeeds, so this many can publish at once.
_TRIES = 100


def new_policy(db: Store, policy_type: str, rules: dict[str, str]) -> PolicyVersion:
    """Create a policy with the next number of its type, in its first version.

    A number that was assigned by hand is skipped, and its policy stays as it is.
    """
    for _ in range(_TRIES):
        number = db.next(policy_numbers, policy_type=policy_type)
        first = PolicyVersion(policy_type=policy_type, policy_id=number, version=1, rules=rules)
        try:
            db.run(publish_version(first))
        except TransactionFailed:
            pass_over(db, policy_type)
        else:
            return first
    raise ParksError(f"Others keep assigning numbers of {policy_type} policies by hand.")


def pass_over(db: Store, policy_type: str) -> None:
    """Move the sequence of a type past the numbers that its policies have."""
    numbers = (policy.policy_id for policy in db.iter(LatestPolicy.of_type(policy_type)))
    db.reconcile(policy_numbers, max(numbers, default=0), policy_type=policy_type)


def publish(db: Store, policy_type: str, policy_id: int, rules: dict[str, str]) -> PolicyVersion:
    """Publish the next version of a policy as the latest; if another process was faster, the one after that."""
    failed: TransactionFailed | None = None
    for _ in range(_TRIES):
        latest = db.get(LatestPolicy.one(policy_type, policy_id))
        version = PolicyVersion(
            policy_type=policy_type,
            policy_id=policy_id,
            version=latest.version + 1 if latest else 1,
            rules=rules,
        )
        try:
            db.run(publish_version(version))
        except TransactionFailed as error:
            failed = error
        else:
            return version
    raise WriteConflict(
        "store-write-conflict", f"Policy {policy_type} {policy_id}: others keep publishing.", fix="try again."
    ) from failed
