"""How the items of two runs find each other."""

import pytest

from thresher import EvaluationResults, InputError, evaluate, read_dataset
from thresher.reports.comparisons import join as joining
from thresher.reports.comparisons.join import join, question_keys
from thresher.results.parted_columns import PartedColumn


def made(name, **inputs):
    size = len(next(iter(inputs.values())))
    metrics = [{"name": "hit", "scores": [0.0] * size}]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name)


def pairs(first, second):
    joined = join(first, second)
    return list(zip(joined.first, joined.second, strict=True))


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
    assert question_keys(run) is None


@pytest.mark.parametrize(
    ("questions", "keys"),
    [
        (["Who?", "When?"], [("Who?", 1), ("When?", 1)]),
        (["Who?", None, "Who?", float("nan")], [("Who?", 1), None, ("Who?", 2), None]),
        (["Who?", None], [("Who?", 1), None]),
        ([7, "7"], [("7", 1), ("7", 2)]),
    ],
)
@pytest.mark.parametrize("few", [0, 10], ids=["read-twice", "in-memory"])
def test_questions_on_disk_have_the_keys_of_those_in_memory(questions, keys, few, monkeypatch):
    monkeypatch.setattr(joining, "_FEW", few)
    run = made("a", question=questions)
    assert list(question_keys(run)) == keys
    run.inputs = {"question": PartedColumn([1, len(questions)], [questions[:1], questions[1:]].__getitem__)}
    assert list(question_keys(run)) == keys


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
            r"no items in common \(compared by their ids\); give both runs the same `id`",
        ),
        ({"question": ["A?"]}, {"question": ["B?"]}, r"\(compared by their questions\)"),
        (
            {"id": ["1"], "question": ["A?"]},
            {"id": ["2"], "question": ["B?"]},
            r"\(compared by their ids and questions\)",
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
