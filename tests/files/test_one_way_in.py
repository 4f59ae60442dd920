"""Files are opened and parsed by `thresher.files`, so that limits and errors hold for new readers too."""

import ast
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

import thresher
from thresher.datasets import read_dataset
from thresher.datasets.sources.opening import open_source

PACKAGE = Path(thresher.__file__).parent
PARSERS = {
    "ast.parse",
    "gzip.decompress",
    "gzip.open",
    "json.load",
    "json.loads",
    "pq.ParquetFile",
    "pq.read_schema",
    "pq.read_table",
    "tomllib.load",
    "tomllib.loads",
    "yaml.load",
    "yaml.safe_load",
    "zipfile.ZipFile",
}
READING = {"open", "read_bytes", "read_text"}
RUN_DIRECTORY = {
    "input_columns.py",
    "manifest.py",
    "object_arrays.py",
    "parts.py",
    "stored_parts.py",
    "storage.py",
    "verification.py",
}
"""Modules that read run directories, whose files are verified by their SHA-256."""
EXEMPT = {
    "pipelines/reporting/reports.py: json.loads": "a report that was written the line before",
    "cli/demo.py: read_text": "data of this package",
    "cli/main.py: open": "the null device",
    "datasets/sources/row_stage.py: json.loads": "a stage, verified by its SHA-256",
    "datasets/sources/stage.py: pq.ParquetFile": "a stage, verified by its SHA-256",
    "datasets/_values.py: json.loads": "a cell; lists within it are converted or refused by its column",
    "datasets/_opened.py: json.loads": "guesses the format of a line",
    "reports/gates/history.py: json.loads": "a line that a gate wrote; others are skipped",
    "reports/gates/history.py: read_text": "lines that gates wrote; others are skipped",
    "files/stores/folder.py: open": "a file of a run, verified by its SHA-256",
    "files/stores/folder.py: read_bytes": "a file of a run, verified by its SHA-256",
    "pipelines/provenance.py: open": "files of git, of which only a commit is taken",
    "judges/containers.py: json.loads": "one text of a reply",
    "judges/engine/gate/connection.py: json.loads": "an answer of the run's own driver",
    "judges/engine/gate/server.py: json.loads": "a call of a worker that has the key",
    "judges/engine/network_disk.py: read_text": "the mounts of this machine",
    "judges/engine/packed_answers.py: json.loads": "a stored answer",
    "judges/engine/batches/api.py: json.loads": "the body of a server's response",
    "judges/engine/wire.py: json.loads": "the body of a server's response",
    "native/library.py: read_bytes": "sources of this package",
    "judges/local.py: open": "the first bytes of a model",
    "judges/probe_rounds.py: json.loads": "cases of this package",
    "judges/probe_rounds.py: read_text": "cases of this package",
    "judges/prompt.py: read_text": "a prompt of this package",
    "judges/template.py: read_text": "a prompt of this package",
    "pipelines/answering/replies.py: json.loads": "a stored reply",
    "pipelines/experiments/experiment_run.py: json.loads": "what it has just written",
    "pipelines/experiments/indexes.py: read_bytes": "files for an index, for their fingerprint",
    "pipelines/experiments/state.py: json.loads": "verified by its SHA-256",
    "pipelines/experiments/state.py: read_bytes": "verified by its SHA-256",
    "pipelines/executors/worker.py: open": "RunDirectory.open",
    "pipelines/library.py: read_text": "a recipe of this package",
    "pipelines/provenance.py: read_bytes": "the source of a plugin, for its fingerprint",
    "pipelines/replaced_run.py: open": "RunDirectory.open",
    "pipelines/run_directory.py: open": "RunDirectory.open",
    "pipelines/run_listing.py: open": "RunDirectory.open",
    "reports/html/page.py: read_text": "a script or style of this package",
    "reports/runs/results_checksum.py: json.loads": "what it has just written",
    "pipelines/reporting/_outputs.py: json.loads": "a report that it has just rendered",
    "results/stored_values.py: json.loads": "what it has written itself",
    "testing/serialization_laws.py: json.loads": "what it has just written",
}


def test_only_the_package_files_opens_and_parses():
    calls = {
        f"{path.relative_to(PACKAGE).as_posix()}: {name}"
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "files" and path.name not in RUN_DIRECTORY
        for name in reading_calls(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert calls - EXEMPT.keys() == set(), "read with thresher.files, or give a reason in EXEMPT"
    assert EXEMPT.keys() - calls == set(), "these no longer exist"


def reading_calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            method = name.rpartition(".")[2]
            if name in PARSERS:
                yield name
            elif method in READING and not is_namesake(name):
                yield method


def is_namesake(name):
    """Methods of reply schemas and functions of other modules that have these names."""
    return name in {
        "ReplySchema.read_text",
        "schema.read_text",
        "super().read_text",
        "self.form_of_objects.read_text",
        "self.scale.read_text",
        "read_text",
        "read_bytes",
    }


def test_threads_of_arrow_read_no_python_file(tmp_path, monkeypatch):
    opened = []

    def spied(read):
        def spy(source, *args, **options):
            opened.append((source, options.get("pre_buffer", True)))
            return read(source, *args, **options)

        return spy

    data = {"id": ["1", "2"], "response": ["a", "b"], "reference": ["a", "c"]}
    pq.write_table(pa.table(data), tmp_path / "d.parquet")
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 0.5 r\nq1 Q0 d2 2 0.4 r\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    monkeypatch.setattr(pq, "ParquetFile", spied(pq.ParquetFile))
    monkeypatch.setattr(csv, "read_csv", spied(csv.read_csv))
    with (tmp_path / "d.parquet").open("rb") as file:
        read_dataset(file)
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", 0)
    thresher.evaluate(["exact_match"], open_source(tmp_path / "d.parquet"), out=tmp_path / "run")
    thresher.open_run(tmp_path / "run").metric("exact_match")
    thresher.read_trec(tmp_path / "run.txt", tmp_path / "qrels.txt")
    kinds = {type(source).__name__ for source, _ in opened}
    assert {"PosixPath", "BufferReader"} <= kinds or os.name == "nt"
    for source, by_threads in opened:
        assert isinstance(source, Path | pa.NativeFile) or not by_threads, source
