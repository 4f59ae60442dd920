"""The comparisons of every origin feed the report, stored or not."""

import pytest

from components.judged.origins import Judge, two_scores, verdict
from judges.rag_items import columns, rag_items
from thresher.components.judged.judgelm.judge_lm import JudgeLmEvaluator
from thresher.components.judged.llamaindex.pairwise_comparison import LlamaIndexPairwiseComparisonEvaluator
from thresher.components.judged.pairwise.fair_pairwise import FairPairwiseEvaluator
from thresher.components.judged.prometheus.relative_grading import PrometheusRelativeGradingEvaluator
from thresher.errors import InputError
from thresher.reports.pairwise_report import PairwiseReport
from thresher.results import MetricResult

RAG = columns(rag_items(8))
PAIR = {
    "questions": RAG["questions"],
    "predicted_answers": RAG["predicted_answers"],
    "second_predicted_answers": RAG["predicted_answers"][1:] + RAG["predicted_answers"][:1],
}
METRICS = [
    LlamaIndexPairwiseComparisonEvaluator(Judge()),
    PrometheusRelativeGradingEvaluator(Judge(), both_orders=True),
    JudgeLmEvaluator(Judge(), both_orders=True),
    FairPairwiseEvaluator(Judge(), samples=1),
]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_fair_judge_shows_no_bias(metric):
    result = MetricResult.from_dict(metric.run(**PAIR)["result"].to_dict())
    report = PairwiseReport({("ours", "theirs"): result})
    assert report.win_rates()[0]["win_rate"] == pytest.approx(result.score)
    bias = report.biases()[0]
    if metric.name != "prometheus_relative_grading":  # it knows no ties, so equal answers go by their place
        assert (bias["consistency"], bias["chose_shown_first"]) == (1.0, 0.5)
        assert len(report.items_for_review()) == 0


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (LlamaIndexPairwiseComparisonEvaluator, verdict("A")),
        (FairPairwiseEvaluator, two_scores(9, 8)),
    ],
)
def test_a_judge_that_goes_by_the_place_is_found_out(kind, said):
    result = kind(Judge(lambda _: said)).run(**PAIR)["result"]
    report = PairwiseReport({("ours", "theirs"): result})
    assert (report.biases()[0]["consistency"], report.biases()[0]["chose_shown_first"]) == (0.0, 1.0)
    assert report.win_rates()[0]["win_rate"] == 0.5
    assert len(report.items_for_review(0.5)) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [({"level": 95}, "level=95"), ({"level": "high"}, "level='high'"), ({"draws": 0}, "draws=0")],
)
def test_settings_that_are_none_are_refused(options, message):
    result = METRICS[0].run(**PAIR)["result"]
    with pytest.raises(InputError, match=message):
        PairwiseReport({("ours", "theirs"): result}, **options)
    with pytest.raises(InputError, match="mapping"):
        PairwiseReport([result])


@pytest.mark.parametrize("share", [-1, 2, "a", None, float("nan"), True])
def test_a_share_for_review_that_is_none_is_refused(share):
    report = PairwiseReport({("ours", "theirs"): METRICS[0].run(**PAIR)["result"]})
    with pytest.raises(InputError, match="from 0 to 1"):
        report.items_for_review(share)
