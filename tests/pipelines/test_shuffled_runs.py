"""Comparisons of stored runs with their items in another order are those of the same runs in memory."""

import json
import math
from itertools import permutations

import numpy as np
import pytest

from thresher import evaluate, leaderboard, open_run, read_dataset
from thresher.pipelines import run_results
from thresher.reports.comparisons import data_differences
from thresher.reports.exports.item_export import source_lines
from thresher.reports.html.items.joined import joined_items
from thresher.reports.thresholds.percentiles import items_below
from thresher.results import Statistics
from thresher.results.parted_columns import PartedColumn

ITEMS = 24
METRICS = ["token_f1", "exact_match", "chrf"]
LABELS = ["classification_accuracy", "classification_f1"]
WORDS = ("one", "two", "three", "four words are here", None, "one two")


def rows(seed, numbers, **columns):
    """Answers to the items with these numbers; questions and truths depend on the item alone."""
    generator = np.random.default_rng(seed)
    return {
        "id": [f"item {number}" for number in numbers],
        "question": [f"how many? {number}" for number in numbers],
        "predicted_answers": [WORDS[place] for place in generator.integers(0, len(WORDS), len(numbers))],
        "ground_truth_answers": [WORDS[number % 3] for number in numbers],
        "lang": ["de" if number % 4 else "en" for number in numbers],
    } | columns


def shuffled(seed, start=0, stop=ITEMS):
    return (np.random.default_rng(seed).permutation(stop - start) + start).tolist()


OTHERS = {
    "shuffled": rows(1, shuffled(1)),
    "partly other items": rows(2, shuffled(2, 5, ITEMS + 5)),
    "fewer items": rows(3, shuffled(3, 2, ITEMS - 3)),
    "fewer items in the same order": rows(4, range(3, ITEMS, 2)),
    "more items": rows(5, shuffled(5, -9, ITEMS)),
    "other truths": rows(6, shuffled(6)) | {"ground_truth_answers": [*WORDS[:3], "3"] * (ITEMS // 4)},
    "other ids": rows(7, shuffled(7)) | {"id": [str(number) for number in range(ITEMS)]},
    "no ids": {name: column for name, column in rows(8, shuffled(8)).items() if name != "id"},
    "repeated questions": rows(9, shuffled(9))
    | {"id": None, "question": ["how many? 3", "how many? 4"] * (ITEMS // 2)},
}


@pytest.fixture(autouse=True)
def every_run_is_large(monkeypatch):
    monkeypatch.setattr(run_results, "SMALL", -1)
    monkeypatch.setattr(Statistics, "WHOLE", 4)
    monkeypatch.setattr(Statistics, "BLOCK", 4)
    monkeypatch.setattr(data_differences, "_BLOCK", 6)


@pytest.fixture
def stored(tmp_path):
    """Makes a run directory of some data."""

    def store(name, data, chunk=5, metrics=METRICS):
        data = {column: entries for column, entries in data.items() if entries is not None}
        evaluate(metrics, read_dataset(data), out=tmp_path / name, chunk_size=chunk)
        return tmp_path / name

    return store


@pytest.fixture
def eager(monkeypatch):
    """Reads a run whole."""

    def read(folder):
        with monkeypatch.context() as patch:
            patch.setattr(run_results, "SMALL", math.inf)
            patch.setattr(run_results, "FEW", math.inf)
            return open_run(folder)

    return read


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_comparisons_are_those_of_runs_in_memory(stored, eager, other):
    folders = [stored("first", rows(0, range(ITEMS))), stored("other", other, 7)]
    for one, two in permutations(folders):
        whole = eager(one).compare(eager(two)).render("json")
        assert open_run(one).compare(open_run(two)).render("json") == whole
    assert eager(one).compare(open_run(two)).render("json") == whole
    assert open_run(one).compare(eager(two)).render("json") == whole


def test_several_runs_of_several_sizes_are_compared_as_in_memory(stored, eager):
    folders = [stored(f"run-{number}", data) for number, data in enumerate(list(OTHERS.values())[:4])]
    lazy, whole = ([read(folder) for folder in folders] for read in (open_run, eager))
    assert lazy[0].compare(lazy[1:]).render("json") == whole[0].compare(whole[1:]).render("json")


def test_labels_of_other_chunks_are_those_of_runs_in_memory(stored, eager):
    def labelled(seed, numbers):
        predicted = np.random.default_rng(seed).choice(list("abcd"), len(numbers)).tolist()
        truths = ["abcde"[number // 6] for number in numbers]
        return {
            "id": [f"item {number}" for number in numbers],
            "predictions": predicted,
            "ground_truths": truths,
        }

    folders = [
        stored("first", labelled(1, range(ITEMS)), metrics=LABELS),
        stored("other", labelled(2, shuffled(2, 3, ITEMS + 5)), 7, metrics=LABELS),
    ]
    lazy, whole = ([read(folder) for folder in folders] for read in (open_run, eager))
    assert lazy[0].compare(lazy[1]).render("json") == whole[0].compare(whole[1]).render("json")


@pytest.mark.parametrize("options", [{"cluster": "lang"}, {"cluster": ""}, {"metrics": ["token_f1"]}])
def test_clusters_and_slices_are_those_of_runs_in_memory(stored, eager, options):
    folders = [stored("first", rows(0, range(ITEMS))), stored("other", OTHERS["partly other items"])]
    lazy, whole = ([read(folder) for folder in folders] for read in (open_run, eager))
    assert lazy[0].compare(lazy[1], **options).render("json") == whole[0].compare(whole[1], **options).render(
        "json"
    )
    sliced = [
        runs[0].comparative_sliced_score_report(runs[1], "lang", output_format="json", **options)
        for runs in (lazy, whole)
    ]
    assert sliced[0] == sliced[1]


REQUIREMENTS = [
    "no-regression within 0.1",
    "token_f1 >= baseline - 0.1",
    "token_f1[by lang] >= baseline - 0.2",
]


@pytest.mark.parametrize("other", ["shuffled", "partly other items", "fewer items", "other truths"])
def test_gates_against_a_baseline_are_those_of_runs_in_memory(stored, eager, other):
    folders = [stored("first", rows(0, range(ITEMS))), stored("other", OTHERS[other])]
    outcomes = [
        read(folders[1]).gate(REQUIREMENTS, baseline=read(folders[0])).to_dict() for read in (open_run, eager)
    ]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("other", [name for name in OTHERS if name != "repeated questions"])
def test_items_of_two_runs_are_those_of_runs_in_memory_and_ids_stay_on_disk(stored, eager, other):
    folders = [stored("first", rows(0, range(ITEMS))), stored("other", OTHERS[other], 7)]
    lazy, whole = (
        joined_items([read(path) for path in folders], ["one", "two"]) for read in (open_run, eager)
    )
    assert isinstance(lazy.ids, PartedColumn)
    assert (list(lazy.ids), lazy.places.tolist()) == (list(whole.ids), whole.places.tolist())


@pytest.mark.parametrize("chunk", [3, 4, 7, ITEMS])
def test_numbers_are_equal_to_the_last_bit_in_parts_of_every_size_and_in_memory(stored, eager, chunk):
    """Blocks are added in the order of the items, whoever reads them: floats that are added elsewhere differ."""
    runs = {"first": rows(0, range(ITEMS)), "shuffled": OTHERS["shuffled"], "fewer": OTHERS["fewer items"]}
    texts = []
    for size, read in ((11, eager), (chunk, open_run)):
        first, *others = [read(stored(f"{size}/{name}", data, size)) for name, data in runs.items()]
        texts.append(
            [
                first.report().render("json"),
                first.individual_sliced_score_report("lang", output_format="json"),
                first.individual_sliced_score_report("chrf", output_format="json"),
                json.dumps(first.find_thresholds()),
                first.compare(others).render("json"),
                leaderboard([first, *others], most_missing=0.5).render("json"),
                json.dumps(first.gate(["chrf >= 0.1"], baseline=others[0], allow_missing="50%").to_dict()),
                *source_lines(first, items_below(first, "chrf", 2)),
            ]
        )
    assert texts[0] == texts[1]
