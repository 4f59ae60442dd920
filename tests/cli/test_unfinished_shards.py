"""Commands that open a run with unfinished shards name them, with the option that computes each."""

import pytest

from thresher import RunDirectoryError, evaluate, open_run
from thresher.cli import main

NAMED = (
    "epeat the command of the run with each of --shard 2/3, --shard 3/3, unless that shard is still running"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluate(["exact_match"], answers("y"), out="whole", chunk_size=2)
    evaluate(["exact_match"], answers("x"), out="run", chunk_size=2, shard=(1, 3))
    return tmp_path


def answers(text):
    return {"id": [f"i{n}" for n in range(6)], "response": [text] * 6, "reference": ["x"] * 6}


@pytest.mark.parametrize(
    "words",
    [
        ["report", "run"],
        ["gate", "run", "--require", "exact_match>=0.1"],
        ["verify", "run"],
        ["compare", "run", "whole"],
        ["leaderboard", "run", "whole"],
        ["trend", "run", "whole"],
        ["thresholds", "run"],
        ["inputs-below", "run", "--metric", "exact_match", "--threshold", "0.5"],
        ["export", "run"],
        ["labels", "draw", "run", "--metric", "exact_match"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_names_the_shards_to_run_again(folder, capsys, words):
    main(words)
    said = capsys.readouterr()
    assert NAMED in said.out + said.err
    assert "un it again" not in said.out + said.err
    assert "un again" not in said.out + said.err


def test_the_sentence_of_an_undecided_requirement_names_them(folder):
    (decision,) = open_run("run").gate(["exact_match>=0.1"]).decisions
    assert (
        f"the run is unfinished: 2 of 6 items are done; r{NAMED}, or plan looks at its" in decision.sentence
    )


def test_verify_names_shards_with_damaged_parts_only(folder, capsys):
    evaluate(["exact_match"], answers("x"), out="run", chunk_size=2, shard=(2, 3))
    (part,) = (folder / "run" / "parts").glob("*00001*")
    part.write_bytes(part.read_bytes()[:-9])
    assert main(["verify", "run"]) == 3
    assert NAMED in capsys.readouterr().out


def test_a_run_without_scores_names_them(folder):
    for part in (folder / "run" / "parts").iterdir():
        part.unlink()
    with pytest.raises(RunDirectoryError, match=r"no scores yet.*: repeat the command .* --shard 1/3, "):
        open_run("run")
