import json

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher.judges import Rating, Texts, Verdicts, extract, judge_each, rate, rehearse
from thresher.judges.flow import Ask, Message
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.judges.panels.voting import TIE, voted
from thresher.judges.steps import answered
from thresher.results import Status

CLAIMS = json.dumps({"claims": ["one", "two"]})
FORM = Verdicts(("1", "2"))


def panel(judges=3, **settings):
    return JudgePanel([MockChatGenerator("-", model=f"judge-{n}") for n in range(1, judges + 1)], **settings)


def ask(schema, prompt="test"):
    return Ask(prompt, (Message("user", f"text of {prompt}"),), schema)


def verdicts(first, second="yes"):
    return json.dumps(
        {id_: {"reason": f"{word}.", "verdict": word} for id_, word in (("1", first), ("2", second))}
    )


def run(flow, replies, jury=None):
    """The outcome of a flow on a panel; `replies` are a function of ask and judge."""
    jury = jury or panel()
    asked = []

    def reply(question):
        asked.append((question.prompt, question.judge))
        return replies(question, question.judge)

    outcome = rehearse(voted(flow(), [flow() for _ in jury.judges], jury), reply)
    return outcome.value, asked


def claims_then_verdicts():
    claims = yield from answered(ask(Texts("claims"), "claims"))
    judged = yield from judge_each(ask(FORM, "verdicts"))
    return len(claims), [judged[id_].label for id_ in judged]


def rated():
    return (yield from rate(ask(Rating(1, 5))))


def script(*votes, claims=CLAIMS):
    return lambda question, judge: claims if question.prompt == "claims" else votes[judge]


def test_one_judge_extracts_and_all_judges_vote():
    value, asked = run(claims_then_verdicts, script(verdicts("yes"), verdicts("no"), verdicts("no")))
    assert value.pooled.value == (2, ["no", "yes"])
    assert asked == [("claims", 0), ("verdicts", 0), ("verdicts", 1), ("verdicts", 2)]
    assert [outcome.value for outcome in value.by_judge] == [
        (2, ["yes", "yes"]),
        (2, ["no", "yes"]),
        (2, ["no", "yes"]),
    ]
    assert [(ballot.subject, ballot.votes, ballot.pooled) for ballot in value.ballots] == [
        ("1", ("yes", "no", "no"), "no"),
        ("2", ("yes", "yes", "yes"), "yes"),
    ]


def test_a_named_judge_extracts():
    jury = panel(extractor="judge-3")
    _, asked = run(claims_then_verdicts, script(*[verdicts("yes")] * 3), jury)
    assert asked[0] == ("claims", 2)


def test_the_next_judge_extracts_if_the_call_fails():
    def reply(question, judge):
        return (
            ConnectionError("it is down")
            if judge == 0
            else (CLAIMS if question.prompt == "claims" else verdicts("no"))
        )

    value, asked = run(claims_then_verdicts, reply)
    assert value.pooled.value == (2, ["no", "yes"])
    assert asked[:2] == [("claims", 0), ("claims", 1)]
    assert [outcome.status for outcome in value.by_judge] == [Status.FAILED, Status.SCORED, Status.SCORED]
    value, _ = run(claims_then_verdicts, lambda *_: ConnectionError("all are down"))
    assert value.pooled.status is Status.FAILED
    assert "all are down" in value.pooled.reason


def test_the_reason_is_that_of_a_judge_with_the_pooled_verdict():
    def flow():
        return (yield from judge_each(ask(FORM)))

    value, _ = run(flow, script(verdicts("yes"), verdicts("no"), verdicts("no")))
    assert value.pooled.value["1"].reason == "no."


def test_ratings_are_pooled_by_their_mean_or_median():
    replies = [json.dumps({"reason": "r", "rating": rating}) for rating in (1, 5, 4)]
    value, _ = run(rated, script(*replies))
    assert value.pooled.value.rating == pytest.approx(10 / 3)
    value, _ = run(rated, script(*replies), panel(pool="median"))
    assert value.pooled.value.rating == 4


@pytest.mark.parametrize(
    ("lost", "status"), [(ConnectionError("it is down"), Status.FAILED), ("nonsense", Status.UNREADABLE)]
)
def test_a_lost_judge_lowers_the_votes_of_the_item(lost, status):
    value, asked = run(claims_then_verdicts, script(verdicts("no"), lost, verdicts("no")))
    assert value.pooled.value == (2, ["no", "yes"])
    assert value.ballots[0].votes == ("no", None, "no")
    assert value.by_judge[1].status is status
    assert len(asked) == (4 if status is Status.FAILED else 8)
    assert bool(value.unread) == (status is Status.UNREADABLE)


def test_too_few_votes_give_no_verdict():
    down = ConnectionError("it is down")
    value, _ = run(claims_then_verdicts, script(verdicts("no"), down, "nonsense"))
    assert value.pooled.status is Status.FAILED
    assert "1 of 3 judges voted, fewer than min_votes=2 (judge-2: verdicts: it is down" in value.pooled.reason
    assert {ballot.pooled for ballot in value.ballots} == {None}
    value, _ = run(claims_then_verdicts, script(verdicts("no"), down, "nonsense"), panel(min_votes=1))
    assert value.pooled.value == (2, ["no", "yes"])
    value, _ = run(claims_then_verdicts, script("nonsense", "nonsense", "nonsense"))
    assert value.pooled.status is Status.UNREADABLE
    assert [ballot.votes for ballot in value.ballots] == [(None, None, None)] * 2


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("undefined", Status.UNDEFINED),
        ("unreadable", Status.UNREADABLE),
        ("first", (2, ["yes", "yes"])),
        ("no", (2, ["no", "yes"])),
    ],
)
def test_a_tie_is_a_verdict_with_a_policy(ties, expected):
    value, _ = run(claims_then_verdicts, script(verdicts("yes"), verdicts("no")), panel(2, ties=ties))
    assert value.ballots[0].pooled == TIE
    if isinstance(expected, Status):
        assert value.pooled.status is expected
        assert "the votes of the judges tie on 1" in value.pooled.reason
    else:
        assert value.pooled.value == expected


def test_a_label_that_the_form_lacks_breaks_no_tie():
    value, _ = run(claims_then_verdicts, script(verdicts("yes"), verdicts("no")), panel(2, ties="B"))
    assert value.pooled.status is Status.UNDEFINED
    replies = [json.dumps({"reason": "r", "rating": rating}) for rating in (1, 5, 5)]
    weighted = panel(pool="weighted", weights=[0, 0, 1], min_votes=1, ties="no")
    value, _ = run(rated, script(replies[0], replies[1], "nonsense"), weighted)
    assert value.pooled.status is Status.UNDEFINED
    assert "tie on rating" in value.pooled.reason


def test_an_extraction_that_cannot_be_read_is_asked_again_and_fails_the_item():
    value, asked = run(claims_then_verdicts, script(*[verdicts("yes")] * 3, claims="nonsense"))
    assert value.pooled.status is Status.UNREADABLE
    assert asked == [("claims", 0)] * 5


def test_a_judge_whose_votes_lead_to_another_ask_has_no_score():
    def flow():
        first = yield from judge_each(ask(Verdicts(("1",)), "first"))
        second = f"then {first['1'].label}"
        return (yield from judge_each(ask(Verdicts(("1",)), second)))["1"].label

    value, asked = run(
        flow, script(*(json.dumps({"1": {"reason": "r", "verdict": word}}) for word in ("yes", "no", "no")))
    )
    assert value.pooled.value == "no"
    assert [outcome.status for outcome in value.by_judge] == [Status.UNDEFINED, Status.SCORED, Status.SCORED]
    assert len(asked) == 6


def test_judges_that_answer_in_their_own_words_are_asked_all_about_the_item():
    def flow():
        return (yield from answered(ask(Texts("claims", decides=True), "own")))

    texts = [json.dumps({"claims": [f"claim of {judge}"]}) for judge in range(3)]
    value, asked = run(flow, script(*texts))
    assert value.pooled is None
    assert [outcome.value for outcome in value.by_judge] == [(f"claim of {judge}",) for judge in range(3)]
    assert asked == [("own", 0), ("own", 1), ("own", 2)]


def test_an_empty_text_is_extracted_without_a_call():
    def flow():
        return (yield from extract(None, "claims", " "))

    value, asked = run(flow, script())
    assert value.pooled.value == ()
    assert not asked
    assert not value.ballots
