import pytest

from thresher.components.judged.prometheus.rubrics import RUBRICS, PrometheusRubric, rubric_of
from thresher.errors import InputError

SCORES = {str(score): f"Like {score}." for score in range(1, 6)}


@pytest.mark.parametrize("name", sorted(RUBRICS))
def test_every_named_rubric_is_complete(name):
    rubric = rubric_of("rubric", name)
    assert len(set(rubric.scores)) == 5
    assert rubric.criteria.endswith("?")


@pytest.mark.parametrize(
    "entry",
    [
        {"criteria": "Is it polite?", **SCORES},
        {"criterion": "Is it polite?", **{int(score): told for score, told in SCORES.items()}},
        {
            "criteria": "Is it polite?",
            **{f"score{score}_description": told for score, told in SCORES.items()},
        },
        {**dict(reversed(SCORES.items())), "criteria": " Is it polite? "},
    ],
)
def test_the_keys_that_people_use(entry):
    assert rubric_of("rubric", entry) == PrometheusRubric("Is it polite?", tuple(SCORES.values()))


def test_a_rubric_as_the_judge_sees_it():
    assert PrometheusRubric("Is it polite?", tuple(SCORES.values())).written().splitlines()[:2] == [
        "[Is it polite?]",
        "Score 1: Like 1.",
    ]


def test_criteria_are_enough_where_no_scores_are_needed():
    for entry in ("Is it polite?", {"criteria": "Is it polite?"}):
        assert rubric_of("rubric", entry, needs_scores=False) == PrometheusRubric("Is it polite?")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("politeness", "one of the names helpfulness"),
        ("Is it polite?", "is not a rubric"),
        (None, "is not a rubric"),
        (SCORES, "has no `criteria`"),
        ({"criteria": " ", **SCORES}, "has no `criteria`"),
        ({"criteria": "Is it?", "1": "a", "2": "b"}, "no description of the score 3"),
        ({"criteria": "Is it?", **SCORES, "6": "x"}, "has the key '6'"),
        ({"criteria": "Is it?", **SCORES, "3": " "}, "no description of the score 3"),
    ],
)
def test_what_is_no_rubric_says_why(entry, told):
    with pytest.raises(InputError, match=told):
        rubric_of("rubric", entry)
