"""Claims located in the answer, with the passages that decide them."""

import json

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher.components import (
    HaystackFaithfulnessEvaluator,
    RagasFactualCorrectnessEvaluator,
    RagasFaithfulnessEvaluator,
    ValorFaithfulnessEvaluator,
    ValorHallucinationEvaluator,
)
from thresher.errors import InputError
from thresher.judges import asking
from thresher.results import Status

ANSWER = "🏭 The mill  was built in 1821. It burned down twice. The owner sold it in 1904."
CONTEXTS = ["The owner sold the mill in 1910.", "The mill of 1821 still has its wheel."]
CLAIMS = ["The mill was built in 1821.", "The mill burned down twice.", "The owner sold it in 1904."]
VERDICTS = {
    "1": ("The mill was built in 1821.", ["The mill of 1821"], "supported"),
    "2": ("it burned to the ground on two occasions", ["It burned"], "unsupported"),
    "3": ("The owner sold it in 1904", ["sold the mill in 1910"], "contradicted"),
}
FIELDS = ("quote", "passages", "verdict")
REPLY = {id_: {**dict(zip(FIELDS, row, strict=True)), "reason": f"r{id_}"} for id_, row in VERDICTS.items()}
FIRST = {"start": 2, "end": 30, "how": "normalised", "quote": "The mill  was built in 1821."}
LAST = {"start": 53, "end": 78, "how": "exact", "quote": "The owner sold it in 1904"}


def judge(*replies):
    """A judge that extracts CLAIMS and gives these replies to all other requests, the last one repeatedly."""
    prompts, left = [], list(replies)

    def reply(messages):
        text = messages[-1].text
        prompts.append(text)
        for key in ("claims", "statements"):
            if f'holds the list "{key}"' in text:
                return json.dumps({key: CLAIMS})
        return json.dumps(left.pop(0) if len(left) > 1 else left[0])

    return MockChatGenerator(response_fn=reply), prompts


def run(metric, *replies, columns=(), **options):
    generator, prompts = judge(*replies)
    data = {"questions": ["q"], "contexts": [CONTEXTS], "predicted_answers": [ANSWER]}
    with asking(cache=False):
        result = metric(generator, **options).run(**{name: data[name] for name in columns})["result"]
    return result, prompts


def valor(*replies, **options):
    return run(ValorFaithfulnessEvaluator, *replies, columns=("contexts", "predicted_answers"), **options)


def test_claims_are_located_with_the_passages_that_decide_them():
    result, prompts = valor(REPLY, spans=True)
    assert (result.item_scores().tolist(), len(prompts)) == ([1 / 3], 2)
    claims = result.evidence[0]["claims"]
    assert [claim["verdict"] for claim in claims] == ["supported", "unsupported", "contradicted"]
    assert [claim["span"] for claim in claims] == [FIRST, None, LAST]
    assert ANSWER[FIRST["start"] : FIRST["end"]] == FIRST["quote"]
    assert [claim["passages"] for claim in claims] == [
        [{"context": 2, "start": 0, "end": 16, "how": "exact", "quote": "The mill of 1821"}],
        [],
        [{"context": 1, "start": 10, "end": 31, "how": "exact", "quote": "sold the mill in 1910"}],
    ]


def test_without_the_option_prompts_evidence_and_signature_are_as_before():
    plain = {id_: {"reason": "r", "verdict": "yes"} for id_ in REPLY}
    result, prompts = valor(plain)
    assert set(result.evidence[0]["claims"][0]) == {"id", "text", "verdict", "reason"}
    assert "spans" not in str(result.measures[0].signature)
    assert "<answer" not in prompts[1]
    signature = str(valor(REPLY, spans=True)[0].measures[0].signature)
    assert "|spans:yes|" in signature
    assert "valor/faithfulness.spans@" in signature


@pytest.mark.parametrize("metric", [ValorFaithfulnessEvaluator, RagasFaithfulnessEvaluator])
def test_characters_are_scored_if_every_claim_is_located(metric):
    second = {"2": {**REPLY["2"], "quote": "It burned down twice."}}
    columns = ("questions", "contexts", "predicted_answers")
    columns = columns if metric is RagasFaithfulnessEvaluator else columns[1:]
    result, prompts = run(metric, REPLY, second, columns=columns, spans="characters")
    assert result.item_scores().tolist() == [28 / (28 + 21 + 25)]
    counts = {name: column.tolist() for name, column in result.statistics.items()}
    assert (counts["supported_characters"], counts["claimed_characters"]) == ([28], [74])
    assert "Give verdicts for these ids only: 2." in prompts[2]


def test_a_claim_that_cannot_be_located_leaves_no_score_in_characters():
    result, _ = valor(REPLY, spans="characters")
    assert result.status.tolist() == [Status.UNREADABLE]
    assert "no verdict on 1 of 3" in result.reasons[0]


def test_where_spans_overlap_the_worst_verdict_counts():
    reply = {**REPLY, "2": {**REPLY["2"], "quote": "built in 1821"}}
    result, _ = valor(reply, spans="characters")
    assert result.item_scores().tolist() == [(28 - 13) / (28 + 25)]


def test_hallucination_locates_what_contradicts_a_context():
    reply = {
        "1": {"quote": "sold it in 1904", "passages": ["in 1910"], "reason": "r", "verdict": "contradicted"},
        "2": {"quote": "", "passages": [], "reason": "r", "verdict": "compatible"},
    }
    columns = ("contexts", "predicted_answers")
    result, prompts = run(ValorHallucinationEvaluator, reply, columns=columns, spans=True)
    assert (result.item_scores().tolist(), len(prompts)) == ([0.5], 1)
    first, second = result.evidence[0]["contexts"]
    assert (first["span"], second["span"]) == (
        {"start": 63, "end": 78, "how": "exact", "quote": "sold it in 1904"},
        None,
    )
    assert first["passages"][0]["quote"] == "in 1910"
    result, _ = run(ValorHallucinationEvaluator, reply, columns=columns, spans="characters")
    assert result.item_scores().tolist() == [15 / len(ANSWER)]


STATEMENTS = {"statements": [{"statement": text, **REPLY[str(n)]} for n, text in enumerate(CLAIMS, 1)]}
LOCATED = {
    "statements": [STATEMENTS["statements"][0], {**STATEMENTS["statements"][2], "passages": "in 1910"}]
}


def haystack_judge(*replies):
    left = list(replies)
    return MockChatGenerator(response_fn=lambda _: json.dumps(left.pop(0)))


def haystack(*replies, **options):
    metric = HaystackFaithfulnessEvaluator(haystack_judge(*replies), **options)
    with asking(cache=False):
        return metric.run(questions=["q"], contexts=[CONTEXTS], predicted_answers=[ANSWER])


def test_statements_of_haystack_are_located_in_their_one_reply():
    outputs = haystack(STATEMENTS, spans=True)
    assert outputs["score"] == 1 / 3
    assert outputs["results"][0]["statement_scores"] == [1, 0, 0]
    statements = outputs["result"].evidence[0]["statements"]
    assert [entry["verdict"] for entry in statements] == ["supported", "unsupported", "contradicted"]
    assert [entry["span"] for entry in statements] == [FIRST, None, LAST]
    assert "haystack/faithfulness.spans@" in str(outputs["result"].measures[0].signature)


def test_a_statement_of_haystack_without_a_place_is_asked_for_again_if_characters_count():
    outputs = haystack(STATEMENTS, LOCATED, spans="characters")
    assert outputs["score"] == 28 / (28 + 25)
    replies = outputs["result"].evidence[0]["replies"]
    assert replies[0]["problem"] == f'the "quote" of this statement is not in the answer: {CLAIMS[1]}'
    assert len(replies) == 2


def test_factual_correctness_locates_claims_in_the_answer_and_passages_in_each_reference():
    generator, prompts = judge(REPLY)
    metric = RagasFactualCorrectnessEvaluator(generator, mode="precision", spans=True)
    references = [["Built in 1821.", "The mill of 1821, sold in 1904."]]
    with asking(cache=False):
        result = metric.run(predicted_answers=[ANSWER], ground_truth_answers=references)["result"]
    assert result.score == 1 / 3
    first, second = (entry["answer"] for entry in result.evidence[0]["references"])
    assert first[0]["span"] == second[0]["span"] == FIRST
    assert (first[0]["passages"], second[0]["passages"][0]["reference"]) == ([], 2)
    assert sum('"passages"' in prompt for prompt in prompts) == 2


def test_the_recall_of_factual_correctness_keeps_its_prompt():
    def reply(messages):
        text = messages[-1].text
        if 'holds the list "claims"' in text:
            return json.dumps({"claims": CLAIMS[:1]})
        verdict = REPLY["1"] if '"passages"' in text else {"reason": "r", "verdict": "yes"}
        return json.dumps({"1": verdict})

    metric = RagasFactualCorrectnessEvaluator(MockChatGenerator(response_fn=reply), spans=True)
    result = metric.run(predicted_answers=[ANSWER], ground_truth_answers=["Built in 1821."])["result"]
    assert result.score == 1.0
    assert "faithfulness.spans@" in str(result.measures[0].signature)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spans": True, "mode": "recall"}, "spans=True locates claims of the answer, which mode='recall'"),
        ({"spans": "characters", "compat": "ragas-0.4"}, "leave out compat='ragas-0.4'"),
        ({"spans": "words"}, "spans='words' must be True or False or 'characters'"),
    ],
)
def test_options_that_exclude_each_other(options, message):
    with pytest.raises(InputError, match=message):
        RagasFactualCorrectnessEvaluator(**options)


def test_a_panel_elects_verdicts_with_the_words_of_a_judge_that_gave_them():
    other = {**REPLY, "1": {**REPLY["1"], "verdict": "unsupported", "quote": "by brothers"}}
    judges = [judge(reply)[0] for reply in (other, REPLY, REPLY)]
    with asking(cache=False):
        metric = ValorFaithfulnessEvaluator(judges, spans=True)
        result = metric.run(contexts=[CONTEXTS], predicted_answers=[ANSWER])["result"]
    claims = result.evidence[0]["claims"]
    assert [claim["verdict"] for claim in claims] == ["supported", "unsupported", "contradicted"]
    assert claims[0]["span"] == FIRST
