import numpy as np
import pytest

from thresher import InputError, evaluate
from thresher.components import CostEvaluator, LatencyEvaluator, TokensEvaluator
from thresher.results import Status


def test_latency_is_the_mean_with_median_and_slow_end():
    seconds = [float(number) for number in range(1, 101)]
    results = evaluate(["latency"], {"question": [f"q{n}" for n in range(100)], "seconds": seconds})
    measured = {name: results.metric(name).value for name in ("latency", "latency_median", "latency_p95")}
    assert measured == {"latency": 50.5, "latency_median": 50.5, "latency_p95": 95.5}
    metric = results.metric("latency")
    assert (metric.measure.direction, metric.measure.bounds) == ("lower", (0.0, float("inf")))


def test_an_item_without_a_measurement_is_missing():
    result = LatencyEvaluator().run(seconds=[0.5, None, 1.5])["result"]
    assert [Status(code) for code in result.status] == [Status.SCORED, Status.MISSING, Status.SCORED]
    assert result.score == 1.0


def test_tokens_are_sums_of_what_is_sent_and_received():
    outputs = TokensEvaluator().run(input_tokens=[100, 200, 7], output_tokens=[10, 30, None])
    np.testing.assert_array_equal(outputs["individual_scores"], [110.0, 230.0, np.nan])
    assert outputs["score"] == 170.0
    assert [measure.name for measure in outputs["result"].measures] == [
        "tokens", "tokens_input", "tokens_output",
    ]  # fmt: skip


def test_costs_are_averaged():
    assert CostEvaluator().run(costs=[0.25, 0.75, None])["score"] == 0.5


@pytest.mark.parametrize("wrong", [-1.0, float("inf"), "fast"])
def test_what_is_not_an_amount_is_refused(wrong):
    with pytest.raises(InputError, match=r"seconds\[0\]"):
        LatencyEvaluator().run(seconds=[wrong])
