"""Help: examples that can be typed, suggestions for misspelt commands, completion, `--verbose`."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from thresher.cli import main
from thresher.cli.argument_parser import Parser, leaves
from thresher.cli.parser import parser

COMMANDS = {leaf.prog: leaf for leaf in leaves(parser())}


def exits(capsys, *words):
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    out, err = capsys.readouterr()
    return stopped.value.code, out, err


@pytest.mark.parametrize("prog", COMMANDS)
def test_each_command_has_examples_that_it_accepts(prog):
    command = COMMANDS[prog]
    assert isinstance(command, Parser)
    assert command.examples
    for example in command.examples:
        assert example.removeprefix("source <(").startswith(prog)
        assert example in " ".join(command.format_help().replace("\\\n", "").split())
        words = shlex.split(example.partition(" > ")[0].removeprefix("source <(").rstrip(")"), comments=False)
        parser().parse_args(words[1:])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu"], "unknown command 'rnu' (did you mean 'run'?); see `thresher --help`"),
        (["reprot", "x"], "unknown command 'reprot' (did you mean 'report'?)"),
        (["labels", "drwa"], "unknown command 'drwa' (did you mean 'draw'?); see `thresher labels --help`"),
        (["run", "qa", "--dta", "x"], "unknown option --dta (did you mean '--data'?); see `thresher run"),
        (["run", "qa", "--format", "mardown"], "--format: 'mardown' is not one of csv, excel, json"),
        (["run", "qa", "--format", "mardown"], "(did you mean 'markdown'?); see `thresher run --help`"),
        (["help", "comapre"], "unknown command 'comapre' (did you mean 'compare'?)"),
    ],
)
def test_a_misspelt_word_has_a_suggestion(capsys, words, message):
    code, out, err = exits(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [["run"], ["labels", "draw"], []])
def test_help_explains_what_the_option_explains(capsys, words):
    assert exits(capsys, "help", *words) == exits(capsys, *words, "--help")


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_the_completion_script_knows_commands_and_options(capsys, shell):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("inputs-below", "no-cache", "requirements"):
        assert word in script


def test_bash_completes_a_command(capsys, tmp_path):
    main(["completion", "bash"])
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out)
    ask = f"source {script}; COMP_WORDS=(thresher rep); COMP_CWORD=1; _shtab_thresher; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["report"]


def test_completion_without_its_package_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err == (
        "thresher: shtab is not installed: run `pip install 'thresher[completion]'`\n"
    )


def test_verbose_reports_versions_and_steps_on_standard_error(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("d.jsonl").write_text(json.dumps({"response": "a", "reference": "a"}) + "\n")
    assert main(["run", "--metrics", "exact_match", "--data", "d.jsonl", "-q"]) == 0
    silent = capsys.readouterr()
    assert not silent.err
    assert main(["run", "--metrics", "exact_match", "--data", "d.jsonl", "-q", "-v"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("thresher: thresher ")
    assert [line.partition(":")[2].rpartition(":")[0].strip() for line in lines[1:]] == [
        "read pipeline and data",
        "evaluate 1 item",
        "report",
        "whole command",
    ]
