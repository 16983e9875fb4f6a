"""Names of people, common ones first, and variants of their spelling."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def names(text: str) -> list[str]:
    return text.split()


GIVEN_NAMES = names(
    "Mary John William Elizabeth James Sarah George Margaret Thomas Anna Charles Martha Joseph Catherine Henry Jane "
    "Samuel Nancy David Ellen Robert Susan Benjamin Rebecca Daniel Hannah Jacob Emma Isaac Lucy Andrew Clara Peter "
    "Frances Abraham Ruth Edward Harriet Michael Rachel Patrick Bridget Hugh Agnes Francis Lydia"
)
WOMEN = names(
    "Mary Elizabeth Sarah Margaret Anna Martha Catherine Jane Nancy Ellen Susan Rebecca Hannah Emma Lucy Clara Frances "
    "Ruth Harriet Rachel Bridget Agnes Lydia"
)
MEN = [name for name in GIVEN_NAMES if name not in WOMEN]
SURNAMES = names(
    "Smith Johnson Miller Brown Jones Davis Williams Wilson Taylor Moore Anderson Clark Thompson White Martin Lewis "
    "Walker Hall Young King Wright Hill Scott Adams Baker Campbell Mitchell Roberts Carter Phillips Evans Turner "
    "Parker Collins Edwards Stewart Morris Murphy Cook Rogers Morgan Cooper Peterson Reed Bailey Kelly Howard Ward "
    "Cox Richardson Wood Watson Brooks Bennett Gray Hughes Price Myers Long Foster Sanders Ross Powell Sullivan"
)
GIVEN_VARIANTS = {
    "mary": ["maria", "marie", "polly", "molly", "mary ann"],
    "john": ["johann", "johannes", "jno", "jack"],
    "william": ["wm", "wilhelm", "bill", "will"],
    "elizabeth": ["eliza", "elisabeth", "betsy", "bess", "lizzie"],
    "james": ["jas", "jacobus", "jim"],
    "margaret": ["margt", "peggy", "maggie", "margarethe"],
    "catherine": ["katherine", "catharine", "kate", "kitty"],
    "anna": ["ann", "anne", "hannah", "nancy"],
}
SURNAME_VARIANTS = {
    "smith": ["smyth", "smythe", "schmidt", "schmitt"],
    "johnson": ["johnston", "johnstone", "jonson"],
    "miller": ["mueller", "müller", "millar"],
    "brown": ["browne", "braun"],
    "clark": ["clarke", "clerk"],
    "thompson": ["thomson", "tompson"],
    "kelly": ["kelley", "o'kelly"],
    "sullivan": ["o'sullivan", "sulivan"],
}


def often(random: Random, values: Sequence[T]) -> T:
    """One of some values, the first ones far more often."""
    return values[int(len(values) * random.random() ** 2)]
