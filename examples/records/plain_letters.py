"""Text in plain letters, without accents and case, as people type it."""

from __future__ import annotations

import unicodedata
from typing import Final

# Letters that Unicode does not decompose into a plain letter and an accent. Case folding makes "ss" of "ß".
_LETTERS: Final = str.maketrans(
    {
        "æ": "ae",
        "đ": "d",
        "ð": "d",
        "ə": "e",
        "ħ": "h",
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
        "ł": "l",
        "ŋ": "n",
        "ø": "o",
        "œ": "oe",
        "ŧ": "t",
        "þ": "th",
    }
)


def plain_letters(text: str) -> str:
    """A text without accents and case.

    Each letter is replaced by itself, so the beginning of a text becomes the beginning of its plain letters.

    Example:
        >>> [plain_letters(each) for each in ("Évreux", "İstanbul", "Łódź", "STRASSE", "Straße", "E\u0301vreux")]
        ['evreux', 'istanbul', 'lodz', 'strasse', 'strasse', 'evreux']
    """
    apart = unicodedata.normalize("NFKD", text)
    bare = "".join(each for each in apart if not unicodedata.combining(each))
    return bare.casefold().translate(_LETTERS)
