"""Runs of files that are read by chunk: the results of data in memory."""

import json
import os
import shutil

import pytest

from datasets.sources.chunked import use_small_blocks
from thresher import InputError, RunDirectoryError, evaluate, open_run, read_dataset, read_trec
from thresher.cli.main import main
from thresher.datasets.sources import FileSource, open_source
from thresher.files.temporary import reserve
from thresher.pipelines.library import load_recipe
from thresher.pipelines.parts import part_name

METRICS = "exact_match,token_f1"


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A file of 25 rows with repeated questions, read in blocks of three."""
    use_small_blocks(monkeypatch, 3)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in items()))
    return path


def items(size=25):
    answers = ["a", "a b", "c"]
    return [
        {"question": f"q{n % 4}", "response": answers[n % 3], "reference": "a b", "n": n} for n in range(size)
    ]


def content(results):
    """Everything but how the run came about."""
    return {key: value for key, value in results.to_dict().items() if key not in {"provenance", "name"}}


def test_a_run_of_a_file_has_the_results_of_data_in_memory(rows, tmp_path, capsys):
    results = evaluate(METRICS, rows, out=tmp_path / "run", chunk_size=4)
    expected = evaluate(METRICS, read_dataset(rows))
    assert content(results) == content(expected)
    assert content(open_run(tmp_path / "run")) == content(expected)
    assert results.provenance["data"] == read_dataset(rows).fingerprint()
    assert list((tmp_path / "run/source").iterdir())
    assert main(["verify", str(tmp_path / "run")]) == 0
    assert "source" not in capsys.readouterr().out


def test_a_source_without_a_folder_is_read_whole(rows):
    source = open_source(rows)
    assert isinstance(source, FileSource)
    assert content(evaluate(METRICS, source)) == content(evaluate(METRICS, read_dataset(rows)))


def staged(run):
    return list((run / "source").rglob("*.parquet"))


def test_a_run_continues_with_its_stage_which_is_deleted_at_the_end_and_in_memory(
    rows, tmp_path, monkeypatch
):
    run = tmp_path / "run"
    evaluate(METRICS, rows, out=run, chunk_size=4, shard=(1, 2))
    assert staged(run)
    with monkeypatch.context() as context:
        context.setattr("thresher.datasets.sources.opening.stage_rows", None)
        results = evaluate(METRICS, rows, out=run)
    assert not staged(run)
    assert content(results) == content(evaluate(METRICS, read_dataset(rows)))
    (run / "parts/part-00002.parquet").unlink()
    assert content(evaluate(METRICS, rows, out=run)) == content(results)
    assert not staged(run)
    (run / "parts/part-00002.parquet").unlink()
    assert content(evaluate(METRICS, read_dataset(rows), out=tmp_path / "run")) == content(results)


def test_other_data_do_not_touch_the_index_of_a_run(rows, tmp_path):
    evaluate(METRICS, rows, out=tmp_path / "run", chunk_size=4)
    before = sorted((tmp_path / "run/source").rglob("*"))
    other = tmp_path / "other.jsonl"
    other.write_text(rows.read_text() * 2)
    with pytest.raises(RunDirectoryError, match="other data"):
        evaluate(METRICS, other, out=tmp_path / "run")
    assert sorted((tmp_path / "run/source").rglob("*")) == before
    results = evaluate(METRICS, other, out=tmp_path / "run", overwrite=True)
    assert len(results) == 50
    assert not (tmp_path / ".run.replaced").exists()


def test_the_command_line_streams_with_its_options(rows, tmp_path, capsys):
    columns = [*["--map", "n=number"], *["--limit", "9"], "--quiet"]
    assert main(["run", METRICS, "--data", str(rows), "--out", str(tmp_path / "run"), *columns]) == 0
    capsys.readouterr()
    results = open_run(tmp_path / "run")
    assert len(results) == 9
    assert list(results.inputs["number"]) == list(range(9))
    assert list((tmp_path / "run/source").iterdir())


def test_bad_rows_are_refused_before_anything_is_written(rows, tmp_path):
    rows.write_text(rows.read_text() + '{"question": "q", "response": {"a": "\\ud83d"}}\n')
    with pytest.raises(InputError, match="response"):
        evaluate(METRICS, rows, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_of_trec_files_has_the_results_of_the_whole(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)
    lines = [f"q{n % 9} Q0 d{n} 0 {n % 5} t\n" for n in range(60)]
    (tmp_path / "mine.run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d{n + 9} 1\n" for n in range(12)))
    files = ["--run", str(tmp_path / "mine.run"), "--qrels", str(tmp_path / "qrels"), "--quiet"]
    monkeypatch.chdir(tmp_path)
    assert main(["run", "retrieval", *files, "--chunk-size", "4"]) == 0
    assert len(open_run("runs/mine")) == 12
    whole = evaluate(load_recipe("retrieval"), read_trec(tmp_path / "mine.run", tmp_path / "qrels"))
    assert content(open_run("runs/mine")) == content(whole)
    assert main(["run", "retrieval", *files, "--chunk-size", "4", "--name", "parts", "--shard", "1/2"]) == 0
    monkeypatch.setattr("thresher.datasets.sources.trec_source._RunReading", None)  # the stage is used
    assert main(["run", "retrieval", *files, "--name", "parts"]) == 0
    assert content(open_run("runs/parts")) | {"run": ""} == content(whole) | {"run": ""}
    capsys.readouterr()


def indices(run):
    return {path.name for path in (run / "source").iterdir()}


def test_the_index_of_a_run_that_is_replaced_is_deleted(rows, tmp_path):
    run = tmp_path / "run"
    evaluate(METRICS, rows, out=run)
    first = indices(run)
    shutil.rmtree(run / "parts")  # a run without scores is replaced
    rows.write_text(json.dumps(items()[1]) + "\n" + rows.read_text())
    assert len(evaluate(METRICS, rows, out=run)) == 26
    assert len(indices(run)) == 1
    assert indices(run).isdisjoint(first)


def test_verify_clean_deletes_indices_that_the_run_does_not_use(rows, tmp_path, capsys):
    run = tmp_path / "run"
    evaluate(METRICS, rows, out=run)
    unused = indices(run)
    os.utime(rows, (1, 1))  # the same items, but not known to be
    evaluate(METRICS, rows, out=run)
    (used,) = indices(run) - unused
    assert f"source/{unused.pop()}" in printed(capsys, "verify", run)
    with reserve(run / "parts" / part_name(0)):
        printed(capsys, "verify", "--clean", run)
        assert len(indices(run)) == 2, "a process computes the run"
    assert "source/" not in printed(capsys, "verify", "--clean", run)
    assert indices(run) == {used}
    (run / "source" / used / "index.json").write_text("{}")
    printed(capsys, "verify", "--clean", run)
    assert not indices(run)
    assert evaluate(METRICS, rows, out=run).complete


def printed(capsys, *words):
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_another_file_of_the_same_name_is_refused_before_it_is_read(rows, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = ("run", METRICS, "--quiet", "--data")
    printed(capsys, *run, rows)
    for folder in ("copied", "other"):
        (tmp_path / folder).mkdir()
    copied, other = (tmp_path / folder / rows.name for folder in ("copied", "other"))
    shutil.copyfile(rows, copied)
    other.write_text("this line cannot be read\n" + rows.read_text())
    printed(capsys, *run, copied)
    assert main([str(word) for word in (*run, other)]) == 2
    message = capsys.readouterr().err
    assert f"runs/rows holds the run of {tmp_path}" in message
    assert "store this one elsewhere with --name or --out" in message
    other.write_text("".join(json.dumps(row) + "\n\n" for row in items()))
    assert main([str(word) for word in (*run, other)]) == 2
    printed(capsys, *run, other, "--name", "rows")
    rows.write_text(rows.read_text() + json.dumps(items()[0]) + "\n")
    assert main([str(word) for word in (*run, rows)]) == 2
    assert "runs/rows holds a run with other data" in capsys.readouterr().err
    printed(capsys, *run, rows, "--overwrite")
