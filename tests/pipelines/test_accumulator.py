"""Batches, and the batches of several processes, give the results of all items at once."""

import pickle
import warnings

import numpy as np
import pytest

from coco_sets import data_set
from laws.cases import CASES, made
from processes import Forked
from thresher import Accumulator, EvaluationResults, InputError, evaluate
from thresher.errors import DataWarning
from thresher.kernels.inference import interval

ANSWERS = {"predicted_answers": ["a", "b", "c"], "ground_truth_answers": ["a", "c", "c"]}
MATCHED = (
    *("detection_coco", "detection_average_precision", "detection_f1", "detection_best_threshold"),
    *("detection_detailed_precision_recall_curve", "detection_confusion_matrix", "detection_error"),
)
UNJUDGED = [
    name
    for name in CASES
    if "matches" not in CASES[name].inputs and not hasattr(made(name), "chat_generator")
]


def part(columns, rows):
    return {name: [column[row] for row in rows] for name, column in columns.items()}


def images(seed=2):
    """Columns of images with boxes; scores are equal at random, so the order of images matters."""
    truth, results = data_set(seed)
    sides = {"ground_truths": truth["annotations"], "predictions": results}
    columns = {"ids": [str(image["id"]) for image in truth["images"]]}
    for name, rows in sides.items():
        columns[name] = []
        for image in truth["images"]:
            own = [row for row in rows if row["image_id"] == image["id"]]
            boxes = np.array([row["bbox"] for row in own]).reshape(-1, 4)
            entry = {"labels": [str(row["category_id"]) for row in own], "boxes": boxes, "box_format": "xywh"}
            columns[name].append(
                entry | ({"scores": [row["score"] for row in own]} if name == "predictions" else {})
            )
    return columns


def assert_same(results, expected):
    assert list(results.metrics) == list(expected.metrics)
    for name, metric in results.metrics.items():
        np.testing.assert_array_equal(metric.value, expected.metrics[name].value, name)
        assert metric.coverage == expected.metrics[name].coverage


@pytest.mark.filterwarnings("ignore:.*JSON objects, scored as they are")
@pytest.mark.parametrize("name", UNJUDGED)
@pytest.mark.filterwarnings("ignore:.*are JSON objects:thresher.errors.DataWarning")
def test_every_metric_accumulates(name):
    columns = CASES[name].inputs
    ranked = columns.get("retrieved_documents")
    if ranked and isinstance(ranked[0][0], tuple):  # of a document and its score
        columns = columns | {"retrieved_documents": [[key for key, _ in row] for row in ranked]}
    columns = columns | {"ids": [f"{at}" for at in range(7, 7 + len(columns[next(iter(columns))]))]}
    size = len(columns["ids"])
    first, second = Accumulator([made(name)]), Accumulator([made(name)])
    first.update(**part(columns, range(2, size)))
    second.update(**part(columns, range(2)))
    first.merge(second.state())
    assert_same(first.compute(), evaluate([made(name)], columns))


def test_batches_of_processes_in_any_order_give_the_numbers_of_all_images():
    columns, metrics = images(), [made(name) for name in MATCHED]
    expected = evaluate(metrics, columns)
    order = np.random.default_rng(0).permutation(len(columns["ids"]))
    states = []
    for share in (order[:11], order[11:20], np.append(order[20:], order[:3])):  # the last one is padded
        accumulator = Accumulator(metrics)
        for batch in np.array_split(share, 4):
            accumulator.update(**part(columns, batch))
        states.append(pickle.loads(pickle.dumps(accumulator.state())))  # noqa: S301 (made here)
    for gathered in (states, states[::-1]):
        whole = Accumulator(metrics)
        whole.merge(*gathered)
        results = whole.compute()
        assert_same(results, expected)
        assert list(results.ids) == sorted(columns["ids"], key=int)
    name = "detection_coco_map"
    ends = [interval(run.metric(name).result, name) for run in (results, expected)]
    assert (ends[0].low, ends[0].high) == (ends[1].low, ends[1].high)


def test_states_are_sent_between_processes(tmp_path):
    code = """
import pickle, sys
from thresher import Accumulator
rank, path = int(sys.argv[1]), sys.argv[2]
accumulator = Accumulator(["exact_match"])
for item in range(rank, 6, 2):
    accumulator.update(predicted_answers=["a"], ground_truth_answers=["ab"[item % 3 == 0]], ids=[item])
with open(path, "wb") as file:
    pickle.dump(accumulator.state(), file)
"""
    paths = [tmp_path / f"{rank}" for rank in range(2)]
    running = [Forked(code, rank, path) for rank, path in enumerate(paths)]
    for process in running:
        process.communicate()
    whole = Accumulator(["exact_match"])
    whole.merge(*(pickle.loads(path.read_bytes()) for path in paths))  # noqa: S301 (made here)
    results = whole.compute()
    assert results.metric("exact_match").result.item_scores().tolist() == [0, 1, 1, 0, 1, 1]


def test_an_epoch_after_the_other():
    accumulator = Accumulator(["exact_match"], name="validation")
    for _ in range(2):
        accumulator.reset()
        accumulator.update(**ANSWERS, ids=[1, 2, 3])
        assert len(accumulator) == 3
        results = accumulator.compute()
        assert (results.name, results.metrics["exact_match"].value) == ("validation", 2 / 3)
    with pytest.raises(
        InputError, match=r"item 2 was evaluated before; call reset\(\) before the next epoch"
    ):
        accumulator.update(**part(ANSWERS, [0]), ids=[2])
    accumulator.update(**part(ANSWERS, [1]), ids=[9])
    assert accumulator.compute().metrics["exact_match"].value == 0.5


def test_items_without_ids_are_numbered():
    accumulator = Accumulator("exact_match")
    accumulator.update(predicted_answers=[], ground_truth_answers=[])
    for row in range(3):
        accumulator.update(**part(ANSWERS, [row]))
    results = accumulator.compute()
    assert (list(results.ids), results.ids_given) == (["0", "1", "2"], False)


def test_results_are_saved_and_compared(tmp_path):
    runs = []
    for answers in (["a", "b", "c"], ["a", "c", "c"]):
        accumulator = Accumulator(["exact_match"], name="epoch")
        accumulator.update(**ANSWERS | {"predicted_answers": answers}, ids=["x", "y", "z"])
        runs.append(accumulator.compute())
    for path in (tmp_path / "run.json", tmp_path / "run"):
        runs[0].save(path)
        assert_same(EvaluationResults.load(path), runs[0])
    runs[0].compare(runs[1]).save(tmp_path / "comparison.md")
    assert "exact_match" in (tmp_path / "comparison.md").read_text()


def test_processes_that_number_their_own_items_are_reported():
    """Ids 0, 1, 2 in each process would drop the items of all processes but the first."""
    columns, metrics = images(), [made("detection_coco"), made("detection_f1")]
    whole, padded = Accumulator(metrics), Accumulator(metrics)
    for share in (range(10), range(10, 20)):
        accumulator = Accumulator(metrics)
        accumulator.update(**part(columns, share) | {"ids": [str(at) for at in range(10)]})
        whole.merge(accumulator.state())
    assert len(whole) == 10
    with pytest.warns(
        DataWarning, match=r"different items share an id .*\((10|9) such, e\.g\. 0\); give `ids`"
    ):
        assert len(whole.compute()) == 10
    padded.update(**part(columns, range(10)))
    padded.merge(padded.state())
    with warnings.catch_warnings(action="error"):  # repeats of the same items are what samplers give
        assert len(padded.compute()) == 10


def test_rounding_of_another_device_is_no_other_item():
    columns = images()
    noisy = [
        entry | {"scores": [score * 0.999 for score in entry["scores"]]} for entry in columns["predictions"]
    ]
    accumulators = Accumulator(["detection_coco"]), Accumulator(["detection_coco"])
    accumulators[0].update(**columns)
    accumulators[1].update(**columns | {"predictions": noisy})
    accumulators[0].merge(accumulators[1].state())
    with warnings.catch_warnings(action="error"):
        accumulators[0].compute()


def test_items_without_ids_of_several_processes_are_reported():
    one, other, empty = (Accumulator(["exact_match"]) for _ in range(3))
    one.update(**ANSWERS)
    other.update(**ANSWERS)
    whole = Accumulator(["exact_match"])
    with warnings.catch_warnings(action="error"):
        whole.merge(one.state(), empty.state())
    with pytest.warns(DataWarning, match="two processes evaluated counts twice.*give `ids` to update"):
        whole.merge(other.state())
    assert (len(whole), repr(whole)) == (6, "Accumulator(unnamed; 6 items)")


def test_inputs_are_not_retained():
    accumulator = Accumulator(["exact_match"])
    for at in range(300):
        accumulator.update(predicted_answers=["word " * 2000], ground_truth_answers=["other"], ids=[at])
    assert len(accumulator._blocks) < 10, "joined as they come"
    assert len(pickle.dumps(accumulator.state())) < 50_000


def test_bad_input():
    accumulator, other = Accumulator(["exact_match"]), Accumulator(["token_f1"])
    with pytest.raises(InputError, match="no items yet"):
        accumulator.compute()
    with pytest.raises(InputError, match="ids"):
        accumulator.update(ids=5, **ANSWERS)
    with pytest.raises(InputError, match="predicted_answers"):
        accumulator.update(ground_truth_answers=["a"])
    with pytest.raises(InputError, match=r"was given preds, truths; write update\("):
        accumulator.update(preds=[{"text": "a", "score": 1}], truths=["a"])
    with pytest.warns(DataWarning, match=r"that is wrong, pass update\(SOCKET=COLUMN\)$"):
        accumulator.update(prediction=["a"], ground_truth_answers=["a"])
    accumulator.reset()
    accumulator.update(**ANSWERS, ids=[1, 2, 3])
    with pytest.raises(InputError, match="give `ids` to every update, or to none"):
        accumulator.update(**ANSWERS)
    other.update(**ANSWERS, ids=[4, 5, 6])
    state = other.state()
    for whole in (accumulator, Accumulator(["exact_match"])):
        with pytest.raises(InputError, match="state is of token_f1, and this accumulator evaluates exact"):
            whole.merge(Accumulator(["exact_match"]).state(), state)
    with pytest.raises(InputError, match="items were evaluated with token_f1, others with exact_match"):
        state.joined(accumulator.state())
    with pytest.raises(InputError, match=r"merge takes what state\(\) returned, not dict"):
        accumulator.merge({})
    assert accumulator.compute().metrics["exact_match"].value == pytest.approx(2 / 3)
