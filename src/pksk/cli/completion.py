"""The command `pksk completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from pksk.cli.bash_words import register
from pksk.cli.commands import Choice, command

__all__ = ["completion"]


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
    register()
    kind = get_completion_class(shell)
    assert kind is not None
    # The template itself: source() would first start the shell to ask for its version.
    script = kind(ctx.find_root().command, {}, "pksk", "_PKSK_COMPLETE")
    click.echo(kind.source_template % script.source_vars())
