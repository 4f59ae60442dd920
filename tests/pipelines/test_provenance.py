import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import thresher
from thresher import build, evaluate, metric_class, open_run, read_dataset, save_run
from thresher.judges import asking, judge_named
from thresher.native.library import kernels_in_use
from thresher.pipelines.provenance import provenance, usage_since
from thresher.reports.rendering.text import plain

ANSWERS = {"question": ["a?", "b?"], "predicted_answers": ["x", "y"], "ground_truth_answers": ["x", "z"]}


def test_runs_in_memory_and_in_a_folder_say_the_same_of_themselves(tmp_path):
    data = read_dataset(ANSWERS)
    memory = evaluate(["token_f1"], data, name="n").provenance
    disk = evaluate(["token_f1"], data, name="n", out=tmp_path / "run").provenance
    only_on_disk = {"format", "identity", "chunk_size", "data", "started_in"}
    assert disk.keys() - only_on_disk == memory.keys()
    for key in ("name", "items", "ids_given", "pipeline", "pipeline_yaml", "signatures", "complete"):
        assert memory[key] == disk[key]
    assert memory["provenance"]["packages"] == disk["provenance"]["packages"]
    assert memory["provenance"]["kernels"] == kernels_in_use()
    assert memory["seconds"] >= 0
    assert json.loads(json.dumps(plain(memory), allow_nan=False)) == dict(memory)
    assert dict(open_run(tmp_path / "run").provenance) == dict(disk)


def test_what_was_chosen_is_told_from_what_was_left_as_it_is():
    metrics = {
        "em": metric_class("exact_match")(lowercase=True),
        "rating": metric_class("recorded_scores")(column="rating"),
    }
    data = read_dataset({**ANSWERS, "rating": [1, 2]})
    arguments = evaluate(metrics, data, chunk_size=7).provenance["provenance"]["arguments"]
    assert arguments["given"] == {"chunk_size": 7, "em.lowercase": True, "rating.column": "rating"}
    assert {"retry_failed=False", "em.normalization='squad'", "rating.direction='higher'"} <= set(
        arguments["defaulted"]
    )


def test_a_run_kept_later_keeps_its_provenance(tmp_path):
    results = evaluate(["token_f1"], ANSWERS)
    save_run(results, tmp_path / "kept")
    kept = open_run(tmp_path / "kept").provenance
    assert kept["provenance"] == results.provenance["provenance"]
    assert kept["signatures"] == results.provenance["signatures"]
    assert kept["complete"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder in which git looks for a repository."""
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def repository(folder):
    (folder / "file").write_text("one")
    for words in ("init -q", "add file", "-c user.name=n -c user.email=e@e commit -q -m one"):
        subprocess.run(["git", *words.split()], check=True)
    return folder


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()


def test_the_commit_of_the_working_folder_is_read(repository, tmp_path_factory, monkeypatch):
    head = git("rev-parse", "HEAD")
    assert provenance()["git"] == {"commit": head}
    (repository / "below").mkdir()
    monkeypatch.chdir(repository / "below")
    assert provenance()["git"] == {"commit": head}
    git("pack-refs", "--all")
    assert provenance()["git"] == {"commit": head}
    git("checkout", "-q", "--detach")
    assert provenance()["git"] == {"commit": head}
    linked = tmp_path_factory.mktemp("trees") / "linked"
    git("worktree", "add", "-q", "-b", "other", str(linked))
    monkeypatch.chdir(linked)
    assert provenance()["git"] == {"commit": head}


@pytest.mark.parametrize("how", ["fsmonitor", "filter", "hooks"])
def test_a_foreign_repository_runs_nothing(repository, how):
    settings = {
        "fsmonitor": ("core.fsmonitor", 'touch "$PWD/PWNED"; false'),
        "filter": ("filter.f.clean", "touch PWNED; cat"),
        "hooks": ("core.hooksPath", str(repository)),
    }
    git("config", *settings[how])
    (repository / ".gitattributes").write_text("* filter=f")
    (repository / "post-index-change").write_text("#!/bin/sh\ntouch PWNED")
    (repository / "post-index-change").chmod(0o755)
    (repository / "file").touch()
    evaluate(["token_f1"], read_dataset(ANSWERS), out=repository / "run")
    assert set(provenance()["git"]) == {"commit"}
    assert not (repository / "PWNED").exists()


@pytest.mark.parametrize(
    "head",
    ["ref: refs/../../secret", "ref: /etc/passwd", "ref: refs/heads/none", "x" * 100, "", "\0", "ref: "],
)
def test_a_damaged_repository_is_no_error(folder, head):
    (folder / "secret").write_text("not a commit")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text(head)
    assert provenance()["git"] is None
    (folder / ".git" / "HEAD").unlink()
    os.mkfifo(folder / ".git" / "HEAD")
    assert provenance()["git"] is None


def test_a_link_out_of_the_folder_yields_a_commit_or_nothing(folder):
    (folder / ".git").write_text("gitdir: /proc/self")
    assert provenance()["git"] is None
    (folder / ".git").write_text("secret")
    assert provenance()["git"] is None


@pytest.mark.parametrize(
    "way", ["HEAD", "refs", "a reference", "commondir", "packed-refs", "a loop", "a server"]
)
def test_no_text_of_another_file_is_taken_for_a_commit(folder, way):
    token = "0123456789abcdef" * 2 + "01234567"
    secrets, git = folder / "secrets", folder / ".git"
    (secrets / "heads").mkdir(parents=True)
    (git / "refs" / "heads").mkdir(parents=True)
    for name in ("HEAD", "heads/main"):
        (secrets / name).write_text(token)
    (secrets / "packed-refs").write_text(f"{token} refs/heads/main")
    (git / "HEAD").write_text("ref: refs/heads/main")
    links = {
        "HEAD": ("HEAD", secrets / "HEAD"),
        "refs": ("refs", secrets),
        "a reference": ("refs/heads/main", secrets / "HEAD"),
        "packed-refs": ("packed-refs", secrets / "packed-refs"),
        "a loop": ("refs", git / "refs"),
    }
    if way in links:
        place, target = links[way]
        if way in ("refs", "a loop"):
            (git / "refs" / "heads").rmdir()
            (git / "refs").rmdir()
        elif way == "HEAD":
            (git / "HEAD").unlink()
        (git / place).symlink_to(target)
    else:
        texts = {"commondir": "\0", "a server": f"/{folder}/x"}
        (git / "commondir").write_text(texts[way])
        shared = folder / "x" / "refs" / "heads"
        shared.mkdir(parents=True)
        (shared / "main").write_text(token)
    assert provenance()["git"] is None


@pytest.mark.usefixtures("folder")
def test_neither_a_missing_repository_nor_a_missing_commit_is_an_error():
    assert provenance()["git"] is None
    subprocess.run(["git", "init", "-q"], check=True)
    assert provenance()["git"] is None


def test_no_module_of_the_package_starts_a_program():
    starters = re.compile(r"\b(subprocess|os\.system|os\.popen|os\.exec\w+|os\.spawn\w+|pty)\b")
    package = Path(thresher.__file__).parent
    assert not [path for path in package.rglob("*.py") if starters.search(path.read_text(encoding="utf-8"))]


def hostile_modules(folder):
    """Modules that Python, Thresher or its workers import, in a folder of data."""
    names = "numpy haystack yaml pyarrow typing pickle socket struct tempfile multiprocessing selectors evil"
    for name in names.split():
        (folder / f"{name}.py").write_text(f"open('PWNED-{name}', 'w').close()")
    info = folder / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[thresher.metrics]\nevil = evil\n[thresher.executors]\nevil = evil:X\n"
    )
    (folder / "evil.pth").write_text("import evil")
    (folder / "matplotlibrc").write_text("backend: module://evil")
    (folder / "d.jsonl").write_text('{"response": "a", "reference": "a"}\n' * 3)


def test_modules_of_the_working_folder_are_not_imported(folder):
    hostile_modules(folder)
    words = "-m thresher run exact_match --data d.jsonl --out r --workers 2 --chunk-size 1"
    subprocess.run([sys.executable, *words.split()], check=True, capture_output=True)
    assert not [*folder.glob("PWNED*")]


def test_workers_of_a_program_import_no_module_of_the_working_folder(folder, tmp_path_factory):
    hostile_modules(folder)
    program = tmp_path_factory.mktemp("program") / "program.py"
    call = "thresher.evaluate(['exact_match'], 'd.jsonl', out='r', workers=2, chunk_size=1)"
    program.write_text(f"import thresher\nif __name__ == '__main__':\n    {call}\n")
    subprocess.run([sys.executable, str(program)], check=True, capture_output=True)
    assert not [*folder.glob("PWNED*")]


def test_what_one_run_asked_is_told_apart_from_what_was_asked_before(tmp_path):
    from judges.mock_server import MockServer, running
    from judges.rag_items import columns, rag_items

    mock = MockServer()
    data = read_dataset(columns(rag_items(3)))
    with running(mock) as url, asking(cache=False):
        judge = judge_named("mock", url)
        pipeline = build([metric_class("valor_answer_relevance")(chat_generator=judge)])
        first, second = (evaluate(pipeline, data).provenance["asking"] for _ in range(2))
    assert first[0]["calls"] == second[0]["calls"] == mock.calls / 2
    assert first[0]["prompt_tokens"] > 0
    assert evaluate(["token_f1"], ANSWERS).provenance["asking"] == []


def test_differences_of_accounts():
    before = {"calls": 2, "known": 0, "cost": None, "failures": {"timeout": 1}, "notes": []}
    after = {"calls": 5, "known": 1, "cost": None, "failures": {"timeout": 1, "refused": 2}, "notes": ["n"]}
    assert usage_since(before, after) == {
        "calls": 3,
        "known": 1,
        "cost": None,
        "failures": {"refused": 2},
        "notes": ["n"],
    }
    assert usage_since(after, after) is None


def test_a_run_in_a_folder_asks_git_once(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr("thresher.pipelines.provenance._git", lambda: calls.append("git"))
    evaluate(["token_f1"], read_dataset(ANSWERS), out=tmp_path / "run")
    assert calls == ["git"]
