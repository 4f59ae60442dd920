import numpy as np
import pytest

from thresher import EvaluationResults, metric_class
from thresher.errors import InputError
from thresher.kernels.inference import Target, estimate
from thresher.reports.gates import RequirementOutcome as Outcome
from thresher.results import recorded_result

HITS = [1] * 80 + [0] * 20  # 0.8, interval 0.713 to 0.870


def outcomes(gate):
    return [decision.outcome.value for decision in gate.decisions]


@pytest.mark.parametrize(
    ("requirement", "outcome", "code"),
    [
        ("hit>=0.7", "passed", 0),
        ("hit>=0.8", "inconclusive", 4),
        ("hit>=0.9", "failed", 1),
        ("hit>0.9", "failed", 1),
        ("hit<=0.9", "passed", 0),
        ("hit<0.7", "failed", 1),
        ("min(hit)>=0", "passed", 0),
        ("min(hit)>0", "failed", 1),
        ("max(hit)<=1", "passed", 0),
        ("items(hit>=0.5)>=0.7", "passed", 0),
        ("items(hit>=0.5)>=0.8", "inconclusive", 4),
        ("items(hit>=0.5)>=0.95", "failed", 1),
        ("coverage(hit)>=1", "passed", 0),
    ],
)
def test_the_whole_interval_decides(made, requirement, outcome, code):
    gate = made(hit=HITS).gate([requirement])
    assert outcomes(gate) == [outcome]
    assert (gate.exit_code, bool(gate)) == (code, outcome == "passed")
    assert gate.decisions[0].requirement == requirement


def test_the_interval_is_that_of_the_reports(made):
    (decision,) = made(hit=HITS).gate(["hit>=0.8"]).decisions
    expected = estimate(Target(recorded_result("hit", HITS), "hit"))
    assert (decision.value, decision.interval) == (expected.value, expected.interval)
    assert decision.sentence.startswith("hit is 0.800 (0.713 to 0.870) on 100 items")


@pytest.mark.parametrize(("requirement", "outcome"), [("hit>=0.8", "passed"), ("hit>=0.81", "failed")])
def test_the_value_alone_decides_on_request_and_the_output_says_so(made, requirement, outcome):
    gate = made(hit=HITS).gate([requirement], decide_by="value")
    assert outcomes(gate) == [outcome]
    assert "as if they were certain" in " ".join(gate.remarks)
    assert "The value alone decided; its interval contains the threshold." in gate.decisions[0].sentence


def test_sums_that_lose_the_last_digit_reach_their_bar(made):
    run = made(m=[0.1 + 0.7] * 3, n=[0.1, 0.7, 0.7])
    assert run.gate(["m>=0.8", "n>=0.5", "n<=0.5"], decide_by="value").passed


@pytest.mark.parametrize(
    ("codes", "worst"), [([0, 4], 4), ([0, 1, 4], 1), ([0, 1, 3, 4], 3), ([0, 0], 0), ([4, 1], 1)]
)
def test_the_worst_outcome_wins(made, codes, worst):
    texts = {0: "hit>=0.5", 1: "hit>=0.95", 3: "none>=0.5", 4: "hit>=0.8"}
    run = made(hit=HITS, none=[None] * 100)
    assert run.gate([texts[code] for code in codes]).exit_code == worst


def test_a_metric_without_scored_items_cannot_be_decided(made):
    gate = made(hit=[1, 0], none=[None, None]).gate(["none>=0.5"])
    assert gate.outcome is Outcome.UNDECIDED
    assert gate.decisions[0].sentence == "none: no item is scored by none."


def test_too_few_items_for_an_interval_decide_nothing(made):
    gate = made(hit=[1]).gate(["hit>=0.5"])
    assert outcomes(gate) == ["inconclusive"]
    assert "too few items for an interval" in gate.decisions[0].sentence


def test_coverage_counts_items_without_a_score_and_names_them(made):
    gate = made(hit=[1, None, 1, 1]).gate(["coverage(hit)>=0.9"])
    assert outcomes(gate) == ["failed"]
    assert gate.decisions[0].coverage == "3/4"
    assert [str(item) for item in gate.decisions[0].worst] == ["q1 (no score: no score was recorded)"]


def test_slices_are_decided_one_by_one_and_missing_entries_are_in_none(made):
    languages = ["de"] * 50 + ["en"] * 49 + [None]
    run = made(hit=[1] * 50 + [0] * 50, inputs={"language": languages})
    gate = run.gate(["hit[by language]>=0.6"])
    assert [(each.subject, each.outcome.value, each.items) for each in gate.decisions] == [
        ("hit where language = de", "passed", 50),
        ("hit where language = en", "failed", 49),
    ]
    assert run.gate(["hit[language=de]>=0.6", "min(hit[language=de])>=1"]).passed
    assert not run.gate(["items(hit[language=en]>=1)>=0.1"]).passed
    assert run.gate(['hit[language == "de"]>=0.6']).decisions[0].items == 50
    assert run.gate(["hit[language == 'fr']>=0.6"]).exit_code == 3


def test_a_slice_without_items_cannot_be_decided_and_names_those_there_are(made):
    gate = made(hit=[1, 0], inputs={"language": ["de", "en"]}).gate(["hit[language=fr]>=0"])
    assert gate.exit_code == 3
    assert "no item has language=fr; there are de, en" in gate.decisions[0].sentence


def test_slices_of_one_requirement_fail_only_beyond_chance(made):
    alone = [0] * 6 + [1] * 5
    assert estimate(Target(recorded_result("m", alone), "m")).interval.high < 0.8
    groups = [f"g{number:02}" for number in range(20) for _ in range(11)]
    run = made(hit=alone + [1] * 209, inputs={"group": groups})
    first = run.gate(["hit[by group]>=0.8"]).decisions[0]
    assert first.outcome is Outcome.INCONCLUSIVE
    assert "not clearly enough for one of 20 checks (Holm)" in first.sentence
    assert outcomes(run.gate(["hit[group=g00]>=0.8"])) == ["failed"]


@pytest.mark.parametrize(
    ("requirement", "outcome"),
    [
        ("m>=baseline", "inconclusive"),
        ("m>=baseline-0.2", "passed"),
        ("m>=baseline+0.2", "failed"),
        ("m<=baseline+0.2", "passed"),
        ("no-regression within 0.2", "passed"),
        ("no-regression(m)", "inconclusive"),
        ("items(m>=0.5)>=baseline-0.2", "passed"),
        ("coverage(m)>=baseline", "passed"),
        ("min(m)>=baseline-1", "passed"),
    ],
)
def test_a_baseline_is_met_item_by_item(made, requirement, outcome):
    rng = np.random.default_rng(3)
    before = rng.random(200)
    after = before + rng.normal(0.001, 0.05, 200)
    gate = made(m=after.tolist()).gate([requirement], baseline=made("main", m=before.tolist()))
    assert outcomes(gate) == [outcome]
    assert gate.decisions[0].difference == pytest.approx(
        gate.decisions[0].value - gate.decisions[0].baseline, abs=1e-12
    )


def test_no_regression_turns_with_the_direction_and_looks_at_all_shared_metrics(made):
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.1, 100)
    baseline = made("main", cost=(5 + noise).tolist(), hit=[1, 0] * 50, lower=["cost"])
    dearer = made(cost=(6 + noise[::-1]).tolist(), hit=[1, 0] * 50, other=[1] * 100, lower=["cost"])
    gate = dearer.gate(["no-regression within 0.1"], baseline=baseline)
    assert [(each.subject, each.outcome.value) for each in gate.decisions] == [
        ("cost", "failed"),
        ("hit", "passed"),
    ]
    assert outcomes(baseline.gate(["no-regression"], baseline=dearer)) == ["passed", "inconclusive"]
    assert "Only run has other." in gate.notes


def test_the_items_that_lost_most_are_named(made):
    baseline = made("main", m=[0.9] * 50)
    run = made(m=[0.9] * 40 + [0.1] * 9 + [0.0])
    (decision,) = run.gate(["m>=baseline"], baseline=baseline).decisions
    assert [str(item) for item in decision.worst][:2] == ["q49 (0, baseline 0.9)", "q40 (0.1, baseline 0.9)"]
    assert len(decision.worst) == 5
    assert run.gate(["m>=baseline-1"], baseline=baseline).decisions[0].worst == ()


@pytest.mark.simulation
def test_equal_runs_fail_by_chance_as_seldom_as_holm_promises(made):
    rng = np.random.default_rng(7)
    failed = 0
    for _ in range(60):
        before, after = (
            {f"m{metric}": rng.normal(0, 1, 60).tolist() for metric in range(8)} for _ in range(2)
        )
        gate = made(**after).gate(["no-regression"], baseline=made("main", **before))
        failed += gate.outcome is Outcome.FAILED
    assert failed <= 5  # one-sided: 2.5 % of 60 are expected, 18 % without correction


def test_failures_against_the_baseline_are_corrected_for_all_of_them(made):
    rng = np.random.default_rng(1)
    worse = rng.normal(-0.25, 1, 100)
    worse += -0.22 - worse.mean()
    zeros = {"m": [0.0] * 100}
    alone = made(m=worse.tolist()).gate(["no-regression"], baseline=made("main", **zeros))
    assert outcomes(alone) == ["failed"]
    others = {f"n{metric}": rng.normal(0, 1, 100).tolist() for metric in range(9)}
    flat = {name: [0.0] * 100 for name in others}
    among = made(m=worse.tolist(), **others).gate(["no-regression"], baseline=made("main", **zeros, **flat))
    assert among.decisions[0].outcome is Outcome.INCONCLUSIVE
    assert "Failures against the baseline are corrected for 10 comparisons (Holm)." in among.remarks


def test_other_settings_come_first_and_decide_nothing_unless_requested(made):
    def run(name, tries):
        data = {"id": [f"q{item}" for item in range(50)]}
        result = recorded_result("m", [0.5, 0.6] * 25, bounds=(0, 1))
        (measure,) = result.measures
        signature = type(measure.signature).of("m", {"tries": tries})
        changed = type(measure)(signature, measure.reduction, bounds=measure.bounds)
        return EvaluationResults(data, [type(result)([changed], result.statistics)], name=name)

    gate = run("b", 2).gate(["m>=baseline-0.1", "m>=0.4"], baseline=run("a", 1))
    assert outcomes(gate) == ["could not be decided", "passed"]
    assert gate.exit_code == 3
    assert "tries 2 instead of 1" in gate.notes[0]
    assert "tries 2 instead of 1" in gate.decisions[0].sentence
    assert run("b", 2).gate(["m>=baseline-0.1"], baseline=run("a", 1), verdicts="always").passed


def test_runs_without_common_items_or_metrics_cannot_be_decided(made):
    run, other = made(m=[1, 0]), made("main", n=[1, 0])
    assert run.gate(["no-regression"], baseline=other).exit_code == 3
    assert run.gate(["m>=baseline"], baseline=other).exit_code == 3
    strangers = EvaluationResults.from_dict(
        {"inputs": {"id": ["x", "y"]}, "metrics": [{"name": "m", "scores": [1, 0]}]}
    )
    gate = run.gate(["m>=baseline", "m>=0"], baseline=strangers)
    assert outcomes(gate)[0] == "could not be decided"
    assert "no items in common" in gate.decisions[0].sentence


def test_clusters_widen_the_interval(made):
    documents = [f"d{item // 20}" for item in range(100)]
    run = made(hit=HITS, inputs={"document": documents})
    assert run.gate(["hit>=0.7"]).passed
    assert run.gate(["hit>=0.7"], cluster="document").exit_code == 4


def test_measures_without_item_scores_have_gates_too():
    rng = np.random.default_rng(2)
    truths = ["yes", "no"] * 100
    scores = np.where(np.array(truths) == "yes", 0.6, 0.4) + rng.normal(0, 0.15, 200)
    predictions = [{"yes": float(score), "no": float(1 - score)} for score in scores]
    outputs = metric_class("classification_roc_auc")().run(ground_truths=truths, predictions=predictions)
    results = EvaluationResults({}, [outputs["result"]])
    gate = results.gate(["classification_roc_auc>=0.7", "classification_roc_auc>=0.99"])
    assert outcomes(gate) == ["passed", "failed"]
    assert gate.decisions[1].worst == ()
    with pytest.raises(InputError, match="classification_roc_auc has no scores per item"):
        results.gate(["min(classification_roc_auc)>=0.5"])


@pytest.mark.parametrize(
    ("requirements", "options", "message"),
    [
        ([], {}, "a gate needs requirements"),
        (["m>=0"], {"decide_by": "luck"}, "decide_by='luck' is unknown; choose one of interval, value"),
        (["m>=0"], {"level": 95}, "level=95 must be a share between 0.5 and 1"),
        (["m>=0"], {"verdicts": "never"}, "verdicts='never' is unknown"),
        (["m>=0"], {"cluster": "nothing"}, "nothing"),
        (["other>=0"], {}, "no metric 'other' in this run; there are m"),
        (["m[topic=x]>=0"], {}, "no input column 'topic'"),
        (["m[by topic]>=0"], {}, "no input column 'topic' in run; there are id"),
        (["m>=baseline"], {}, "needs a baseline: give --baseline RUN"),
        (["m[1 +]>=0"], {}, "condition '1 +' cannot be read"),
        (["m[by id]>=0"], {}, "`id` has 200 different entries; slice by a column with at most"),
    ],
)
def test_what_cannot_be_asked_is_explained(made, requirements, options, message):
    with pytest.raises(InputError) as error:
        made(m=[1, 0] * 100).gate(requirements, **options)
    assert message in str(error.value)


def test_one_requirement_may_stand_alone(made):
    assert made(hit=HITS).gate("hit>=0.5").passed


@pytest.mark.simulation
def test_a_gate_decides_a_hundred_thousand_items_with_slices_in_seconds(made):
    from time import perf_counter

    rng = np.random.default_rng(0)
    scores = {name: rng.random(100_000) for name in "ab"}
    inputs = {"id": list(map(str, range(100_000))), "g": rng.integers(0, 10, 100_000).tolist()}
    results = [recorded_result(name, each, bounds=(0, 1)) for name, each in scores.items()]
    run = EvaluationResults(inputs, results, name="big")
    start = perf_counter()
    gate = run.gate(["a>=0.45", "b[by g]>=0.4", "no-regression within 0.01"], baseline=run)
    assert gate.passed
    assert perf_counter() - start < 20
