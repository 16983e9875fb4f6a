"""The rule about keys that hold personal data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pksk.keys.parts.part import type_name
from pksk.model.declaration import Declaration
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import key_subject

_PERSONAL = re.compile(
    r"(?:^|_)(?:e_?mail|phone|mobile|ssn|social_security(?:_number)?|passport(?:_number)?|iban|card_number)(?:$|_)"
)


@rule("personal-data-in-key")
def personal_data_in_key(design: Design) -> Iterator[Finding]:
    """A key that holds an e-mail address, a telephone number or other personal data.

    ## What it does

    Finds fields in keys whose type is an e-mail address, or whose name is that of personal data.

    ## Why is this bad?

    Keys are seen where values are not: in logs, in error messages, in CloudWatch Contributor Insights, in addresses of
    pages. A primary key cannot be changed either, but people change their address. And text differs by case: a lookup
    of Ann@example.org does not find ann@example.org.

    ## Example

        primary = Key("USER#{email}", "PROFILE")

    ## Use instead

    A key that means nothing (`USER#{user_id}`), and an index with a hash of the address in lower case for the lookup.
    """
    for declaration, key in design.keys:
        names = [name for name in key.fields if _is_personal(declaration, name)]
        if names:
            yield Finding(
                personal_data_in_key.code,
                "info",
                key_subject(declaration, key),
                f"a key with {' and '.join(names)} appears in logs and metrics.",
                (),
                "use an id, and a hash of the value in lower case for the lookup.",
                certain=False,
            )


def _is_personal(declaration: Declaration, name: str) -> bool:
    return (
        bool(_PERSONAL.search(name.lower())) or type_name(declaration.fields[name].declared_as) == "EmailStr"
    )
