import pytest

from thresher.reports.html.items.columns import kind_of, parts_of


def test_columns_of_the_vocabulary_play_their_parts():
    names = [
        "questions",
        "contexts",
        "predicted_answers",
        "ground_truth_answers",
        "retrieved_documents",
        "tag",
    ]
    assert parts_of(dict.fromkeys(names, ())) == {
        "questions": "question",
        "predicted_answers": "answer",
        "ground_truth_answers": "reference",
        "contexts": "contexts",
        "retrieved_documents": "retrieved",
    }


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ("question answer contexts ground_truth", "question answer contexts reference"),
        ("question answer contexts ground_truths", "question answer contexts reference"),
        ("user_input response retrieved_contexts reference", "question answer contexts reference"),
        ("question answer", "question answer"),
        ("input output expected", "question answer reference"),
        ("query prediction label", "question answer reference"),
        ("questions predicted_answers ground_truth_answers", "question answer reference"),
        ("prompt completion ideal", "question answer reference"),
    ],
)
def test_the_names_of_other_frameworks_play_the_parts_that_reading_gives_them(names, parts):
    names = names.split()
    assert parts_of({name: ["a"] for name in names}) == dict(zip(names, parts.split(), strict=True))


def test_an_answer_is_the_reference_where_another_column_holds_the_prediction():
    assert parts_of({"answer": ["x"], "predicted_answer": ["y"]}) == {
        "answer": "reference",
        "predicted_answer": "answer",
    }


def test_objects_are_drawn_only_where_a_column_holds_images():
    image = {"labels": ["cat"], "boxes": [[0, 0, 1, 1]]}
    assert kind_of([image, None], "truths") == "objects"
    assert kind_of([image], "") == "data"
    assert kind_of([{"cat": 0.5}], "predictions") == "data"
    assert kind_of([None, None]) == "data"
