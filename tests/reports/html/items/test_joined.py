from thresher import EvaluationResults
from thresher.reports.html.items.joined import joined_items


def made(ids, **columns):
    inputs = {"id": list(ids)} if ids else {}
    size = len(ids or next(iter(columns.values())))
    return EvaluationResults.from_dict(
        {"inputs": inputs | columns, "metrics": [{"name": "hit", "scores": [1] * size}]}
    )


def test_items_of_the_first_run_come_first_and_each_stands_once():
    found = joined_items([made("abc"), made("cxa"), made("xyb")], ["one", "two", "three"])
    assert found.ids == ("a", "b", "c", "x", "y")
    assert found.places.tolist() == [[0, 2, -1], [1, -1, 2], [2, 0, -1], [-1, 1, 0], [-1, -1, 1]]


def test_runs_without_ids_are_joined_by_question_and_their_other_items_get_names():
    first, second = made("", question=["Who?", "When?"]), made("", question=["When?", "Why?"])
    found = joined_items([first, second], ["one", "two"])
    assert found.places.tolist() == [[0, -1], [1, 0], [-1, 1]]
    assert found.ids == ("row-1", "row-2", "two row-2")


def test_one_run_is_its_own_items():
    found = joined_items([made("ab")], ["one"])
    assert found.places.tolist() == [[0], [1]]


def test_names_of_other_items_are_free_also_if_the_first_run_has_such_ids():
    first = made(["two row-2", "two row-2 (two)", "x"], question=["Who?", "When?", "Where?"])
    found = joined_items([first, made("", question=["When?", "Why?"])], ["one", "two"])
    assert found.ids == ("two row-2", "two row-2 (two)", "x", "two row-2 (two) (two)")
    assert found.places.tolist() == [[0, -1], [1, 0], [2, -1], [-1, 1]]
