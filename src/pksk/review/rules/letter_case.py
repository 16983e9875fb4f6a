"""The rule about texts in keys that people write in capitals or not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pksk.keys import Operator
from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.fields.operands import field_rule
from pksk.model.storing.core_schema import wrapped_nodes
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.queries import key_reads
from pksk.review.source_lines import key_subject, pattern_subject

# E-mail addresses have the rule about personal data.
_LOOKED_UP = re.compile(r"(?:.*_)?(?:user_?name|nickname|screen_?name|host_?name|domain_?name)")
_TYPED = re.compile(
    r"(?:(?:full|first|last|given|family|display|place|city|street)_?)?name|surname|title|city|street"
)


@rule("letter-case")
def letter_case(design: Design) -> Iterator[Finding]:
    """A text in a key that people write with capitals or without, and that is found only as it was written.

    ## What it does

    Finds keys with a user name or a host name, and queries for the beginning or a range of a name or a title, where the
    field is a plain text. Fields that are computed, that a validator changes (`to_lower`), or that have a pattern are
    not reported.

    ## Why is this bad?

    DynamoDB compares bytes. "Ann" and "ann" are two keys, so that two users can have one name, and a lookup of the
    other spelling finds nobody. In the order of bytes all capitals come before all small letters: "Zoe" is before
    "ann", and a range from "a" to "z" lacks both "Ann" and "Zoe".

    ## Example

        username: str
        primary = Key("USER#{username}", "PROFILE")

    ## Use instead

    One spelling in the key, and the name as people write it in another field:

        username: Annotated[str, StringConstraints(to_lower=True)]
        display_name: str
    """
    for declaration, key in design.keys:
        for name in key.fields:
            if _LOOKED_UP.fullmatch(name.lower()) and _is_plain_text(declaration, name):
                yield Finding(
                    letter_case.code,
                    "info",
                    key_subject(declaration, key),
                    f"field {name!r} is found only with the capitals that it was written with.",
                    (),
                    "store it in small letters, and keep the spelling of people in another field.",
                    certain=False,
                )
    for read in key_reads(design):
        for name, value in read.values.items():
            is_range = isinstance(value, Operator) and value.name in ("begins", "between")
            if is_range and _TYPED.fullmatch(name.lower()) and _is_plain_text(read.declaration, name):
                yield Finding(
                    letter_case.code,
                    "info",
                    pattern_subject(read.use.pattern),
                    f"its range of {name} finds only what is written with the same capitals.",
                    (),
                    "put the text in small letters into the key, for example by a computed field.",
                    certain=False,
                )


def _is_plain_text(declaration: Declaration, name: str) -> bool:
    """Whether a field is a text that no validator changes and no pattern restricts."""
    field = declaration.fields[name]
    if field.computed or field_type(field.annotation).type is not str:
        return False
    rule = field_rule(declaration, name)
    return not rule.converts and not any(each.get("pattern") for each in wrapped_nodes(rule.node, rule.known))
