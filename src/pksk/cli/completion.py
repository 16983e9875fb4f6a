"""The command `pksk completion`, and completion in bash of words with `=` and `:` in them."""

from __future__ import annotations

import os

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from pksk.cli.commands import Choice, command

__all__ = ["BashCompletion", "completion", "join_words", "register_bash_completion"]

# The characters of COMP_WORDBREAKS that stand in our arguments. Bash replaces only what follows the last of them.
_BREAKS = "=:"


def join_words(words: list[str], index: int) -> tuple[list[str], int]:
    """Words as a person typed them, and where the one at `index` went.

    Example:
        >>> join_words(["pksk", "key", "render", "T", "-t", "n", "=", "in"], 7)
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


class BashCompletion(BashComplete):
    """Bash's completion, which puts `n`, `=` and `int` together again before it looks them up."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being typed, and that one."""
        index = int(os.environ["COMP_CWORD"])
        words = split_arg_string(os.environ["COMP_WORDS"])
        whole, place = join_words(words + [""] * (index + 1 - len(words)), index)
        self._typed = whole[place]
        return whole[1:place], self._typed

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The completion without what stands before bash's own last word."""
        kept = max(self._typed.rfind(mark) for mark in _BREAKS) + 1
        return f"{item.type},{item.value[kept:]}"


def register_bash_completion() -> None:
    """Let click use it."""
    add_completion_class(BashCompletion)


@command("pksk completion bash", "pksk completion zsh", "pksk completion fish")
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    It completes commands, options, types and error codes.

    \b
    bash: add to ~/.bashrc                   eval "$(pksk completion bash)"
    zsh:  add to ~/.zshrc                    eval "$(pksk completion zsh)"
    fish: once, into its completions folder  pksk completion fish > ~/.config/fish/completions/pksk.fish
    """  # noqa: D301 - click wants the backspace itself
    register_bash_completion()
    kind = get_completion_class(shell)
    assert kind is not None
    # The template itself: source() would first start the shell to ask for its version.
    script = kind(ctx.find_root().command, {}, "pksk", "_PKSK_COMPLETE")
    click.echo(kind.source_template % script.source_vars())
