"""The graders on items with known truth: scores, calls by closed formulas, faults, all in one pipeline."""

import asyncio

import numpy as np
import pytest
from haystack import Pipeline

from components.judged.origins import Judge, quality, reply
from judges.rag_items import columns, rag_items
from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator
from thresher.components.judged.geval.geval import GEvalEvaluator
from thresher.components.judged.haystack.context_relevance import HaystackContextRelevanceEvaluator
from thresher.components.judged.haystack.faithfulness import HaystackFaithfulnessEvaluator
from thresher.components.judged.judgelm.judge_lm import JudgeLmEvaluator
from thresher.components.judged.llamaindex.answer_relevancy import LlamaIndexAnswerRelevancyEvaluator
from thresher.components.judged.llamaindex.context_relevancy import LlamaIndexContextRelevancyEvaluator
from thresher.components.judged.llamaindex.correctness import LlamaIndexCorrectnessEvaluator
from thresher.components.judged.llamaindex.faithfulness import LlamaIndexFaithfulnessEvaluator
from thresher.components.judged.llamaindex.guideline import LlamaIndexGuidelineEvaluator
from thresher.components.judged.llamaindex.pairwise_comparison import LlamaIndexPairwiseComparisonEvaluator
from thresher.components.judged.llamaindex.relevancy import LlamaIndexRelevancyEvaluator
from thresher.components.judged.pairwise.fair_pairwise import FairPairwiseEvaluator
from thresher.components.judged.prometheus.absolute_grading import PrometheusAbsoluteGradingEvaluator
from thresher.components.judged.prometheus.relative_grading import PrometheusRelativeGradingEvaluator
from thresher.judges import asking, estimating
from thresher.judges.prompt import FOLDER
from thresher.results import Status

ITEMS = rag_items(12)
RAG = columns(ITEMS)
RAG["second_predicted_answers"] = RAG["predicted_answers"][1:] + RAG["predicted_answers"][:1]
OURS = [quality(answer) for answer in RAG["predicted_answers"]]
THEIRS = OURS[1:] + OURS[:1]
SUPPORTED = [float(item["faithfulness"] == 1) for item in ITEMS]
WINS = [0.5 if a == b else float(a > b) for a, b in zip(OURS, THEIRS, strict=True)]
PLAIN = {"reply_format": "prometheus"}

TRUTH = [
    (LlamaIndexFaithfulnessEvaluator, {}, SUPPORTED),
    (LlamaIndexRelevancyEvaluator, {}, SUPPORTED),
    (LlamaIndexContextRelevancyEvaluator, {}, [0.75] * 12),
    (LlamaIndexAnswerRelevancyEvaluator, {}, [0.75 if n % 4 == 3 else 1.0 for n in range(12)]),
    (LlamaIndexCorrectnessEvaluator, {}, [1.0 + each for each in OURS]),
    (LlamaIndexGuidelineEvaluator, {"guidelines": "concrete"}, [float(each > 2) for each in OURS]),
    (LlamaIndexPairwiseComparisonEvaluator, {}, WINS),
    (HaystackFaithfulnessEvaluator, {}, [item["faithfulness"] for item in ITEMS]),
    (HaystackContextRelevanceEvaluator, {}, [1.0] * 12),
    (PrometheusAbsoluteGradingEvaluator, {}, [1.0 + each for each in OURS]),
    (PrometheusAbsoluteGradingEvaluator, PLAIN, [1.0 + each for each in OURS]),
    (PrometheusRelativeGradingEvaluator, {"both_orders": True}, WINS),
    (PrometheusRelativeGradingEvaluator, PLAIN | {"both_orders": True}, WINS),
    (JudgeLmEvaluator, {}, WINS),
    (JudgeLmEvaluator, {"both_orders": True, "reply_format": "judgelm"}, WINS),
    (FairPairwiseEvaluator, {"samples": 1}, WINS),
    (GEvalEvaluator, {"weighting": "none"}, [1.0 + each for each in OURS]),
    (GEvalEvaluator, {"samples": 2, "steps": ["Rate it."]}, [1.0 + each for each in OURS]),
]


def run(part, items=12):
    sockets = part.__haystack_input__._sockets_dict
    inputs = {name: column[:items] for name, column in RAG.items() if name in sockets}
    return part.run(**inputs)["result"]


@pytest.mark.parametrize(
    ("kind", "options", "truth"), TRUTH, ids=[f"{row[0].__name__}-{n}" for n, row in enumerate(TRUTH)]
)
def test_the_true_scores_are_recovered(kind, options, truth):
    assert run(kind(Judge(), **options)).item_scores().tolist() == pytest.approx(truth)


CALLS = [
    (LlamaIndexFaithfulnessEvaluator, {}, 1, 1),
    (LlamaIndexRelevancyEvaluator, {}, 1, 1),
    (LlamaIndexContextRelevancyEvaluator, {}, 1, 1),
    (LlamaIndexAnswerRelevancyEvaluator, {}, 1, 1),
    (LlamaIndexCorrectnessEvaluator, {}, 1, 1),
    (LlamaIndexGuidelineEvaluator, {}, 1, 1),
    (LlamaIndexPairwiseComparisonEvaluator, {}, 2, 2),
    (LlamaIndexPairwiseComparisonEvaluator, {"both_orders": False}, 1, 1),
    (HaystackFaithfulnessEvaluator, {}, 1, 1),
    (HaystackContextRelevanceEvaluator, {}, 1, 1),
    (PrometheusAbsoluteGradingEvaluator, {}, 1, 1),
    (PrometheusRelativeGradingEvaluator, {}, 1, 1),
    (JudgeLmEvaluator, {}, 1, 1),
    (FairPairwiseEvaluator, {}, 6, 6),
    (GEvalEvaluator, {"steps": ["Rate it."]}, 20, 20),
    (GEvalEvaluator, {"steps": ["Rate it."], "weighting": "none"}, 1, 1),
    (
        CustomJudgeEvaluator,
        {"template": "{{ predicted_answers }}", "reply": {"score": {"low": 1, "high": 5}}},
        1,
        1,
    ),
]
"""Metric, options, calls an item, calls that the origin makes."""


def _for_custom(text):
    return '{"score": 3}' if "in this order" in text else reply(text)


@pytest.mark.parametrize(
    ("kind", "options", "calls", "of_origin"),
    CALLS,
    ids=[f"{row[0].__name__}-{n}" for n, row in enumerate(CALLS)],
)
def test_what_is_estimated_is_what_is_asked_and_no_more_than_the_origin_asks(kind, options, calls, of_origin):
    judge = Judge(_for_custom)
    with estimating() as estimate:
        run(kind(chat_generator=judge, **options), 4)
    assert judge.prompts == []
    with asking(cache=False) as account:
        result = run(kind(chat_generator=judge, **options), 4)
    assert estimate.calls == account.calls == len(judge.prompts) == 4 * calls
    assert calls <= of_origin
    assert result.n_scored == 4


def test_with_packs_an_estimate_tells_the_most_that_can_be_asked():
    judge = Judge(lambda text: reply(text).replace('"yes"', '"no"'))
    for kind in (LlamaIndexFaithfulnessEvaluator, LlamaIndexRelevancyEvaluator):
        evaluator = kind(judge, max_context_tokens=250)
        with estimating() as estimate:
            run(evaluator, 4)
        with asking(cache=False) as account:
            packs = run(evaluator, 4).statistics["packs"]
        assert estimate.calls == account.calls == packs.sum() > 4


def test_one_item_that_fails_costs_no_other(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    spoiled = RAG["predicted_answers"][2]

    def some_fail(text):
        return ValueError("the judge is out of order") if spoiled in text else reply(text)

    for kind, options, truth in TRUTH[:-1]:
        result = run(kind(Judge(some_fail), **options), 6)
        whole = run(kind(Judge(), **options), 6)
        failed = np.flatnonzero(result.status == Status.FAILED).tolist()
        if kind in (HaystackContextRelevanceEvaluator, LlamaIndexContextRelevancyEvaluator):
            assert failed == []
        else:
            assert 2 in failed
            assert "out of order" in result.reasons[2]
        kept = [item for item in range(6) if item not in failed]
        assert result.item_scores()[kept].tolist() == pytest.approx([truth[item] for item in kept])
        assert whole.n_scored == 6


def test_all_of_them_stand_in_one_pipeline_and_its_yaml():
    pipeline = Pipeline()
    for number, (kind, options, _) in enumerate(TRUTH):
        pipeline.add_component(f"metric_{number}", kind(**options, name=f"metric_{number}"))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher"])
    assert again.dumps() == pipeline.dumps()
    data = {}
    for name in again.graph.nodes:
        part = again.get_component(name)
        part.chat_generator = Judge()
        data[name] = {
            socket: RAG[socket] for socket in part.__haystack_input__._sockets_dict if socket in RAG
        }
    outputs = asyncio.run(again.run_async(data, concurrency_limit=len(TRUTH)))
    for number, (_, _, truth) in enumerate(TRUTH):
        assert outputs[f"metric_{number}"]["individual_scores"] == pytest.approx(truth)


def test_every_metric_keeps_its_replies_as_evidence():
    for kind, options, _ in TRUTH:
        for told in run(kind(Judge(), **options), 2).evidence:
            assert told["replies"] or "note" in told
            assert all(said["model"] == "scripted" for said in told["replies"])


def test_every_prompt_file_is_asked_with():
    seen = set()
    for kind, options, _ in TRUTH:
        part = kind(Judge(), **options)
        sockets = [name for name in part.__haystack_input__._sockets_dict if name in RAG]
        for given in (sockets, [name for name in sockets if name != "ground_truth_answers"]):
            with estimating() as estimate:
                part.run(**{name: RAG[name][:1] for name in given})
            seen |= set(estimate.prompts)
        if hasattr(part, "spans"):
            with estimating() as estimate:
                run(kind(Judge(), spans=True), 1)
            seen |= set(estimate.prompts)
        if "max_context_tokens" in options or hasattr(part, "max_context_tokens"):
            with estimating() as estimate:
                run(kind(Judge(), max_context_tokens=250), 1)
            seen |= set(estimate.prompts)
    folders = ("llamaindex", "haystack", "prometheus", "judgelm", "geval", "pairwise")
    files = (path.relative_to(FOLDER) for folder in folders for path in (FOLDER / folder).glob("*.jinja"))
    assert seen == {str(path).removesuffix(".jinja").removesuffix(".native") for path in files}
