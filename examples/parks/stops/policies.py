"""Policies: every version, and the latest under a key that does not change."""

from __future__ import annotations

from ...tour import Tour
from ..operations.policies import new_policy, publish
from ..policies import LatestPolicy, PolicyVersion
from .made import Made

__all__ = ["stop"]


def stop(tour: Tour, made: Made) -> None:
    """Ask for policies, and publish new versions."""
    tour.section("Policies: a version and the copy of it, in one transaction")
    versions = made.of(PolicyVersion, lambda each: f"v{each.version}", policy_type="fee", policy_id=2)
    tour.run(PolicyVersion.one("fee", 2, 1), versions[0])
    tour.run(PolicyVersion.of_policy("fee", 2), versions)
    tour.run(LatestPolicy.one("fee", 2), LatestPolicy(**versions[-1].model_dump()))
    latest = made.of(LatestPolicy, lambda each: each.policy_id, policy_type="fee")
    tour.run(
        LatestPolicy.of_type("fee"), lambda found: sorted(found, key=lambda each: each.policy_id) == latest
    )
    rules = {"adult": "12.00"}
    tour.call(
        "The next version",
        lambda db: publish(db, "fee", 2, rules),
        PolicyVersion(policy_type="fee", policy_id=2, version=versions[-1].version + 1, rules=rules),
    )
    tour.call(
        "A new policy, in its first version",
        lambda db: new_policy(db, "fee", rules),
        PolicyVersion(policy_type="fee", policy_id=3, version=1, rules=rules),
    )
