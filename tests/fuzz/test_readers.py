"""Every reader meets mutated input: for a moment, or with `--fuzz-seconds 600 --fuzz-seed 7` for longer."""

import ast
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import thresher
from fuzz import annotated, chunked, conversations, experiments, judged, pictures, stored, tables, texts  # noqa: F401  # they register their fuzzers
from fuzz.oracle import MEGABYTES, Hang, outcome, peak_megabytes
from fuzz.registry import FUZZERS
from thresher.datasets._formats import FORMATS
from thresher.datasets.annotation_formats import ANNOTATION_FORMATS

PACKAGE = Path(thresher.__file__).parent
READING = {"opening", "json_lists", "texts", "parquet", "parsing", "expressions", "images", "workbooks"}
"""Modules of `thresher.files` that open or parse."""
INDIRECT = {
    "datasets/sources/earlier_files.py": "lists a folder; the facts that it reads are those of an index",
    "datasets/_folders.py": "lists folders for the readers of images",
    "judges/engine/answering.py": "replaces characters of a reply",
    "pipelines/answering/stored_responses.py": "replaces characters of an answer",
    "pipelines/responses.py": "replaces characters of an answer",
    "datasets/texts.py": "checks data that were read",
    "pipelines/run_search.py": "asks a store which runs it has",
    "reports/exports/mlflow.py": "parses a report that it has just rendered",
}


@pytest.mark.parametrize("fuzzer", FUZZERS, ids=lambda fuzzer: fuzzer.name)
def test_any_input_is_read_or_refused_in_one_line(fuzzer, tmp_path, request):
    seed = request.config.getoption("--fuzz-seed")
    make = fuzzer.prepare(tmp_path)
    assert outcome(make(None)) is not None, "the input without mutations is read"
    before, number = peak_megabytes(), 0
    # Processor time, so that other processes do not reduce the number of inputs.
    end = time.process_time() + request.config.getoption("--fuzz-seconds") / len(FUZZERS)
    while number < 3 or time.process_time() < end:
        try:
            outcome(make(Random(f"{seed} {number}")))
        except (Exception, Hang) as error:  # whatever a reader raises is a finding
            raise AssertionError(f"input {number} of seed {seed}: {type(error).__name__}: {error}") from error
        number += 1
    assert peak_megabytes() - before < MEGABYTES


def test_every_module_that_reads_files_has_a_fuzzer():
    readers = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "files" and reads(ast.parse(path.read_text(encoding="utf-8")))
    }
    covered = {module for fuzzer in FUZZERS for module in fuzzer.modules}
    assert readers - covered - INDIRECT.keys() == set(), "add a function with @fuzzer, see CONTRIBUTING.md"
    assert {module for module in covered if not (PACKAGE / module).exists()} == set()


def reads(tree):
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return not modules.isdisjoint(f"thresher.files.{name}" for name in READING)


def test_every_format_has_a_fuzzer():
    names = {fuzzer.name for fuzzer in FUZZERS}
    formats = {known.name for known in FORMATS} | {name.replace("-", "_") for name in ANNOTATION_FORMATS}
    missing = {name for name in formats if not names & {name, f"{name}_table"}}
    assert missing == set(), "add a function NAME or NAME_table with @fuzzer, see CONTRIBUTING.md"


def test_the_oracle_objects_to_anything_else():
    def lines():
        raise thresher.InputError(" ")

    def crash():
        raise KeyError("a")

    with pytest.raises(AssertionError, match="without words"):
        outcome(lines)
    with pytest.raises(KeyError):
        outcome(crash)


def test_the_oracle_ends_an_input_that_hangs(monkeypatch):
    monkeypatch.setattr("fuzz.oracle.SECONDS", 0.2)

    def hang():
        while True:
            with suppress(Exception):  # a handler of all exceptions does not stop it
                time.sleep(60)

    with pytest.raises(Hang):
        outcome(hang)
