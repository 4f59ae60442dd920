"""Reply forms of LlamaIndex's documents, asked for by own templates: plain texts instead of JSON objects."""

import re

import pytest

from components.judged.origins import Judge
from thresher.components import (
    LlamaIndexCorrectnessEvaluator,
    LlamaIndexFaithfulnessEvaluator,
    LlamaIndexGuidelineEvaluator,
    LlamaIndexPairwiseComparisonEvaluator,
    LlamaIndexRelevancyEvaluator,
)
from thresher.results import Status

PLAIN = "{# reply: text #}"
PAIRWISE = f"""{PLAIN}Which answer is better? {{{{ question }}}} {{{{ answer_a }}}} {{{{ answer_b }}}}
First line: "1", "2" or "TIE". Second line: a short explanation."""
YES_NO = f"{PLAIN}Do the contexts support it? {{{{ information }}}} {{{{ contexts }}}} Answer YES or NO."
RELEVANCY = f"{PLAIN}Is it in line? {{{{ question }}}} {{{{ answer }}}} {{{{ contexts }}}} Answer YES or NO."
SCORE = f"""{PLAIN}Score it from 1 to 5. {{{{ question }}}} {{{{ answer }}}} {{{{ reference }}}}
First line: only the score. Second line: the reason."""
PAIR = {"questions": ["q"], "predicted_answers": ["a"], "second_predicted_answers": ["b"]}
LABELS = {"A": "1", "B": "2", "tie": "TIE"}


def pairwise(*replies):
    judge = Judge(list(replies))
    return LlamaIndexPairwiseComparisonEvaluator(
        judge, templates={"llamaindex/pairwise": PAIRWISE}, labels=LABELS, both_orders=False
    )


@pytest.mark.parametrize(
    ("reply", "score"),
    [("1\nIt is exact.", 1), ("2\nIt names 1 date.", 0), ("TIE\nBoth are.", 0.5), ('"1"\nFirst.', 1)],
)
def test_a_comparison_in_two_lines(reply, score):
    out = pairwise(reply).run(**PAIR)
    assert out["individual_scores"] == [score]
    assert out["result"].evidence[0]["winner"] == {1: "first", 0: "second", 0.5: "tie"}[score]


@pytest.mark.parametrize("reply", ["3\nNeither.", "A\nThe first.", "1 or 2\nHard to say."])
def test_a_comparison_in_other_words_is_asked_again(reply):
    metric = pairwise(reply, "1\nIt is exact.")
    assert metric.run(**PAIR)["individual_scores"] == [1.0]
    assert len(metric.chat_generator.prompts) == 2


@pytest.mark.parametrize(
    ("reply", "score"), [("YES", 1), ("NO", 0), ("NO\nAs of yesterday.", 0), ("Yes.", 1)]
)
def test_yes_or_no(reply, score):
    faithful = LlamaIndexFaithfulnessEvaluator(Judge([reply]), templates={"llamaindex/faithfulness": YES_NO})
    assert faithful.run(contexts=[["c"]], predicted_answers=["a"])["individual_scores"] == [score]
    relevant = LlamaIndexRelevancyEvaluator(Judge([reply]), templates={"llamaindex/relevancy": RELEVANCY})
    out = relevant.run(questions=["q"], contexts=[["c"]], predicted_answers=["a"])
    assert out["individual_scores"] == [score]


FIRST = f"{PLAIN}Is it present?\nInformation: {{query_str}}\nContext: {{context_str}}\nAnswer YES or NO: "
REFINE = f"""{PLAIN}We want to understand if the following information is present
in the context information: {{query_str}}
We have provided an existing YES/NO answer: {{existing_answer}}
------------
{{context_msg}}
------------
If the existing answer was already YES, still answer YES. Otherwise answer NO.
"""


def test_documented_prompts_are_used_with_their_placeholders():
    for kind, columns, shown in (
        (LlamaIndexFaithfulnessEvaluator, {}, ("The answer",)),
        (LlamaIndexRelevancyEvaluator, {"questions": ["The question"]}, ("The question", "The answer")),
    ):
        name = kind().name.replace("llama_index_", "llamaindex/")
        judge = Judge(["NO\nThe first says nothing.", "YES"])
        metric = kind(judge, templates={name: FIRST, f"{name}.refine": REFINE}, max_context_tokens=16)
        contexts = ["The first context. " * 3, "The second context. " * 3]
        out = metric.run(**columns, contexts=[contexts], predicted_answers=["The answer"])
        assert out["individual_scores"] == [1.0]
        for text in (*shown, "The second context.", "NO\nThe first says nothing."):
            assert text in judge.prompts[1]
        assert not re.search(r"\{\w", "".join(judge.prompts)), "no placeholder is left"


def test_a_documented_prompt_of_correctness_and_guidelines():
    judge = Judge(["4.0\nNot as concise."])
    words = f"{PLAIN}## Query\n{{query}}\n## Reference\n{{reference_answer}}\n## Answer\n{{generated_answer}}"
    metric = LlamaIndexCorrectnessEvaluator(judge, templates={"llamaindex/correctness": words})
    out = metric.run(questions=["q"], predicted_answers=["a"], ground_truth_answers=["r"])
    assert out["individual_scores"] == [4]
    words = "Query: {query}\nResponse: {response}\nGuidelines: {guidelines}\nNow criticise."
    LlamaIndexGuidelineEvaluator(guidelines=["Be kind."], templates={"llamaindex/guideline": words})


@pytest.mark.parametrize(
    ("reply", "score"), [("4.0\nNot as concise.", 4), ("2.5\nTwo of 3 dates are right.", 2.5)]
)
def test_a_score_in_the_first_line_and_the_reason_in_the_second(reply, score):
    judge = Judge([reply])
    metric = LlamaIndexCorrectnessEvaluator(judge, templates={"llamaindex/correctness": SCORE})
    out = metric.run(questions=["q"], predicted_answers=["a"], ground_truth_answers=["r"])
    assert out["individual_scores"] == [score]
    assert "Not as concise" in out["result"].evidence[0]["feedback"] or score == 2.5
    assert judge.prompts[0].endswith("Second line: the reason."), "no JSON form is appended"
    assert "JSON" not in judge.prompts[0], "the last line of the shipped system message asks for JSON"


def test_a_panel_votes_in_plain_text_with_translated_labels():
    judges = [Judge([f"{reply}\nSo it is."]) for reply in ("1", "TIE", "1")]
    options = {"templates": {"llamaindex/pairwise": PAIRWISE}, "labels": LABELS, "both_orders": False}
    out = LlamaIndexPairwiseComparisonEvaluator(judges, **options).run(**PAIR)
    assert out["individual_scores"] == [1.0]


def test_an_object_is_read_too_and_a_score_off_the_scale_is_not():
    templates = {"llamaindex/correctness": SCORE}
    item = {"questions": ["q"], "predicted_answers": ["a"], "ground_truth_answers": ["r"]}
    read = LlamaIndexCorrectnessEvaluator(Judge(['{"reason": "-", "score": 4}']), templates=templates)
    assert read.run(**item)["score"] == 4
    off = LlamaIndexCorrectnessEvaluator(Judge(["9\nVery good."] * 5), templates=templates)
    assert off.run(**item)["result"].status.tolist() == [Status.UNREADABLE]
