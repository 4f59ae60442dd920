"""How the items of two runs find each other."""

import pytest

from thresher import EvaluationResults, InputError, evaluate, read_dataset
from thresher.components.detection import Detections
from thresher.reports.comparisons.item_comparison import item_comparison
from thresher.reports.comparisons.join import NO_KEY, join, numbered_questions, question_keys
from thresher.results.parted_columns import PartedColumn


def made(name, **inputs):
    size = len(next(iter(inputs.values())))
    metrics = [{"name": "hit", "scores": [0.0] * size}]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name)


def pairs(first, second):
    joined = join(first, second)
    return list(zip(joined.here.tolist(), joined.there.tolist(), strict=True))


def test_the_nth_asking_of_a_question_joins_the_nth():
    first = made("a", question=["Who?", "When?", "Who?", "Who?"])
    second = made("b", question=["When?", "Who?", "Who?"])
    assert pairs(first, second) == [(0, 1), (1, 0), (2, 2)]
    assert join(first, second).note(("a", "b")) == (
        "Compared over the 3 items in both runs (1 only in a). "
        "1 question occurs more than once: joined first to first, second to second; ids would be safer."
    )


def test_columns_whose_names_cannot_be_questions_are_not_read():
    run = made("a", question=["Who?"])
    boxes = PartedColumn([1], lambda _: pytest.fail("the column is read"))
    run.inputs = {"predictions": boxes, "ground_truths": boxes, "file_name": boxes}
    assert question_keys(run)[0] == ""
    assert numbered_questions(run) is None


@pytest.mark.parametrize(
    ("questions", "keys"),
    [
        (["Who?", "When?"], [("Who?", 1), ("When?", 1)]),
        (["Who?", None, "Who?", float("nan")], [("Who?", 1), None, ("Who?", 2), None]),
        (["Who?", None], [("Who?", 1), None]),
        ([7, "7"], [("7", 1), ("7", 2)]),
    ],
)
def test_questions_on_disk_have_the_keys_of_those_in_memory(questions, keys):
    run = made("a", question=questions)
    assert list(numbered_questions(run)) == keys
    own = question_keys(run)[1]
    run.inputs = {"question": PartedColumn([1, len(questions)], [questions[:1], questions[1:]].__getitem__)}
    assert list(numbered_questions(run)) == keys
    assert question_keys(run)[1].tolist() == own.tolist()
    known = [key for key in own.tolist() if key != NO_KEY]
    assert len(set(known)) == len(known) == len(keys) - keys.count(None)


def test_what_is_derived_from_questions_meets_what_was_read_elsewhere(tmp_path):
    """Ids that a data set derived mean what a join by questions means."""
    rows = {"question": ["Who?", "When?", "Who?"], "response": ["a", "b", "c"], "reference": ["a", "b", "c"]}
    turned = {name: [column[1], column[0], column[2]] for name, column in rows.items()}
    first, second = (evaluate(["exact_match"], read_dataset(data)) for data in (rows, turned))
    assert pairs(first, second) == [(0, 1), (1, 0), (2, 2)]
    assert [(first.ids[one], second.ids[other]) for one, other in pairs(first, second)] == [
        (key, key) for key in first.ids
    ]


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_an_item_without_a_question_is_in_no_other_run(nothing):
    first = made("a", question=["Who?", nothing])
    assert pairs(first, first) == [(0, 0)]


def test_ids_come_before_questions():
    first = made("a", id=["1", "2"], question=["Who?", "When?"])
    second = made("b", id=["2", "1"], question=["Who?", "When?"])
    assert pairs(first, second) == [(0, 1), (1, 0)]
    assert join(first, second).note(("a", "b")) is None


def test_other_ids_leave_the_questions():
    first, second = made("a", id=["1"], question=["Who?"]), made("b", id=["x"], question=["Who?"])
    assert (join(first, second).by, pairs(first, second)) == ("question", [(0, 0)])


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            {"id": ["1"]},
            {"id": ["2"]},
            r"no items in common \(compared by their ids; their first ids are .1. and .2.\); give both",
        ),
        ({"question": ["A?"]}, {"question": ["B?"]}, r"\(compared by their questions\)"),
        (
            {"id": ["1"], "question": ["A?"]},
            {"id": ["2"], "question": ["B?"]},
            r"\(compared by their ids and questions; their first",
        ),
        ({"id": ["1"]}, {"note": ["x"]}, r"b came without ids, and there are no questions in both"),
        ({"question": [None]}, {"question": ["A?"]}, r"a and b came without ids, and there are no questions"),
    ],
)
def test_what_was_looked_at_is_told(first, second, message):
    with pytest.raises(InputError, match=message):
        join(made("a", **first), made("b", **second))


def test_runs_without_items_have_all_items_in_common():
    assert pairs(made("a", question=[]), made("b", question=[])) == []


def test_images_that_formats_number_differently_are_matched_by_their_files():
    coco = made("a", id=["7", "8", "9"], file_name=["val/x.1.jpg", "y.PNG", "w.jpg"])
    for other in (
        made("b", id=["y", "x.1"]),
        made("b", id=["0", "1"], file_name=["y.jpeg", "train\\x.1.jpg"]),
    ):
        joined = join(coco, other)
        assert (joined.by, pairs(coco, other)) == ("file_name", [(0, 1), (1, 0)])
        assert joined.note(("a", "b")) == (
            "Compared over the 2 items in both runs (1 only in a). "
            "Ids differ: matched by the names of image files, without folder and ending."
        )
        assert "7" in item_comparison(coco, other).data()["items"][0].values()


@pytest.mark.parametrize(
    "inputs",
    [
        {"id": ["x", "y"]},  # of file names without the column
        {"id": ["1", "2"], "file_name": ["a/x.jpg", "b/x.jpg"]},  # not unique
        {"id": ["1", "2"], "file_name": ["x.jpg", None]},
        {"id": ["1", "2"], "file_name": ["q.jpg", "r.jpg"]},
    ],
)
def test_files_that_do_not_name_images_match_none(inputs):
    other = made("b", id=["x", "w"]) if "file_name" in inputs else made("b", id=["a.x", "b"])
    with pytest.raises(InputError, match=r"their first ids are '\w' and '[\w.]+'\); give both runs the same"):
        join(made("a", **inputs), other)


def test_ids_of_objects_that_one_format_lacks_are_no_other_data():
    named, plain, other = (
        evaluate("detection_f1", {"id": [key], "ground_truths": [entry], "predictions": [found], **more})
        for key, entry, more in (
            ("7", Detections.of(["cat"], [[0, 0, 9, 9]], ids=[3]), {"file_name": ["x.jpg"]}),
            ("x", Detections.of(["cat"], [[0, 0, 9, 9]]), {}),
            ("x", Detections.of(["cat"], [[0, 0, 9, 8]]), {}),
        )
        for found in [Detections.of([], [], scores=[])]
    )
    assert "different data" not in " ".join(named.compare(plain).notes)
    assert "different data" in " ".join(named.compare(other).notes)
