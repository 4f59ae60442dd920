import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge, blocks_of, with_logprobs
from thresher.components.judged.geval.criteria import CRITERIA
from thresher.components.judged.geval.geval import GEvalEvaluator
from thresher.errors import InputError
from thresher.judges import asking, estimating
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

STEPS = ["Read it.", "Rate it."]
SHARES = {4: 0.6, 5: 0.2, "x": 0.1, 9: 0.1}


def run(replies, number=1, **options):
    judge = Judge(replies)
    evaluator = GEvalEvaluator(judge, **({"steps": STEPS} | options))
    with asking(cache=False):
        result = evaluator.run(questions=["q"] * number, predicted_answers=[f"a{n}" for n in range(number)])[
            "result"
        ]
    return result, judge


def rated(number):
    return json.dumps({"rating": number})


def test_the_rating_is_weighted_by_the_probabilities_on_the_scale():
    result, judge = run([with_logprobs(4, SHARES)])
    assert result.score == pytest.approx((4 * 0.6 + 5 * 0.2) / 0.8)
    told = result.evidence[0]
    assert told["weighting"] == "log-probabilities"
    assert told["probabilities"] == pytest.approx({"4": 0.75, "5": 0.25})
    assert told["mass"] == pytest.approx(0.8)
    assert result.value("geval_by_logprobs") == 1.0
    assert len(judge.prompts) == 1


def test_without_log_probabilities_samples_are_drawn_and_the_result_says_so():
    result, judge = run([rated(n) for n in (4, 5, 4, 3)], samples=4)
    assert result.score == 4.0
    told = result.evidence[0]
    assert (told["weighting"], told["asked"]) == ("samples", 4)
    assert told["probabilities"] == {"3": 0.25, "4": 0.5, "5": 0.25}
    assert result.value("geval_by_logprobs") == 0.0
    assert len(judge.prompts) == 4


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_samples_give_their_mean(ratings):
    result, _ = run([rated(n) for n in ratings], samples=len(ratings), weighting="samples")
    assert result.score == pytest.approx(sum(ratings) / len(ratings))


def test_samples_are_drawn_though_there_are_log_probabilities_where_they_are_wanted():
    replies = [with_logprobs(4, SHARES), with_logprobs(5, SHARES)]
    assert run(replies, samples=2, weighting="samples")[0].score == 4.5


def test_one_rating_as_it_is():
    result, _ = run([with_logprobs(4, SHARES)], weighting="none")
    assert (result.score, result.evidence[0]["weighting"]) == (4.0, "one rating")


def test_log_probabilities_or_no_score():
    result, _ = run([rated(4)], weighting="logprobs")
    assert result.status.tolist() == [Status.FAILED]
    assert "gives no log-probabilities" in result.reasons[0]


def test_a_scale_beyond_single_digits_is_sampled():
    """The token 1 might be the beginning of a 10."""
    replies = [with_logprobs(7, {7: 0.5, 1: 0.5}), rated(9)]
    result, _ = run(replies, scale=[1, 10], samples=2)
    assert (result.score, result.evidence[0]["weighting"]) == (8.0, "samples")
    assert result.measures[0].bounds == (1.0, 10.0)


def test_log_probabilities_that_do_not_make_up_the_reply_are_not_used():
    text, logprobs = with_logprobs(4, SHARES)
    result, _ = run([(text + " ", logprobs), rated(2)], samples=2)
    assert result.evidence[0]["weighting"] == "samples"


@pytest.mark.parametrize("rest", [', "reason": "It has ', ', "note": "'])
def test_the_token_of_the_rating_counts_and_not_the_same_number_elsewhere(rest):
    text, logprobs = with_logprobs(4, SHARES)
    alike = [
        {"token": rest, "logprob": 0.0, "top_logprobs": []},
        {"token": "4", "logprob": 0.0, "top_logprobs": [{"token": "4", "logprob": 0.0}]},
        {"token": ' parts."}', "logprob": 0.0, "top_logprobs": []},
    ]
    content = [*logprobs["content"][:-1], *alike]
    told = "".join(entry["token"] for entry in content)
    assert run([(told, {"content": content})])[0].score == run([(text, logprobs)])[0].score


def test_log_probabilities_alone_need_ratings_of_one_token():
    for scale in ([0, 10], [-1, 5]):
        with pytest.raises(InputError, match=r"scale=\[.* must be within 0 and 9 for weighting='logprobs'"):
            GEvalEvaluator(scale=scale, weighting="logprobs")
    assert GEvalEvaluator(scale=[0, 9], weighting="logprobs").scale == [0, 9]


def test_a_socket_that_is_not_given_is_named():
    with pytest.raises(InputError, match=r"^predicted_answers is missing; give questions, predicted_answers"):
        GEvalEvaluator(Judge([])).run(questions=["q"])


def test_a_rating_off_the_scale_is_asked_for_again():
    assert run([rated(12), with_logprobs(4, {4: 1.0})])[0].score == 4.0
    assert run([rated(12)] * MAX_ASKS)[0].status.tolist() == [Status.UNREADABLE]


def test_steps_are_made_once_and_kept():
    def reply(text):
        return (
            rated(3) if "steps" in blocks_of(text) else json.dumps({"steps": [f"Step {len(judge.prompts)}."]})
        )

    judge = Judge(reply)
    evaluator = GEvalEvaluator(judge, criteria="Is it polite?", weighting="none")
    with asking(cache=False):
        first = evaluator.run(questions=["q", "p"], predicted_answers=["a", "b"])["result"]
        second = asyncio.run(evaluator.run_async(questions=["r"], predicted_answers=["c"]))["result"]
    assert len(judge.prompts) == 4
    assert [told["steps"] for told in (*first.evidence, *second.evidence)] == [["Step 1."]] * 3
    assert blocks_of(judge.prompts[0])["criteria"] == "Is it polite?"
    assert blocks_of(judge.prompts[1])["steps"] == '{"1": "Step 1."}'


@pytest.mark.parametrize(
    ("reply", "status"), [(ConnectionResetError("gone"), Status.FAILED), ('{"steps": []}', Status.UNREADABLE)]
)
def test_without_steps_no_item_is_rated_and_the_next_run_asks_again(reply, status, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    judge = Judge(lambda _: reply)
    evaluator = GEvalEvaluator(judge)
    for _ in range(2):
        asked = len(judge.prompts)
        result = evaluator.run(questions=["q", "p"], predicted_answers=["a", "b"])["result"]
        assert result.status.tolist() == [status, status]
        assert result.reasons[0].startswith("there are no steps: ")
        assert len(judge.prompts) > asked


def test_steps_of_an_estimate_are_not_kept():
    judge = Judge(lambda text: rated(3) if "steps" in blocks_of(text) else json.dumps({"steps": ["Real."]}))
    evaluator = GEvalEvaluator(judge, weighting="none")
    with estimating() as estimate:
        evaluator.run(questions=["q"], predicted_answers=["a"])
    assert (estimate.calls, judge.prompts) == (2, [])
    result = evaluator.run(questions=["q"], predicted_answers=["a"])["result"]
    assert result.evidence[0]["steps"] == ["Real."]


@pytest.mark.parametrize(
    ("weighting", "reply", "exact"),
    [
        ("none", rated(4), True),
        ("samples", rated(4), True),
        ("logprobs", with_logprobs(4, SHARES), True),
        ("auto", rated(4), True),
        ("auto", with_logprobs(4, SHARES), False),
    ],
)
def test_an_estimate_tells_the_calls_and_never_too_few(weighting, reply, exact):
    def says(text):
        return reply if "steps" in blocks_of(text) else json.dumps({"steps": STEPS})

    options = {"weighting": weighting, "samples": 4}
    columns = {"questions": ["q", "q"], "predicted_answers": ["a", "b"]}
    with estimating() as estimate:
        GEvalEvaluator(Judge(says), **options).run(**columns)
    judge = Judge(says)
    with asking(cache=False):
        assert GEvalEvaluator(judge, **options).run(**columns)["result"].n_scored == 2
    assert (estimate.calls == len(judge.prompts)) is exact
    assert estimate.calls >= len(judge.prompts)


def test_no_items_ask_nobody():
    judge = Judge([])
    assert len(GEvalEvaluator(judge).run(questions=[], predicted_answers=[])["result"]) == 0
    assert GEvalEvaluator(judge).run(questions=[None], predicted_answers=["a"])["result"].n_scored == 0
    assert judge.prompts == []


def test_the_judge_sees_the_chosen_sockets_in_their_order():
    judge = Judge(lambda _: rated(3))
    evaluator = GEvalEvaluator(
        judge, steps=STEPS, weighting="none", inputs=["contexts", "predicted_answers", "ground_truth_answers"]
    )
    evaluator.run(contexts=[["c", "d"]], predicted_answers=["a"], ground_truth_answers=["r"])
    shown = {"context 1": "c", "context 2": "d", "answer": "a", "reference": "r"}
    assert blocks_of(judge.prompts[0])["material"] == json.dumps(shown)


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_criteria_by_name(name):
    judge = Judge(lambda _: rated(3))
    GEvalEvaluator(judge, criteria=name, steps=STEPS, weighting="none").run(
        questions=["q"], predicted_answers=["a"]
    )
    assert blocks_of(judge.prompts[0])["criteria"] == CRITERIA[name]


@pytest.mark.parametrize(
    "options",
    [
        {"criteria": " "},
        {"steps": []},
        {"steps": "Read it."},
        {"steps": [""]},
        {"inputs": []},
        {"inputs": "questions"},
        {"inputs": ["retrieved_documents"]},
        {"inputs": ["questions", "questions"]},
        {"scale": [5, 1]},
        {"scale": [1, 5.0]},
        {"scale": [1]},
        {"weighting": "all"},
        {"samples": 0},
        {"temperature": "hot"},
    ],
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        GEvalEvaluator(**options)
