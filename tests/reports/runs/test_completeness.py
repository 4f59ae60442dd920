"""What reports say of scores that are lacking, in every format that has room for it."""

import json

import numpy as np
import pytest

from thresher import EvaluationResults, save_run
from thresher.cli import main
from thresher.reports.runs.completeness import failed_share, failure_notes, planted_notes, unfinished_sentence
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics, Status

GONE = "connection refused: APIConnectionError: Connection error."
WHY = "the judge stopped answering: connection refused (APIConnectionError)"
NOTE = "faithfulness and recall: 36 of 100 items failed: connection refused (APIConnectionError)."
FIRST = f"Unfinished: 36 of 100 items lack faithfulness and recall, because {WHY}. Run again to continue."


PLANTED = "faithfulness: in 2 of 100 items the judge repeated verdicts found in the data, which do not count."


def metric(name, reasons, unreadable=(), planted=()):
    states = np.zeros(100, np.uint8)
    states[list(reasons)] = Status.FAILED
    states[list(unreadable)] = Status.UNREADABLE
    measure = Measure(Signature.of(name, {}), Mean(), "score", "higher", (0.0, 1.0))
    scores = Statistics({"score": np.arange(100) % 2.0})
    evidence = [{"verdicts_found_in_data": 1} if item in planted else {"replies": []} for item in range(100)]
    return MetricResult([measure], scores, states, reasons, evidence)


def lost(prompt, number=36):
    """Half of them asked in vain, the others not asked any more."""
    asked = dict.fromkeys(range(number // 2), f"{prompt}: {GONE}, after 6 tries")
    dropped = f"{prompt}: not asked, as the judge stopped answering: {GONE}"
    return asked | dict.fromkeys(range(number // 2, number), dropped)


@pytest.fixture
def run():
    metrics = [
        metric("faithfulness", lost("a/one"), planted=(3, 77)),
        metric("recall", lost("b/two")),
        metric("whole", {}),
    ]
    inputs = {"id": [f"q{item}" for item in range(100)], "language": ["de", "en"] * 50}
    provenance = {"complete": False, "unfinished": WHY, "items": 100}
    return EvaluationResults(inputs, metrics, name="night", provenance=provenance)


def test_failures_are_grouped_by_cause_and_metrics_with_equal_losses_share_a_line(run):
    assert failure_notes(run) == [NOTE]
    assert failure_notes(run, ["whole"]) == []
    assert failure_notes(run, ["recall"]) == [NOTE.replace("faithfulness and ", "")]
    assert unfinished_sentence(run) == FIRST


def test_several_causes_are_counted_and_unreadable_replies_are_apart():
    reasons = lost("a/one", 4) | {10: "a/one: HTTP 500: InternalServerError: oops, after 6 tries"}
    reasons |= {11: "x", 12: "y", 13: "", 20: "a/one: no verdict on 2 of 7, after 5 requests"}
    result = metric("f", {item: text for item, text in reasons.items() if item < 20}, [20])
    odd = MetricResult(result.measures, result.statistics, result.status, reasons)
    failed, unreadable = failure_notes(EvaluationResults({}, [odd]))
    assert failed == (
        "f: 8 of 100 items failed: connection refused (APIConnectionError) 4 times, "
        "HTTP 500 (InternalServerError) once, x once, 2 other causes."
    )
    assert unreadable == "f: 1 of 100 items could not be read: no verdict on 2 of 7."


def test_the_share_of_failed_scores():
    one = {1: "a/one: HTTP 500: InternalServerError: oops, after 6 tries"}
    run = EvaluationResults({}, [metric("f", one), metric("g", {}), metric("h", {}), metric("i", {})])
    assert failed_share(run) == "1 of 400 scores failed (0.25 %): HTTP 500 (InternalServerError)"
    assert failed_share(run.take([0, 5])) == ""
    assert failed_share(EvaluationResults({}, [metric("f", one)]).take([1])).startswith(
        "1 of 1 score failed (100 %)"
    )


def test_items_that_are_not_done_are_counted(run):
    half = EvaluationResults(run.inputs, run.results[2:], provenance={"complete": False, "items": 300})
    assert unfinished_sentence(half) == "Unfinished: 100 of 300 items are done. Run again to continue."


def test_the_command_that_completes_a_run_is_described_by_its_shards(run):
    def sentence(shards):
        provenance = {"complete": False, "items": 300, "unfinished_shards": shards}
        return unfinished_sentence(EvaluationResults(run.inputs, run.results[2:], provenance=provenance))

    done = "Unfinished: 100 of 300 items are done. Repeat the command of the run with"
    running = "unless that shard is still running."
    assert sentence(["2/4"]) == f"{done} --shard 2/4, {running}"
    assert sentence(["2/4", "4/4"]) == f"{done} each of --shard 2/4, --shard 4/4, {running}"
    many = ", ".join(f"--shard {shard}/40" for shard in range(1, 11)) + " and 30 more"
    assert sentence([f"{shard}/40" for shard in range(1, 41)]) == f"{done} each of {many}, {running}"


def test_a_complete_run_says_nothing(run):
    whole = EvaluationResults(run.inputs, run.results[2:])
    assert (unfinished_sentence(whole), failure_notes(whole), failed_share(whole)) == ("", [], "")


def test_verdicts_that_the_judge_repeated_are_counted_in_items_scored_and_not(run):
    assert planted_notes(run) == [PLANTED]
    assert planted_notes(run, ["recall", "whole"]) == []


def test_a_report_says_it_first_in_every_form(run):
    assert run.individual_aggregate_score_report("markdown").startswith(f"- {FIRST}\n- {NOTE}\n")
    data = json.loads(run.individual_aggregate_score_report("json"))
    assert (data["complete"], data["notes"][:2]) == (False, [FIRST, NOTE])
    assert run.individual_aggregate_score_report("df").attrs["notes"][:2] == [FIRST, NOTE]
    assert run.individual_sliced_score_report("language", "markdown").startswith(f"- {FIRST}\n- {NOTE}\n")


def test_a_comparison_names_the_run(run):
    other = EvaluationResults(run.inputs, run.results[2:], name="day")
    text = other.comparative_aggregate_score_report(run, "markdown")
    assert text.startswith(f"- night: {FIRST}\n- night: {NOTE}\n")
    detailed = other.comparative_detailed_score_report(run)
    assert detailed.notes[:2] == (f"night: {FIRST}", f"night: {NOTE}")


@pytest.fixture
def stored(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_run(run, "night")
    save_run(EvaluationResults(run.inputs, run.results[:2], name="day"), "day")


@pytest.mark.parametrize("words", [("report", "night"), ("compare", "day", "night", "--across-settings")])
@pytest.mark.parametrize("form", ["table", "markdown", "json", "html", "csv", "latex"])
@pytest.mark.parametrize("more", [(), ("--detailed",), ("--slice", "language")])
def test_every_command_and_format_says_it(stored, capsys, words, form, more):
    main([*words, "--format", form, *more])
    out, err = capsys.readouterr()
    text = err if form == "csv" else out
    if (form, words[0], more) == ("json", "report", ("--detailed",)):
        return  # a list of items, which has no room for notes
    prefix = "night: " if words[0] == "compare" else ""
    assert text.count(f"{prefix}{FIRST}") in (1, 2), "a comparison's JSON holds each run's report, too"
    assert f"{prefix}{NOTE}" in text
    assert f"{prefix}{PLANTED}" in text
    if form in ("table", "markdown"):
        assert text.removeprefix("- ").startswith(prefix)
