"""The command `pksk completion`, and completion in bash of words with `=` and `:`."""

from __future__ import annotations

import os

import click
from click import shell_completion

from pksk.cli.commands import Choice, command

# The characters of COMP_WORDBREAKS in our arguments. Bash replaces only the text after the last of them.
_BREAKS = "=:"


def join_words(words: list[str], index: int) -> tuple[list[str], int]:
    """The words as the user typed them, and the new position of the one at `index`.

    Example:
        >>> join_words(["pksk", "key", "render", "T", "-t", "n", "=", "in"], 7)
        (['pksk', 'key', 'render', 'T', '-t', 'n=in'], 5)
    """
    joined: list[str] = []
    new_index = index
    after_break = False
    for at, word in enumerate(words):
        is_break = bool(word) and not word.strip(_BREAKS)
        if joined and (is_break or after_break):
            joined[-1] += word
        else:
            joined.append(word)
        after_break = is_break
        if at == index:
            new_index = len(joined) - 1
    return joined, new_index


class BashCompletion(shell_completion.BashComplete):
    """Completion in bash that joins `n`, `=` and `int` before it completes."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the incomplete one, and the incomplete one."""
        index = int(os.environ["COMP_CWORD"])
        words = shell_completion.split_arg_string(os.environ["COMP_WORDS"])
        joined, index = join_words(words + [""] * (index + 1 - len(words)), index)
        self._incomplete = joined[index]
        return joined[1:index], self._incomplete

    def format_completion(self, item: shell_completion.CompletionItem[str]) -> str:
        """The completion without the part that bash keeps."""
        start = max(self._incomplete.rfind(mark) for mark in _BREAKS) + 1
        return f"{item.type},{item.value[start:]}"


def register_bash_completion() -> None:
    """Let click use this completion."""
    shell_completion.add_completion_class(BashCompletion)


@command("pksk completion bash", "pksk completion zsh", "pksk completion fish")
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    It completes commands, options, files, types, access patterns and error codes.

    \b
    bash: add to ~/.bashrc                   eval "$(pksk completion bash)"
    zsh:  add to ~/.zshrc                    eval "$(pksk completion zsh)"
    fish: once, into its completions folder  pksk completion fish > ~/.config/fish/completions/pksk.fish
    """  # noqa: D301 - click wants the backspace itself
    register_bash_completion()
    kind = shell_completion.get_completion_class(shell)
    assert kind is not None
    # The template itself: source() would start the shell to find out its version.
    script = kind(ctx.find_root().command, {}, "pksk", "_PKSK_COMPLETE")
    click.echo(kind.source_template % script.source_vars())
