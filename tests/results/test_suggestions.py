import pytest

from thresher.results.suggestions import similar_names, suggest

MEASURES = [
    "rouge1",
    "rouge2",
    "rougeL",
    "rougeLsum",
    "recall@10",
    "precision@10",
    "token_f1",
    "token_f1_micro",
]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("recall", ["recall@10"]),
        ("Recall@10", ["recall@10"]),
        ("recall@5", ["recall@10"]),
        ("token f1", ["token_f1", "token_f1_micro"]),
        ("tokenF1", ["token_f1", "token_f1_micro"]),
        ("rouge", ["rouge1", "rouge2", "rougeL"]),
        ("faithfulness", []),
        ("r", []),
        ("", []),
        (3, []),
    ],
)
def test_a_name_is_taken_for_those_that_it_resembles(given, found):
    assert similar_names(given, MEASURES) == found


def test_nothing_is_said_where_nothing_resembles():
    assert suggest("faithfulness", MEASURES) == ""
    assert suggest("rouge", MEASURES) == " (did you mean 'rouge1' or 'rouge2' or 'rougeL'?)"
