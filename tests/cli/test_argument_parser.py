"""Help screens: every option explained, at most 100 columns wide."""

import argparse

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


@pytest.mark.parametrize("command", SCREENS)
def test_help_explains_every_option(command):
    for action in command._actions:
        assert isinstance(action, Commands) or len((action.help or "").split()) > 1, action.option_strings


@pytest.mark.parametrize("command", SCREENS)
def test_help_names_the_default_of_every_option_that_has_one(command):
    for action in command._actions:
        default = action.default
        if action.option_strings and default not in (None, False, [], argparse.SUPPRESS):
            assert "(default: " in action.help, action.option_strings


def test_help_of_all_commands_aligns_their_purposes(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    lines = parser().format_help().split("commands:\n")[1].split("\n\n")[0].splitlines()
    commands = next(action.choices for action in parser()._actions if isinstance(action, Commands))
    assert [line.split()[0] for line in lines] == list(commands)
    assert all(line[:2] == "  " and line[14:16] == "  " and line[16] != " " for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["report", "a", "--metrc", "m"],
            "unknown option --metrc (did you mean '--metric'?); see `thresher report --",
        ),
        (["labels", "draw", "a", "--xyz=1"], "unknown option --xyz; see `thresher labels draw --help`"),
        (
            ["report", "a", "b"],
            "unexpected argument 'b'; `thresher compare` takes several runs; see `thresher report --help`",
        ),
        (
            ["run", "token_f1", "a=1.jsonl"],
            "unexpected argument 'a=1.jsonl'; give data as --data a=1.jsonl; see `thresher run --help`",
        ),
        (["--xyz", "list"], "unknown option --xyz; see `thresher --help`"),
        (
            ["run", "--metrics", "bleu,chrf", "--data", "d.jsonl", "--map", "a=questions", "b=contexts"],
            "unexpected argument 'b=contexts'; repeat the option: --map b=contexts; see `thresher run",
        ),
        (
            ["run", "token_f1", "--map=a=questions", "b=contexts", "--data", "d.jsonl"],
            "unexpected argument 'b=contexts'; repeat the option: --map b=contexts; see `thresher run",
        ),
        (
            ["run", "--metrics", "bleu,", "chrf", "--data", "d.jsonl"],
            "unexpected argument 'chrf'; write lists without spaces: --metrics bleu,chrf; see `thresher run",
        ),
        (
            ["run", "--metrics", "bleu,", "chrf,", "ter", "--data", "d.jsonl"],
            "unexpected argument 'ter'; write lists without spaces: --metrics bleu,chrf,ter; see ",
        ),
        (
            ["run", "--metrics=bleu,", "chrf", "--data", "d.jsonl"],
            "unexpected argument 'chrf'; write lists without spaces: --metrics=bleu,chrf; see `thresher run",
        ),
        (
            ["run", "bleu", ",", "chrf", "--data", "d.jsonl"],
            "unexpected argument ','; write lists without spaces: bleu,chrf; see `thresher run --help`",
        ),
        (
            ["gate", "runs/a", "bleu>=0.5"],
            "unexpected argument 'bleu>=0.5'; give requirements as --require 'bleu>=0.5'; see `thresher gate",
        ),
        (
            ["gate", "runs/a", "runs/b", "--require", "bleu>=0.5"],
            "unexpected argument 'runs/b'; give the run to compare with as --baseline runs/b; see",
        ),
        (
            ["estimate", "--metrics", "bleu", "--data", "1.jsonl", "2.jsonl"],
            "unexpected argument '2.jsonl'; name several files as a folder or a quoted pattern: --data",
        ),
        (
            ["run", "bleu", "--data", "d.jsonl", "--quiet", "chrf"],
            "unexpected argument 'chrf'; see `thresher run --help`",
        ),
    ],
)
def test_unknown_arguments_name_the_command_whose_help_lists_them(capsys, words, message):
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith(f"thresher: {message}")


@pytest.mark.parametrize("command", SCREENS)
def test_options_that_are_seldom_needed_are_last(command):
    groups = [group for group in command._action_groups if group._group_actions]
    seldom = {"--plugin", "--read-limit"}
    for group in groups[:-1]:
        assert not seldom & {word for action in group._group_actions for word in action.option_strings}


@pytest.mark.parametrize("command", SCREENS)
def test_usage_fits_two_lines(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert len(command.format_usage().splitlines()) <= 2
