"""`no-regression` without names tests the primary measures; a gate tests what it names in any case."""

import json

from thresher import EvaluationResults
from thresher.results import recorded_result
from thresher.results.primary import choose_primary

WORSE = [1.0] * 20 + [0.0] * 40
BETTER = [1.0] * 55 + [0.0] * 5


def run(name, primary, **scores):
    results = [recorded_result(metric, values) for metric, values in scores.items()]
    return EvaluationResults({"id": list(map(str, range(60)))}, choose_primary(results, primary), name=name)


def pair(primary=("kept",), baseline_primary=("kept",)):
    before = run("main", baseline_primary, kept=BETTER, lost=BETTER, other=BETTER)
    return run("new", primary, kept=BETTER, lost=WORSE, other=BETTER), before


def test_only_primary_measures_are_tested_and_the_others_are_named():
    new, main = pair()
    gate = new.gate(["no-regression within 0.2"], baseline=main)
    assert [decision.subject for decision in gate.decisions] == ["kept"]
    assert gate.passed
    note = (
        "no-regression tests the primary measures (kept), not lost, other; "
        "no-regression(NAME) tests what it names."
    )
    assert gate.remarks == [note]
    assert json.loads(json.dumps(gate.to_dict()))["notes"] == [note]


def test_what_is_named_is_tested_whether_it_is_primary_or_not():
    new, main = pair()
    gate = new.gate(["no-regression(lost) within 0.2"], baseline=main)
    assert [decision.outcome.value for decision in gate.decisions] == ["failed"]
    assert gate.remarks == []
    assert new.gate(["lost>=baseline"], baseline=main).exit_code == 1


def test_measures_that_one_of_the_runs_declares_are_tested():
    new, main = pair(primary=("lost",))
    gate = new.gate(["no-regression within 0.2"], baseline=main)
    assert [(each.subject, each.outcome.value) for each in gate.decisions] == [
        ("kept", "passed"),
        ("lost", "failed"),
    ]


def test_nothing_is_decided_without_a_primary_measure_in_common():
    new = run("new", ("own",), own=BETTER, shared=BETTER)
    main = run("main", ("old",), old=BETTER, shared=BETTER)
    gate = new.gate(["no-regression"], baseline=main)
    assert gate.exit_code == 3
    assert "no primary measure in common; name the measures, as in no-regression(a, b)" in gate.explanation()
    assert new.gate(["no-regression(shared) within 0.2"], baseline=main).passed


def test_nothing_is_noted_if_every_shared_measure_is_tested():
    new, main = pair(primary=("kept", "lost", "other"))
    assert new.gate(["no-regression within 0.2"], baseline=main).notes == ()
