"""Tables of labels that are read by chunk are what `read_labels` reads, whatever a late row decides."""

import json
import pickle
import warnings

import pytest

from datasets.sources.chunked import use_small_blocks
from thresher import evaluate
from thresher.datasets import read_labels
from thresher.datasets.sources import label_source
from thresher.datasets.sources.label_source import LabelSource, open_labels
from thresher.errors import InputError
from thresher.files.stores import FolderStore

ROWS = 23


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    use_small_blocks(monkeypatch, 3)
    monkeypatch.setattr(label_source, "_BLOCK", 5)


def rows(entries, last):
    return [{"id": f"i{n}", **entries(n)} for n in range(ROWS)] + [{"id": "last", **last}]


TABLES = {
    "labels": rows(lambda n: {"label": "ab"[n % 2], "prediction": "ab"[n % 3 % 2]}, {"label": "c"}),
    "truth values at the end": rows(
        lambda n: {"label": n % 2, "prediction": None}, {"label": 1, "prediction": True}
    ),
    "decimals that stand for whole labels": rows(
        lambda _: {"label": "1.0", "prediction": "1"}, {"label": "0.0", "prediction": "0"}
    ),
    "probabilities": rows(lambda n: {"label": n % 2, "y_score": n / 23}, {"label": 0, "y_score": 1}),
    "labels with the probability of one": rows(
        lambda n: {"label": n % 2, "prediction": 1, "score": 0.6 + n / 100},
        {"label": 0, "prediction": 0, "score": 0.2},
    ),
    "labels with confidences": rows(
        lambda n: {"label": "ab"[n % 2], "prediction": "ab"[n % 3 % 2], "confidence": 0.6 + n / 100},
        {"label": "a", "prediction": "b", "confidence": 0.99},
    ),
    "ambiguous scores": rows(
        lambda n: {"label": "xy"[n % 2], "prediction": "x", "score": 0.6}, {"label": "x", "prediction": "y"}
    ),
    "scores of all labels": rows(
        lambda n: {"label": "ab"[n % 2], "scores": {"a": n / 23, "b": 1 - n / 23}}, {"label": "c"}
    ),
    "scores of one of two labels": rows(
        lambda n: {"label": n % 2, "scores": {"1": n / 23}}, {"label": 0, "scores": {"0": 0.5}}
    ),
    "lists of scores": rows(
        lambda n: {"label": n % 3, "scores": [0.25, 0.25, 0.5]}, {"label": 1, "scores": [0.5, 0.25, 0.25]}
    ),
    "a wrong list of scores at the end": rows(
        lambda n: {"label": n % 3, "scores": [0.25, 0.25, 0.5]}, {"label": 1, "scores": [0.5, 0.5]}
    ),
    "columns of scores": rows(
        lambda n: {"label": "ab"[n % 2], "prob_a": n / 23, "prob_b": 1 - n / 23},
        {"label": "a", "prob_a": 1.0},
    ),
    "several true labels at the end": rows(
        lambda _: {"label": "a", "prediction": "a"}, {"label": ["a", "b"], "prediction": "a"}
    ),
    "a score that is no number": rows(
        lambda n: {"label": n % 2, "y_score": n / 23}, {"label": 0, "y_score": "high"}
    ),
}


def outcome(read, path, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            data = read(path, **options)
        except InputError as error:
            return str(error), []
    return data, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("options", [{}, {"positive": 0}, {"limit": 9}], ids=str)
def test_a_table_read_by_chunk_is_the_whole_or_is_refused_with_the_same_words(name, options, tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in TABLES[name]))
    (expected, messages), (source, its) = (
        outcome(read_labels, path, **options),
        outcome(open_labels, path, **options),
    )
    assert its == messages
    if isinstance(expected, str) or isinstance(source, str):
        assert source == expected
        return
    assert isinstance(source, LabelSource)
    assert source.fingerprint() == expected.fingerprint()
    assert (len(source), source.columns, source.notes) == (
        len(expected),
        tuple(expected.columns),
        expected.notes,
    )
    again = pickle.loads(pickle.dumps(source))  # noqa: S301
    for start in range(0, len(source), 4):
        chunk, part = again.slice(start, start + 4), expected.slice(start, start + 4)
        assert list(chunk.ids) == list(part.ids)
        for column in part.columns:
            assert repr(list(chunk.columns[column])) == repr(list(part.columns[column]))


def test_a_run_of_labels_is_that_of_the_whole_and_its_stage_is_used(tmp_path, monkeypatch):
    path, run = tmp_path / "table.jsonl", tmp_path / "run"
    path.write_text("".join(json.dumps(row) + "\n" for row in TABLES["labels"]))
    evaluate("classification_accuracy", path, out=run, chunk_size=4, shard=(1, 2))
    assert list(run.rglob("rows-*.parquet"))
    with monkeypatch.context() as context:
        context.setattr("thresher.datasets.sources.opening.stage_rows", None)
        assert open_labels(path, index=FolderStore(run / "source")).location.startswith(str(run))
        results = evaluate("classification_accuracy", path, out=run)
    whole = evaluate("classification_accuracy", read_labels(path))
    assert results.to_dict()["metrics"] == whole.to_dict()["metrics"]
    assert not list(run.rglob("rows-*.parquet"))
