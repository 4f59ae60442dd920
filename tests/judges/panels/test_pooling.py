import json
from pathlib import Path

import pytest

from thresher.errors import InputError
from thresher.judges.panels.pooling import check_rule, pooled

GOLDEN = Path(__file__).parents[2] / "golden" / "judges2"
RULES = json.loads((GOLDEN / "juries_rules.json").read_text("utf-8"))["cases"]
RATINGS = json.loads((GOLDEN / "juries_ratings.json").read_text("utf-8"))["cases"]
VOTES = json.loads((GOLDEN / "juries_votes.json").read_text("utf-8"))["cases"]


def _expected(case):
    """Outcome of a case in words: a vote, `tie` or `unscored`."""
    weights = case.get("weights", [1] * len(case["votes"]))
    cast = [(vote, share) for vote, share in zip(case["votes"], weights, strict=True) if vote is not None]
    if len(cast) < max(1, case.get("min_votes", 1)):
        return "unscored"
    vote = pooled([vote for vote, _ in cast], case["rule"], [share for _, share in cast])
    return "tie" if vote is None else vote


def test_small_cases_of_the_rules():
    for case in RULES:
        expected = case["expect"]
        assert _expected(case) == ("tie" if expected == "tie_between_labels" else expected), case


def test_majorities_of_golden_votes():
    for case in VOTES:
        votes = [pooled([str(vote) for vote in row], "majority", [1] * len(row)) for row in case["votes"]]
        assert [None if vote is None else int(vote) for vote in votes] == case["expect"]["majority"], case[
            "id"
        ]


@pytest.mark.parametrize("rule", ["mean", "median", "max", "min"])
def test_golden_ratings(rule):
    for case in RATINGS:
        for row, expected in zip(case["ratings"], case["expect"][rule], strict=True):
            cast = [rating for rating in row if rating is not None]
            if cast:
                assert pooled(cast, rule, [1] * len(cast)) == pytest.approx(expected), (case["id"], row)


def test_a_majority_is_more_than_half_and_a_plurality_is_most():
    votes = ["A", "A", "B", "tie"]
    assert pooled(votes, "majority", [1] * 4) is None
    assert pooled(votes, "plurality", [1] * 4) == "A"


def test_weights_apply_to_ratings_too():
    assert pooled([1, 5], "weighted", [3, 1]) == 2
    assert pooled([1, 5], "weighted", [0, 0]) is None


def test_any_yes_is_the_reverse_of_unanimous():
    for votes, unanimous, any_ in (
        (["no", "no", "yes"], "no", "yes"),
        (["yes", "yes"], "yes", "yes"),
        (["no", "no"], "no", "no"),
        (["A", "B"], None, None),
    ):
        outcomes = tuple(pooled(votes, rule, [1] * len(votes)) for rule in ("unanimous", "any"))
        assert outcomes == (unanimous, any_), votes
    assert pooled([1, 2], "any", [1, 1]) == 1.5


def test_an_unknown_rule_lists_the_rules():
    with pytest.raises(InputError, match="pool='most' must be one of majority, plurality"):
        check_rule("most")
