"""Help screens are at most 100 columns wide."""

import pytest

from thresher.cli.argument_parser import Commands
from thresher.cli.parser import parser


def screens(command=None, words="thresher"):
    """Each command below a command, with itself, by its words."""
    command = command or parser()
    yield pytest.param(command, id=words)
    for action in command._actions:
        if isinstance(action, Commands):
            for name, subcommand in action.choices.items():
                yield from screens(subcommand, f"{words} {name}")


SCREENS = list(screens())


@pytest.mark.parametrize("columns", [80, 250])
@pytest.mark.parametrize("command", SCREENS)
def test_help_fits_the_terminal_and_is_never_wider_than_100_columns(command, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    width = max(map(len, command.format_help().splitlines()))
    assert width <= min(columns, 100)


def test_help_of_all_commands_aligns_their_purposes(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    lines = parser().format_help().split("commands:\n")[1].split("\n\n")[0].splitlines()
    assert len(lines) == 10
    assert all(line[:2] == "  " and line[14:16] == "  " and line[16] != " " for line in lines)
