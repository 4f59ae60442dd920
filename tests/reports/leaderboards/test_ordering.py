import pytest
from tests.reports.leaderboards.conftest import made

from thresher import EvaluationResults, InputError, leaderboard


def several(table, primary=(True, True, False)):
    metrics = [
        [
            {"name": name, "scores": scores**power, "primary": is_primary}
            for power, (name, is_primary) in enumerate(
                zip(("f1", "faith", "extra"), primary, strict=True), start=2
            )
        ]
        for scores in table.T
    ]
    return [
        made(name, scores, primary=False, others=others)
        for name, scores, others in zip("abcd", table.T, metrics, strict=True)
    ]


def test_the_first_declared_measure_orders_and_the_others_are_columns(table):
    report = leaderboard(several(table))
    assert (report.measure, report.data()["chosen"], report.data()["candidates"]) == ("f1", "declared", 2)
    top = report.entries[0]
    scores = table[:, "abcd".index(top.run)] ** 3
    assert list(top.others) == ["faith"]
    assert top.others["faith"].value == pytest.approx(scores.mean())
    assert top.others["faith"].interval.low < scores.mean() < top.others["faith"].interval.high
    assert "faith" in report.render("markdown")


def test_a_measure_chosen_afterwards_is_said_and_corrected(table):
    runs = several(table)
    declared, same = leaderboard(runs, baseline="a"), leaderboard(runs, baseline="a", primary="f1")
    assert same.data() == declared.data()
    among = leaderboard(runs, baseline="a", primary="faith").data()
    assert (among["measure"], among["chosen"], among["candidates"]) == ("faith", "declared", 2)
    late = leaderboard(runs, baseline="a", primary="extra")
    assert (late.data()["chosen"], late.data()["candidates"]) == ("afterwards", 4)
    note = (
        "Primary measure chosen afterwards: extra (the runs declare f1, faith); differences, ranks and ★ "
        "are corrected for the 4 measures that could have been chosen (Bonferroni)."
    )
    assert note in late.notes

    alone = leaderboard(several(table, primary=(False, False, True)), baseline="a")
    assert alone.measure == "extra"
    for wide, narrow in zip(late.entries, alone.entries, strict=True):
        assert wide.measured == narrow.measured, "own intervals are not corrected"
        if wide.difference:
            one, other = wide.difference.comparison, narrow.difference.comparison
            assert one.interval.low < other.interval.low < other.interval.high < one.interval.high
            assert one.p_adjusted == pytest.approx(min(1, 4 * other.p_adjusted), rel=0.01)


def test_statements_hold_for_all_declared_measures_as_verdicts_of_a_comparison_do(table):
    both = several(table)
    one = leaderboard(several(table, primary=(True, False, False)))
    for wide, narrow in zip(leaderboard(both).entries[1:], one.entries[1:], strict=True):
        first, second = wide.difference.comparison, narrow.difference.comparison
        assert first.interval.low < second.interval.low < second.interval.high < first.interval.high
        assert first.interval.level == second.interval.level == 0.95
        assert first.p_adjusted == pytest.approx(min(1, 2 * second.p_adjusted), rel=0.02)
    runs = both[1:3]
    compared = {row.comparison.measure: row.comparison for row in runs[0].compare(runs[1]).rows}
    for measure in ("f1", "faith"):
        (row,) = [each.difference for each in leaderboard(runs, primary=measure, baseline="b").entries[:1]]
        assert row.comparison.p_value == compared[measure].p_value
        assert row.comparison.p_adjusted == min(1, 2 * row.comparison.p_value) >= compared[measure].p_adjusted


def test_runs_that_name_their_measures_in_another_order_are_noted(table):
    runs = several(table)
    turned = [EvaluationResults(run.inputs, run.results[::-1], name=f"{run.name}2") for run in runs[:1]]
    report = leaderboard([*runs, *turned])
    assert report.measure == "f1"
    note = "Not every run names f1 first: a2 names faith first; --primary (primary=) chooses."
    assert note in report.notes
    assert not any("names" in line for line in leaderboard(runs).notes)


def test_runs_that_declare_no_measure_need_a_name(table):
    runs = several(table, primary=(False, False, False))
    with pytest.raises(
        InputError, match="the runs declare no primary measure; name one to order by: score, f1"
    ):
        leaderboard(runs)
    assert leaderboard(runs, primary="F1").measure == "f1"


def test_runs_that_declare_other_measures_are_noted(table):
    runs = [*several(table)[:3], several(table, primary=(False, True, False))[3]]
    report = leaderboard(runs)
    assert report.measure == "faith"
    assert report.ranking.ordering.others == ("f1",)
    runs = [
        *several(table, primary=(True, False, False))[:3],
        several(table, primary=(False, True, False))[3],
    ]
    note = "Not every run declares f1 as primary measure: d did not."
    assert note in leaderboard(runs).notes


def test_wrong_options_are_refused(runs):
    for options, message in (
        ({"level": 2}, "level=2"),
        ({"primary": ["score"]}, r"primary=\['score'\] must be one name"),
        ({"most_missing": 1}, "most_missing=1 must be a share"),
        ({"weights": {}}, r"weights=\{\}: give a dict"),
        ({"references": {"a": (0, 1)}}, "give weights too"),
        ({"verdicts": "never"}, "verdicts='never' is unknown"),
    ):
        with pytest.raises(InputError, match=message):
            leaderboard(runs, **options)
    with pytest.raises(TypeError, match="primry"):
        leaderboard(runs, primry="score")
    with pytest.raises(InputError, match="runs holds str; give EvaluationResults"):
        leaderboard(["a", "b"])
