"""Gates over runs that lack scores: nothing is decided unless it is allowed, and what lacks nothing is."""

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.errors import InputError
from thresher.reports.gates.missing_scores import checked_share
from thresher.reports.runs.completeness import missing_scores as _missing
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics, Status

GONE = "own/claims: connection refused: APIConnectionError: Connection error., after 6 tries"
CAUSE = "connection refused (APIConnectionError)"


def metric(name, states, reasons):
    states = np.array(states)
    measure = Measure(Signature.of(name, {}), Mean(), "score", "higher", (0.0, 1.0))
    scores = Statistics({"score": np.where(states == Status.SCORED, 1.0, 0.0)})
    return MetricResult([measure], scores, states, reasons)


def results(lost=0, status=Status.FAILED, reason=GONE, *, items=100, name="run", planned=None, **provenance):
    """A run with a metric `faithful` whose last scores are lost, and a whole one, `other`."""
    states = [Status.SCORED] * (items - lost) + [status] * lost
    reasons = dict.fromkeys(range(items - lost, items), reason)
    metrics = [metric("faithful", states, reasons), metric("other", [Status.SCORED] * items, {})]
    if planned is not None:
        provenance["items"] = planned
    inputs = {"id": [f"q{item}" for item in range(items)], "language": ["de", "en"] * (items // 2)}
    return EvaluationResults(inputs, metrics, name=name, provenance=provenance)


def outcomes(gate):
    return {each.subject: str(each.outcome) for each in gate.decisions}


PLANNED = "run it again, or plan looks at its parts with --looks (looks=)."


def test_items_that_are_not_done_are_the_cause_where_all_others_have_scores():
    gate = results(complete=False, planned=120).gate(["faithful>=0.7"], allow_missing=0.5)
    assert gate.exit_code == 3, "a part of a run that was looked at without a plan"
    assert gate.decisions[0].sentence == (
        f"faithful: the run is unfinished: 100 of 120 items are done; {PLANNED}"
    )


def test_a_missing_entry_without_a_reason_does_not_count_as_a_lost_score():
    states = [Status.SCORED, Status.MISSING]
    assert not _missing(metric("m", states, {})).any()
    assert _missing(metric("m", states, {1: "no entry in predicted_answers"})).tolist() == [False, True]


def test_a_requirement_that_lacks_scores_is_not_decided_and_the_message_has_the_share_that_is():
    gate = results(36).gate(["faithful>=0.7"])
    (decision,) = gate.decisions
    assert (str(gate.outcome), gate.exit_code, decision.coverage) == ("could not be decided", 3, "64/100")
    assert decision.sentence == (
        f"faithful: the run lacks 36 of 100 scores ({CAUSE}); "
        "--allow-missing 36% (allow_missing=0.36) decides without them."
    )
    assert results(10).gate(["faithful>=0.7"], allow_missing=0.1).passed
    undone = results(36).gate(["faithful>=0.7"], allow_missing=0.36)
    assert undone.exit_code == 4, "all scores are 1, and with 36 failures 64 % might be"
    assert ": at least 0.7, unless the 36 missing scores are bad (then " in undone.decisions[0].sentence


@pytest.mark.parametrize(("lost", "items"), [(1, 1000), (3, 400), (1, 6), (7, 30), (2, 14)])
def test_the_share_in_the_message_is_enough_and_a_tenth_of_a_percent_less_is_not(lost, items):
    run = results(lost, items=items)
    sentence = run.gate(["faithful>=0.01"]).decisions[0].sentence
    share = sentence.split("--allow-missing ")[1].split(" ")[0]
    assert run.gate(["faithful>=0.01"], allow_missing=share).exit_code == 0
    less = float(share[:-1]) / 100 - 0.001
    assert run.gate(["faithful>=0.01"], allow_missing=max(0.0, less)).exit_code == 3


@pytest.mark.parametrize(
    ("status", "reason", "missing"),
    [
        (Status.FAILED, GONE, True),
        (Status.FAILED, "ValueError: bad", True),
        (Status.UNREADABLE, "no verdict on 2 of 7", True),
        (Status.MISSING, "no entry in predicted_answers", True),
        (Status.MISSING, "no entry in contexts", True),
        (Status.MISSING, "no score was recorded", True),
        (Status.MISSING, "a label without scores in predictions", True),
        (Status.MISSING, "no entry in ground_truth_answers", False),
        (Status.MISSING, "no reference in ground_truth_answers", False),
        (Status.MISSING, "there are no references", False),
        (Status.UNDEFINED, "no relevant documents", False),
    ],
)
def test_what_counts_as_missing(status, reason, missing):
    assert results(10, status, reason).gate(["faithful>=0.7"]).exit_code == (3 if missing else 0)


def test_undefined_items_do_not_count_in_the_share():
    states = [Status.SCORED] * 49 + [Status.FAILED] + [Status.UNDEFINED] * 50
    run = EvaluationResults({}, [metric("faithful", states, {49: GONE})])
    assert "lacks 1 of 50 scores" in run.gate(["faithful>=0.5"]).decisions[0].sentence


def test_recorded_scores_that_are_not_there_are_missing():
    metrics = [{"name": "f", "scores": [1.0] * 60 + [None] * 140, "bounds": [0, 1]}]
    gate = EvaluationResults.from_dict({"inputs": {}, "metrics": metrics}).gate(["f>=0.7"])
    assert gate.exit_code == 3
    assert "lacks 140 of 200 scores (no score was recorded)" in gate.decisions[0].sentence


@pytest.mark.parametrize(
    "requirement", ["min(faithful)>=0.5", "items(faithful>=0.5)>=0.5", "faithful[by language]>=0.5"]
)
def test_every_requirement_of_the_metric_is_held_back(requirement):
    assert results(10).gate([requirement]).exit_code == 3


def test_other_metrics_and_other_parts_are_decided():
    assert results(10).gate(["other>=0.5"]).passed
    run = results()
    states = [Status.SCORED, Status.FAILED] * 2 + [Status.SCORED] * 96
    half = EvaluationResults(run.inputs, [metric("faithful", states, {1: GONE, 3: GONE})])
    assert outcomes(half.gate(["faithful[by language]>=0.5"])) == {
        "faithful where language = de": "passed",
        "faithful where language = en": "could not be decided",
    }


@pytest.mark.parametrize(
    ("lost", "coverage", "code"),
    [
        (10, "coverage(faithful)>=60%", 0),
        (10, "coverage(faithful)>=95%", 1),
        (36, "coverage(faithful)>=60%", 4),
    ],
)
def test_a_coverage_that_is_required_decides_instead(lost, coverage, code):
    assert results(lost).gate(["faithful>=0.7", coverage]).exit_code == code


def test_a_coverage_of_a_part_allows_nothing_elsewhere():
    requirements = ["coverage(faithful[language=de])>=10%", "faithful[language=de]>=0.5", "faithful>=0.5"]
    decided = [str(each.outcome) for each in results(36).gate(requirements).decisions]
    assert decided == ["passed", "passed", "could not be decided"]


def test_a_coverage_from_above_or_of_another_metric_allows_nothing():
    for coverage in ("coverage(faithful)<=99%", "coverage(other)>=99%"):
        assert results(36).gate([coverage, "faithful>=0.5"]).exit_code == 3


def test_a_baseline_that_lacks_scores_decides_nothing_either():
    baseline = results(5, name="main")
    requirements = ["no-regression(faithful) within 0.1"]
    gate = results(name="new").gate(requirements, baseline=baseline)
    assert gate.exit_code == 3
    assert "the baseline lacks 5 of 100 scores" in gate.decisions[0].sentence
    allowed = results(name="new").gate(requirements, baseline=baseline, allow_missing="5%")
    assert allowed.passed
    assert "Up to 5 % of the scores of a metric may be missing." in allowed.remarks
    assert results(name="new").gate(["faithful>=0.5"], baseline=baseline).passed, "it does not need it"


def test_metrics_without_gaps_are_decided_though_another_shared_one_lacks_scores():
    gate = results(3, name="new").gate(["no-regression within 0.1"], baseline=results(name="main"))
    assert outcomes(gate) == {"faithful": "could not be decided", "other": "passed"}


REMEDY = (
    "run it again, or give the share of scores that may be missing (--allow-missing 2%, allow_missing=0.02)."
)


def test_what_an_unfinished_run_lacks_is_said_before_a_gate_that_passes():
    run = results(36, complete=False, unfinished="the judge stopped answering")
    outcome = run.gate(["other>=0.5"], allow_missing=0.4)
    assert outcome.passed
    assert outcome.remarks[0].startswith("Unfinished: 36 of 100 items lack faithful")


def test_of_two_runs_with_one_name_the_unfinished_baseline_is_named():
    unfinished = results(36, complete=False, unfinished="the judge stopped answering")
    name = unfinished.name or "run"
    outcome = results(0).gate(["other>=baseline-0.5"], baseline=unfinished)
    assert outcome.remarks[0].startswith(f"{name} (baseline): Unfinished: 36 of 100 items lack faithful")


def test_an_unfinished_run_decides_nothing_and_says_why():
    why = f"the judge stopped answering: {CAUSE}"
    run = results(36, complete=False, unfinished=why)
    assert run.gate(["faithful>=0.5"]).decisions[0].sentence == (
        f"faithful: the run is unfinished: 36 of 100 items lack faithful, because {why}; {REMEDY}"
    )
    assert run.gate(["other>=0.5"]).exit_code == 3, "a run that is not complete decides nothing"
    assert run.gate(["faithful>=0.5"], allow_missing=0.4).passed
    assert run.gate(["faithful>=0.5"], allow_missing=0.3).exit_code == 3
    assert run.gate(["faithful>=0.5", "coverage(faithful)>=50%"]).passed


@pytest.mark.parametrize(
    "requirements", [["coverage(faithful)>=95%"], ["faithful>=0.5", "coverage(faithful)>=95%"]]
)
def test_a_coverage_that_an_unfinished_run_does_not_reach_is_not_decided(requirements):
    run = results(36, complete=False, unfinished="the judge stopped answering")
    gate = run.gate(requirements)
    assert gate.exit_code == 3
    assert all("the run is unfinished: 36 of 100 items lack" in each.sentence for each in gate.decisions)
    assert run.gate(requirements, allow_missing=0.3).exit_code == 3
    assert run.gate(requirements, allow_missing=0.36).exit_code == 1, "then the coverage decides"
    assert results(36).gate(requirements).exit_code == 1, "isolated failures of a complete run"


def test_a_coverage_of_a_part_of_an_unfinished_run_counts_the_part():
    run = results(36, complete=False, unfinished="the judge stopped answering")
    for share, code in (("60%", 0), ("70%", 3)):
        assert run.gate([f"coverage(faithful[language=de])>={share}"]).exit_code == code


def test_items_of_an_unfinished_run_that_are_not_there_are_missing():
    half = results(complete=False, items_done=100)
    half = EvaluationResults(half.inputs, half.results, provenance={"complete": False, "items": 200})
    assert half.gate(["faithful>=0.5"]).exit_code == 3
    assert half.gate(["faithful>=0.5", "coverage(faithful)>=90%"]).exit_code == 3, "100 of 200 are not known"
    for allowed in (0.0, 0.5):
        gate = half.gate(["faithful>=0.5"], allow_missing=allowed)
        assert gate.exit_code == 3
        assert gate.decisions[0].sentence == (
            f"faithful: the run is unfinished: 100 of 200 items are done; {PLANNED}"
        )


@pytest.mark.parametrize("given", [-0.1, 1.1, "2", "two", "101%", None, True, float("nan")])
def test_what_is_no_share_is_refused(given):
    with pytest.raises(InputError, match=r"is not a share of the scores; give e\.g\. 2% or 0\.02"):
        results().gate(["faithful>=0.5"], allow_missing=given)


@pytest.mark.parametrize(("given", "share"), [("2%", 0.02), ("2 %", 0.02), ("0.5", 0.5), (0, 0.0), (1, 1.0)])
def test_shares_are_numbers_or_per_cents(given, share):
    assert checked_share(given) == share


def test_json_holds_the_allowance():
    assert results().gate(["faithful>=0.5"], allow_missing="2%").to_dict()["allow_missing"] == 0.02


def test_scores_that_the_baseline_lacks_outside_a_slice_do_not_count():
    states = [Status.SCORED, Status.FAILED] * 2 + [Status.SCORED] * 96  # the failed items are English
    main = results(name="main")
    main = EvaluationResults(main.inputs, [metric("faithful", states, {1: GONE, 3: GONE})], name="main")
    new = results(name="new")
    assert new.gate(["faithful[language=de]>=baseline-0.1"], baseline=main).passed
    assert new.gate(["faithful[language=en]>=baseline-0.1"], baseline=main).exit_code == 3
