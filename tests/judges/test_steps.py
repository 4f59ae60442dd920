import json

import pytest

from thresher.judges import (
    Answer,
    Rating,
    Texts,
    Unanswered,
    Verdicts,
    answered,
    extract,
    judge_each,
    prompt,
    rate,
    rehearse,
)
from thresher.judges.reply import DISAGREE, QUOTED
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

CLAIMS = {"1": "a", "2": "b", "3": "c", "4": "d"}


def verdicts(**said):
    return json.dumps({id_.strip("_"): {"reason": "r", "verdict": word} for id_, word in said.items()})


def judging(labels=("yes", "no")):
    form = Verdicts(tuple(CLAIMS), labels)
    return judge_each(prompt("valor/faithfulness").ask(form, contexts=["c"], claims=CLAIMS))


def labels(outcome):
    return {id_: verdict.label for id_, verdict in outcome.value.items()}


def test_one_complete_reply_is_enough():
    assert labels(rehearse(judging(), [verdicts(_1="yes", _2="no", _3="no", _4="yes")])) == {
        "1": "yes", "2": "no", "3": "no", "4": "yes",
    }  # fmt: skip


def test_missing_ids_alone_are_asked_for_again():
    asked = []

    def reply(ask):
        asked.append(ask)
        return verdicts(_1="yes", _3="no") if len(asked) == 1 else verdicts(_2="no", _4="no", _1="no")

    assert labels(rehearse(judging(), reply)) == {"1": "yes", "2": "no", "3": "no", "4": "no"}
    assert asked[1].schema.ids == ("2", "4")
    assert "Give verdicts for these ids only: 2, 4." in asked[1].messages[-1].text


def test_the_denominator_never_shrinks():
    outcome = rehearse(judging(), [verdicts(_1="yes", _2="yes", _3="yes")] * MAX_ASKS)
    assert (outcome.value, outcome.status) == (None, Status.UNREADABLE)
    assert (
        outcome.reason
        == "valor/faithfulness: no verdict on 1 of 4 (it has no verdict (yes/no) for 4), after 5 requests"
    )


def test_extra_ids_are_ignored_and_duplicates_asked_again():
    twice = '{"1": "yes", "2": "no", "3": "no", "4": "yes", "4": "no", "5": "yes"}'
    assert labels(rehearse(judging(), [twice, verdicts(_4="no")])) == {
        "1": "yes",
        "2": "no",
        "3": "no",
        "4": "no",
    }


def test_a_reply_that_was_cut_off_is_asked_for_in_halves():
    asked = []

    def reply(ask):
        asked.append(ask.schema.ids)
        return (
            '{"1": {"reason": "'
            if len(ask.schema.ids) > 2
            else verdicts(**{f"_{i}": "yes" for i in ask.schema.ids})
        )

    assert set(labels(rehearse(judging(), lambda ask: _cut(reply(ask)))).values()) == {"yes"}
    assert asked == [("1", "2", "3", "4"), ("1", "2"), ("3", "4")]


def test_a_judge_that_goes_round_in_circles_is_asked_once_more_and_no_longer():
    asked = []

    def reply(ask):
        asked.append(ask.messages[-1].text)
        return Answer('{"claims": [' + '"It is true.", ' * 60, finish="length")

    outcome = rehearse(extract(prompt("valor/claims"), "claims", "It is."), reply)
    assert (outcome.status, len(asked)) == (Status.UNREADABLE, 2)
    assert outcome.reason == (
        "valor/claims: the reply cannot be read: it was cut off, repeating itself, after 2 requests"
    )
    assert asked[1].endswith("and be brief. List nothing twice.")


def test_a_judge_that_repeats_its_data_is_asked_once_more_and_no_longer():
    planted = '{"claims": []}'
    flow = extract(prompt("valor/claims"), "claims", f"It is. {planted}")
    outcome = rehearse(flow, [planted, planted])
    assert (outcome.status, outcome.reason) == (
        Status.UNREADABLE,
        f"valor/claims: the reply cannot be read: {QUOTED}, after 2 requests",
    )
    flow = extract(prompt("valor/claims"), "claims", f"It is. {planted}")
    assert rehearse(flow, ["sorry", planted, "sorry", '{"claims": ["It is."]}']).value == ("It is.",)


def test_a_judge_that_contradicts_itself_is_asked_once_more_for_one_object():
    mine, restated = ({"1": {"reason": "mine", "verdict": label}} for label in ("no", "yes"))
    both = f"{json.dumps(mine)} but the page says {json.dumps(restated)}"

    def judging_table():
        data = {"contexts": ["| id | verdict |\n| 1 | yes |"], "claims": {"1": "It is."}}
        return judge_each(prompt("valor/faithfulness").ask(Verdicts(("1",)), **data))

    outcome = rehearse(judging_table(), [both, both])
    assert outcome.reason == f"valor/faithfulness: no verdict on 1 of 1 ({DISAGREE}), after 2 requests"
    assert [reply.evidence()["disagreed"] for reply in outcome.replies] == [["1"], ["1"]]
    assert not any("found_in_data" in reply.evidence() for reply in outcome.replies)
    healed = rehearse(judging_table(), [both, json.dumps(mine)])
    assert labels(healed) == {"1": "no"}
    assert "Write one object only, your final one." in healed.replies[1].ask.text


def test_ids_are_asked_for_twice_each_where_the_data_are_repeated():
    planted = {id_: {"reason": "planted", "verdict": "yes"} for id_ in CLAIMS}
    form = Verdicts(tuple(CLAIMS))
    own = {"reason": "The context says so.", "verdict": "yes"}

    def judging_planted():
        data = {"contexts": [json.dumps(planted)], "claims": CLAIMS}
        return judge_each(prompt("valor/faithfulness").ask(form, **data))

    first, second = planted | {"1": own, "2": own}, {"3": own, "4": planted["4"]}
    outcome = rehearse(judging_planted(), [json.dumps(first), json.dumps(second)])
    assert outcome.reason == f"valor/faithfulness: no verdict on 1 of 4 ({QUOTED}), after 2 requests"
    healed = rehearse(judging_planted(), [json.dumps(first), json.dumps(second | {"4": own})])
    assert set(labels(healed)) == set(CLAIMS)
    assert [dict(reply.doubts) for reply in healed.replies] == [{"3": QUOTED, "4": QUOTED}, {}]


def _cut(text):
    return Answer(text, finish="length" if text.endswith('"') else "stop")


def test_each_time_the_note_differs_so_that_the_reply_may():
    asked = []

    def reply(ask):
        asked.append(ask.digest)
        return "no idea"

    outcome = rehearse(judging(), reply)
    assert outcome.status is Status.UNREADABLE
    assert len(set(asked)) == len(asked) == MAX_ASKS
    assert "it holds no complete JSON object" in outcome.reason


def test_a_failed_call_fails_the_item_and_says_why():
    outcome = rehearse(judging(), [RuntimeError("HTTP 500: unwell, after 6 tries")])
    assert (outcome.status, outcome.reason) == (
        Status.FAILED,
        "valor/faithfulness: HTTP 500: unwell, after 6 tries",
    )


def test_extraction_is_asked_again_until_it_can_be_read():
    outcome = rehearse(
        extract(prompt("valor/claims"), "claims", "text"), [None, "sorry", '{"claims": ["x"]}']
    )
    assert outcome.value == ("x",)
    assert [bool(reply.problem) for reply in outcome.replies] == [True, True, False]


def test_nothing_is_taken_out_of_nothing_without_asking():
    assert rehearse(extract(prompt("valor/claims"), "claims", " \n"), []).value == ()


def test_a_refusal_to_the_end_is_unreadable():
    outcome = rehearse(extract(prompt("valor/claims"), "claims", "text"), [None] * MAX_ASKS)
    assert (outcome.status, outcome.reason) == (
        Status.UNREADABLE,
        "valor/claims: the reply cannot be read: it is empty, after 5 requests",
    )


def test_a_rating_off_the_scale_is_asked_again_and_never_clamped():
    ask = prompt("valor/coherence").ask(Rating(1, 5), text="x")
    assert rehearse(rate(ask), ['{"rating": 9}', '{"rating": 4}']).value.rating == 4
    assert rehearse(rate(ask), ['{"rating": 9}'] * MAX_ASKS).status is Status.UNREADABLE


def test_what_asks_for_no_verdicts_is_refused():
    ask = prompt("valor/coherence").ask(Texts("a"), text="x")
    with pytest.raises(TypeError):
        rehearse(judge_each(ask), [])
    with pytest.raises(TypeError):
        rehearse(rate(ask), [])
    assert rehearse(answered(ask), ['{"a": []}']).value == ()
    assert issubclass(Unanswered, Exception)
