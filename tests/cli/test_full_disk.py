"""A full disk, in every command that writes: one line, exit code 3, and the old file stays."""

import os
from pathlib import Path

import pytest

from processes import Forked
from thresher import evaluate, open_run
from thresher.cli import main

LIMIT = 300
"""Bytes of the largest file; smaller than each file that is written here."""
PROGRAM = f"""
import resource, sys
from thresher.cli.main import main
sys.dont_write_bytecode = True  # Python would leave a truncated file, and break later imports of that module
resource.setrlimit(resource.RLIMIT_FSIZE, ({LIMIT}, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
sys.exit(main(sys.argv[1:]))
"""
GATE = ["gate", "run", "--require", "coverage(token_f1)>=0.01"]
FORMATS = ["csv", "excel", "html", "json", "latex", "markdown", "table"]
COMMANDS = [
    *(["report", "run", "--format", name, "-o", "file"] for name in FORMATS),
    ["report", "run", "--detailed", "--format", "excel", "-o", "file"],
    ["compare", "run", "other", "--format", "html", "-o", "file"],
    ["compare", "run", "other", "--format", "excel", "-o", "file"],
    ["thresholds", "run", "-o", "file"],
    ["inputs-below", "run", "--metric", "token_f1", "--threshold", "2", "-o", "file"],
    [*GATE, "-o", "file", "--format", "json"],
    [*GATE, "--junit", "file"],
    [*GATE, "--html", "file"],
    ["labels", "draw", "run", "--n", "5", "-o", "file"],
    ["verify", "run", "--format", "json", "-o", "file"],
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    ids, questions = [f"q{n}" for n in range(20)], ["why? " * 9 for _ in range(20)]
    for name in ("run", "other"):
        responses, references = [f"{name} {n % 3}" for n in range(20)], [f"run {n % 2}" for n in range(20)]
        data = {"id": ids, "question": questions, "response": responses, "reference": references}
        evaluate("qa", data, out=folder / name)
    return folder


@pytest.fixture
def folder(runs, tmp_path, monkeypatch):
    for name in ("run", "other"):
        (tmp_path / name).symlink_to(runs / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def limited(*words, folder):
    process = Forked(PROGRAM, *words, folder=folder)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_old_file_stays_and_one_line_is_printed(folder, words):
    (folder / "file").write_text("old")
    before = set(folder.iterdir())
    code, out, err = limited(*words, folder=folder)
    assert (code, out) == (3, ""), err
    assert err == "thresher: file cannot be written: File too large\n"
    assert (folder / "file").read_text() == "old"
    assert set(folder.iterdir()) == before
    assert main(words) == 0
    assert (folder / "file").stat().st_size > LIMIT


def test_a_run_stops_with_one_line_and_is_continued_when_there_is_room(folder):
    data = folder / "d.jsonl"
    data.write_text('{"id": "a", "response": "x", "reference": "x"}\n')
    words = ["run", "exact_match", "--data", "d.jsonl", "--out", "new", "--quiet"]
    code, out, err = limited(*words, folder=folder)
    assert (code, out, err) == (3, "", "thresher: new cannot be written: File too large\n")
    assert not [path for path in (folder / "new").rglob("*") if path.is_file()]
    assert main(words) == 0
    assert open_run("new").provenance["complete"]


def test_a_chunk_without_room_leaves_the_committed_ones(folder):
    """Parts grow, the first fits: only the second is missing."""
    texts = ["x", os.urandom(4000).hex()]
    rows = [f'{{"id": "{n}", "response": "{text}", "reference": "x"}}' for n, text in enumerate(texts)]
    (folder / "d.jsonl").write_text("\n".join(rows))
    words = ["run", "exact_match", "--data", "d.jsonl", "--out", "new", "--chunk-size", "1", "--quiet"]
    program = PROGRAM.replace(f"({LIMIT}, ", "(7000, ")
    process = Forked(program, *words, folder=folder)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (3, "thresher: new cannot be written: File too large\n")
    assert sorted(path.name for path in (folder / "new" / "parts").iterdir()) == ["part-00000.parquet"]
    assert not open_run("new").provenance["complete"]
    assert main(words) == 0


def test_an_answer_cache_without_room_is_one_line_too(folder):
    (folder / "d.jsonl").write_text('{"id": "a", "response": "x"}\n')
    judge = ["--judge-model", "m", "--judge-url", "http://127.0.0.1:9/v1", "--cache", "c.sqlite"]
    words = ["run", "valor_coherence", "--data", "d.jsonl", "--out", "new", "--quiet", *judge]
    code, out, err = limited(*words, folder=folder)
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("thresher: the answer cache c.sqlite cannot be written (")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
@pytest.mark.parametrize("words", ["report run", "list", "verify run", " ".join(GATE)])
def test_a_full_standard_output_is_one_line_too(folder, words):
    program = "import os\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)\n" + PROGRAM
    process = Forked(program, *words.split(), folder=folder)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 3
    assert err == "thresher: standard output cannot be written: No space left on device\n"
