from thresher.reports.html.items.joined import JoinedItems, joined_items
from thresher.reports.html.items.repeats import repeated_rows, repeated_runs
from thresher.reports.runs.run_data import RunData


def run(settings=None, **inputs):
    return RunData(
        {"id": ["a", "b", "c"], **inputs}, [], provenance={"settings": settings} if settings else {}
    )


def test_runs_with_equal_settings_are_repeats_whatever_their_order():
    runs = [
        run({"top_k": 3, "search": "bm25", "repeat": 1}),
        run({"top_k": 5, "search": "bm25"}),
        run(),
        run({"search": "bm25", "top_k": 3, "repeat": 2}),
        run(),
    ]
    assert repeated_runs(runs) == [[0, 3]]


def test_items_of_one_repeat_share_a_code_and_others_have_their_own():
    repeated = [run(repeat_of=["x", "y", "x"])]
    assert repeated_rows(repeated, joined_items(repeated, ["A"])) == [0, 1, 0]
    alone = [run()]
    assert repeated_rows(alone, joined_items(alone, ["A"])) is None


def test_an_item_that_only_a_run_without_repeats_has_repeats_nothing():
    import numpy as np

    items = JoinedItems(("a", "b", "c", "d"), 2, np.array([[0, 0], [1, 1], [2, 2], [-1, 3]]))
    assert repeated_rows([run(repeat_of=["x", "x", "x"]), run()], items) == [0, 0, 0, 1]
