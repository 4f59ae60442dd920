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
    assert parts_of(names) == {
        "questions": "question",
        "predicted_answers": "answer",
        "ground_truth_answers": "reference",
        "contexts": "contexts",
        "retrieved_documents": "retrieved",
    }


def test_an_answer_is_the_reference_where_another_column_holds_the_prediction():
    assert parts_of(["answer", "predicted_mood"]) == {"answer": "reference", "predicted_mood": "answer"}


def test_objects_are_drawn_only_where_a_column_holds_images():
    image = {"labels": ["cat"], "boxes": [[0, 0, 1, 1]]}
    assert kind_of([image, None], "truths") == "objects"
    assert kind_of([image], "") == "data"
    assert kind_of([{"cat": 0.5}], "predictions") == "data"
    assert kind_of([None, None]) == "data"
