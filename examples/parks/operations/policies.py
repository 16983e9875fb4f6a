"""Policies: new ones, and new versions of them."""

from __future__ import annotations

from pksk import Contended, Store, TransactionFailed

from ..policies import LatestPolicy, PolicyVersion, publish_version
from ..sequences import policy_numbers

__all__ = ["new_policy", "publish"]

# Of all who publish at once one succeeds each time, so this many can.
_TRIES = 100


def new_policy(db: Store, policy_type: str, rules: dict[str, str]) -> PolicyVersion:
    """A policy with the next number of its type, in its first version."""
    return publish(db, policy_type, db.next(policy_numbers, policy_type=policy_type), rules)


def publish(db: Store, policy_type: str, policy_id: int, rules: dict[str, str]) -> PolicyVersion:
    """The next version of a policy, which is the latest from then on; where somebody else was first, the one after."""
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
    raise Contended(
        "store-contended", f"Policy {policy_type} {policy_id}: others keep publishing.", fix="try again."
    ) from failed
