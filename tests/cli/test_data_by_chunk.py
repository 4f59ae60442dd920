"""`thresher run` computes data that are read by chunk as if they were whole, in worker processes too."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from datasets.sources.test_beir_source import qrels, texts
from datasets.sources.test_coco_source import instances, results
from datasets.sources.test_trec_source import judgements, lines
from forked_workers import forked_workers
from thresher.cli.main import main

__all__ = ["forked_workers"]

COCO = ("object_detection", "--gt", "truth.json", "--data", "found.json")
MASKS = ("instance_segmentation", "--gt", "truth.json", "--data", "found.json")
BEIR = ("retrieval", "--data", "beir", "--run", "my.run.gz")
TREC = ("retrieval", "--run", "my.run.gz", "--qrels", "my.qrels")


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = Random(1)  # noqa: S311
    truths = instances(rng)
    Path("truth.json").write_text(json.dumps(truths))
    Path("found.json").write_text(json.dumps(results(rng, truths["images"])))
    run = lines(rng)
    rng.shuffle(run)
    Path("my.run.gz").write_bytes(gzip.compress("".join(run).encode()))
    Path("my.qrels").write_text("".join(judgements(rng)))
    Path("beir/qrels").mkdir(parents=True)
    Path("beir/queries.jsonl").write_text(texts())
    Path("beir/qrels/test.tsv").write_text(qrels(rng))
    return monkeypatch


def outcome(workplace, capsys, words, *more, size):
    """Parts and report of a run of files, which are read by chunk if they have more bytes than `size`."""
    out = Path(f"out{size}")
    with workplace.context() as context:
        context.setattr("thresher.datasets.sources.opening.SMALL", size)
        run = ["run", *words, "--out", str(out), "--chunk-size", "5", "--format", "csv", "--quiet", *more]
        assert main(run) == 0
    assert (out / "source").exists() == (size < 0)
    parts = {path.name: path.read_bytes() for path in (out / "parts").iterdir()}
    assert len(parts) > 3
    return parts, capsys.readouterr().out


SLOW = [pytest.param(words, marks=pytest.mark.slow) for words in (MASKS, TREC, BEIR)]


@pytest.mark.parametrize("words", [COCO, *SLOW], ids="-".join)
def test_a_run_is_that_of_the_whole_data(workplace, capsys, words):
    expected = outcome(workplace, capsys, words, size=10**9)
    assert outcome(workplace, capsys, words, size=-1) == expected


@pytest.mark.slow
@pytest.mark.usefixtures("forked_workers")
@pytest.mark.parametrize("words", [COCO, TREC, BEIR], ids="-".join)
def test_workers_compute_the_same(workplace, capsys, words):
    expected = outcome(workplace, capsys, words, size=10**9)
    assert outcome(workplace, capsys, words, "--workers", "2", size=-1) == expected


@pytest.mark.slow
def test_further_columns_and_a_limit(workplace, capsys):
    Path("about.csv").write_text("id,weather\n1,rain\n" + "".join(f"{n},sun\n" for n in range(2, 1000)))
    assert main(["run", *COCO, "--about", "about.csv", "--limit", "4", "--out", "a", "--quiet"]) == 0
    with workplace.context() as context:
        context.setattr("thresher.datasets.sources.opening.SMALL", -1)
        assert main(["run", *COCO, "--limit", "4", "--out", "b", "--quiet"]) == 0
        assert main(["run", *COCO, "--about", "about.csv", "--limit", "4", "--out", "c", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["compare", "a", "c", "--format", "csv"]) == 0
    assert "different data" not in capsys.readouterr().out
