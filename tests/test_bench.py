import importlib.util
import re
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
PEERS = ("sacrebleu", "fastchrf", "rouge_score", "rouge_score_rs")


@pytest.fixture
def run():
    spec = importlib.util.spec_from_file_location("benchmarks_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_benchmark_is_run_with_options_that_it_has(run):
    scripts = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")}
    runnable = {name for name, text in scripts.items() if "__main__" in text} - {"run"}
    assert runnable == set(run.SMALL)
    for name, options in run.SMALL.items():
        given = {option for option in options or () if option.startswith("--")}
        assert given <= set(re.findall(r'"(--[a-z-]+)"', scripts[name])), name


@pytest.fixture
def scripts(run, tmp_path, monkeypatch):
    """Three scripts: two that print their options, one that fails."""
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text("import sys\nprint('options', sys.argv[1:])\n")
    (tmp_path / "broken.py").write_text("raise SystemExit(3)\n")
    monkeypatch.setattr(run, "FOLDER", tmp_path)
    monkeypatch.setattr(run, "SMALL", {"broken": ("--n", "1"), "first": ("--n", "1"), "second": None})


@pytest.mark.usefixtures("scripts")
def test_a_failing_script_is_reported_and_the_others_run(run, capfd):
    assert run.main([]) == 1
    printed, errors = capfd.readouterr()
    assert "exit code 3" in printed
    assert "options ['--n', '1']" in printed
    assert "second.py is left out" in printed
    assert errors == "failed: broken\n"


@pytest.mark.usefixtures("scripts")
def test_full_runs_a_chosen_script_with_its_own_sizes(run, capfd):
    assert run.main(["--full", "--only", "second"]) == 0
    printed = capfd.readouterr().out
    assert "options []" in printed
    assert "first" not in printed


def test_a_peer_that_is_not_installed_is_left_out_with_a_word(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(FOLDER))
    import text

    monkeypatch.delitem(sys.modules, "text")
    monkeypatch.setattr(text.importlib.util, "find_spec", lambda _: None)
    peers = [contest.name.partition(" ")[0] for contest in text.contests(10)]
    assert set(peers) == {"nltk", "SQuAD's"}
    left_out = [f"{peer} is not installed: left out" for peer in PEERS]
    assert capsys.readouterr().out.splitlines() == left_out
