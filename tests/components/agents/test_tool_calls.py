import pytest
from haystack.dataclasses import ChatMessage, ToolCall

from thresher.components.agents import (
    ToolCallArgumentsEvaluator,
    ToolCallF1Evaluator,
    ToolCallOrderEvaluator,
    ToolCallPrecisionEvaluator,
    ToolCallRecallEvaluator,
)
from thresher.datasets import read_dataset
from thresher.errors import InputError
from thresher.results import Status


def call(name, **args):
    return {"name": name, "args": args}


def said(*calls):
    return [{"role": "assistant", "content": "ok", "tool_calls": list(calls)}]


def score(cls, called, expected, **options):
    return cls(**options).run(conversations=[said(*called)], reference_tool_calls=[list(expected)])["score"]


LYON, OSLO = call("weather", city="Lyon"), call("weather", city="Oslo")


def test_a_repeated_call_needs_an_expectation_for_each_time():
    assert score(ToolCallPrecisionEvaluator, [LYON, LYON], [LYON]) == 0.5
    assert score(ToolCallRecallEvaluator, [LYON, LYON], [LYON]) == 1.0
    assert score(ToolCallF1Evaluator, [LYON, LYON], [LYON]) == pytest.approx(2 / 3)


def test_micro_scores_count_all_calls_together():
    inputs = {"conversations": [said(LYON), said(LYON, OSLO, OSLO)], "reference_tool_calls": [[LYON], [LYON]]}
    result = ToolCallPrecisionEvaluator().run(**inputs)["result"]
    values = {measure.signature.metric: result.value(measure.signature.metric) for measure in result.measures}
    assert values == {"tool_call_precision": pytest.approx((1 + 1 / 3) / 2), "tool_call_precision_micro": 0.5}


def test_subset_and_superset_are_seen_from_the_call_that_was_made():
    small, large = call("book", nights=2), call("book", nights=2, guest="Ada")
    assert score(ToolCallRecallEvaluator, [small], [large], arguments="subset") == 1.0
    assert score(ToolCallRecallEvaluator, [large], [small], arguments="subset") == 0.0
    assert score(ToolCallRecallEvaluator, [large], [small], arguments="superset") == 1.0
    assert score(ToolCallRecallEvaluator, [small], [large], arguments="superset") == 0.0


def test_calls_are_matched_as_well_as_possible():
    """First fit pairs the small expected call with the large one, which leaves none for the other."""
    made = [call("book", a=1, b=2), call("book", a=1)]
    assert (
        score(
            ToolCallRecallEvaluator, made, [call("book", a=1), call("book", a=1, b=2)], arguments="superset"
        )
        == 1
    )


def test_arguments_of_listed_tools_are_compared_by_key():
    made = call("book", guest={"name": "Ada", "age": 30}, note="x")
    expected = call("book", guest={"name": "Ada"}, nights=None)
    assert (
        score(ToolCallRecallEvaluator, [made], [expected], arguments={"book": ["guest.name", "nights"]})
        == 1.0
    )
    assert score(ToolCallRecallEvaluator, [made], [expected], arguments={"book": ["guest.age"]}) == 0.0
    assert score(ToolCallRecallEvaluator, [made], [expected], arguments={"pay": []}) == 0.0


def test_texts_are_compared_as_the_option_says():
    made, expected = call("weather", city=" LYON"), call("weather", city="lyon")
    assert [
        score(ToolCallF1Evaluator, [made], [call("weather", city=city)], text=text)
        for city, text in ((" lyon", "casefold"), ("LYON", "strip"), ("lyon", "exact"))
    ] == [1.0, 1.0, 0.0]
    assert score(ToolCallF1Evaluator, [made], [expected], text="casefold") == 0.0


def test_invalid_arguments_match_only_where_arguments_do_not_count():
    broken = {"function": {"name": "weather", "arguments": "{city"}}
    rules = ["exact", "subset", "superset", "share", "ignore", {"weather": []}]
    scores = [score(ToolCallRecallEvaluator, [broken], [call("weather")], arguments=rule) for rule in rules]
    assert scores == [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def test_undefined_is_neither_zero_nor_one_unless_asked_for():
    for cls, called, expected, reason in (
        (ToolCallPrecisionEvaluator, [], [LYON], "no call was made"),
        (ToolCallRecallEvaluator, [LYON], [], "no call is expected"),
        (ToolCallF1Evaluator, [], [], "no call was made or expected"),
        (ToolCallOrderEvaluator, [], [], "no call was made or expected"),
        (ToolCallArgumentsEvaluator, [LYON], [call("time")], "no call of an expected tool was made"),
    ):
        inputs = {"conversations": [said(*called), said(LYON)], "reference_tool_calls": [expected, [LYON]]}
        result = cls().run(**inputs)["result"]
        assert result.status.tolist() == [Status.UNDEFINED, Status.SCORED]
        assert result.reasons[0] == reason
        assert cls(undefined="one").run(**inputs)["individual_scores"] == [1.0, 1.0]
        assert cls(undefined="zero").run(**inputs)["individual_scores"] == [0.0, 1.0]
    assert score(ToolCallPrecisionEvaluator, [LYON], []) == 0.0


def test_only_the_last_turn_counts_if_asked_for():
    ask = {"role": "user", "content": "and now?"}
    inputs = {"conversations": [[ask, *said(LYON), ask, *said(OSLO)]], "reference_tool_calls": [[OSLO]]}
    assert ToolCallPrecisionEvaluator().run(**inputs)["score"] == 0.5
    assert ToolCallPrecisionEvaluator(turns="last").run(**inputs)["score"] == 1.0


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ("exact", [1, 0, 0, 0]),
        ("ordered", [1, 1, 0, 0]),
        ("unordered", [1, 0, 1, 0]),
        ("subset", [1, 0, 1, 1]),
        ("superset", [1, 1, 1, 0]),
    ],
)
def test_orders(match, expected):
    a, b, c = call("a"), call("b"), call("c")
    called = [[a, b], [a, c, b], [b, a], [a]]
    inputs = {"conversations": [said(*calls) for calls in called], "reference_tool_calls": [[a, b]] * 4}
    assert ToolCallOrderEvaluator(match=match).run(**inputs)["individual_scores"] == expected


def test_haystack_messages_and_calls_are_read():
    message = ChatMessage.from_assistant(
        tool_calls=[ToolCall(tool_name="weather", arguments={"city": "Lyon"})]
    )
    expected = [ToolCall(tool_name="weather", arguments={"city": "Lyon"})]
    assert (
        ToolCallF1Evaluator().run(conversations=[[message]], reference_tool_calls=[expected])["score"] == 1.0
    )


def test_missing_entries_are_left_out_and_unreadable_ones_are_named():
    inputs = {"conversations": [said(LYON), None, said(LYON)], "reference_tool_calls": [[LYON], [LYON], None]}
    result = ToolCallF1Evaluator().run(**inputs)["result"]
    assert result.reasons == {1: "no entry in conversations", 2: "no entry in reference_tool_calls"}
    with pytest.raises(
        InputError, match=r"^conversations\[1\] holds messages\[0\].role that is the text 'x'; give"
    ):
        ToolCallF1Evaluator().run(
            conversations=[said(), [{"role": "x"}]], reference_tool_calls=[[LYON], [LYON]]
        )
    with pytest.raises(InputError, match=r"^reference_tool_calls\[0\] holds 5; give a list of messages"):
        ToolCallF1Evaluator().run(conversations=[said()], reference_tool_calls=[5])


def test_a_column_is_read_once_for_all_metrics(monkeypatch):
    read = []
    from thresher.metrics import conversations

    original = conversations.calls_of_plain
    monkeypatch.setattr(conversations, "calls_of_plain", lambda entry: read.append(1) or original(entry))
    data = read_dataset({"conversations": [said(LYON)] * 3, "reference_tool_calls": [[LYON]] * 3})
    for cls in (ToolCallF1Evaluator, ToolCallRecallEvaluator, ToolCallPrecisionEvaluator):
        assert cls().run(**data.columns)["score"] == 1.0
    assert len(read) == 3


@pytest.mark.parametrize("cls", [ToolCallF1Evaluator, ToolCallOrderEvaluator])
def test_the_evidence_names_extra_and_missing_calls(cls):
    chats = [said(LYON, LYON), said(), said(LYON), said()]
    inputs = {"conversations": chats, "reference_tool_calls": [[LYON, OSLO], [OSLO], [LYON], []]}
    assert cls().run(**inputs)["result"].evidence == (
        {"extra": ['weather(city="Lyon")'], "missing": ['weather(city="Oslo")']},
        {"missing": ['weather(city="Oslo")']},
        None,
        None,
    )
    assert not any(cls(arguments="subset").run(**inputs)["result"].evidence)
