"""Completion in bash of words with `=` and `:` in them, which bash takes apart."""

from __future__ import annotations

import os

from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

__all__ = ["WholeWords", "joined", "register"]

# The characters of COMP_WORDBREAKS that stand in our arguments. Bash replaces only what follows the last of them.
_BREAKS = "=:"


def joined(words: list[str], index: int) -> tuple[list[str], int]:
    """Words as a person typed them, and where the one at `index` went.

    Example:
        >>> joined(["pksk", "key", "render", "T", "-t", "n", "=", "in"], 7)
        (['pksk', 'key', 'render', 'T', '-t', 'n=in'], 5)
    """
    whole: list[str] = []
    place = index
    open_ended = False
    for at, word in enumerate(words):
        is_break = bool(word) and not word.strip(_BREAKS)
        if whole and (is_break or open_ended):
            whole[-1] += word
        else:
            whole.append(word)
        open_ended = is_break
        if at == index:
            place = len(whole) - 1
    return whole, place


class WholeWords(BashComplete):
    """Bash's completion, which puts `n`, `=` and `int` together again before it looks them up."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being typed, and that one."""
        index = int(os.environ["COMP_CWORD"])
        words = split_arg_string(os.environ["COMP_WORDS"])
        whole, place = joined(words + [""] * (index + 1 - len(words)), index)
        self._typed = whole[place]
        return whole[1:place], self._typed

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The completion without what stands before bash's own last word."""
        kept = max(self._typed.rfind(mark) for mark in _BREAKS) + 1
        return f"{item.type},{item.value[kept:]}"


def register() -> None:
    """Let click use it."""
    add_completion_class(WholeWords)
