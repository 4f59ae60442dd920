import numpy as np
import pytest
from tests.reports.leaderboards.conftest import made

from thresher import EvaluationResults, InputError, evaluate, leaderboard
from thresher.results import Measure, MetricResult, Signature, Statistics


def without(scores, items):
    return [None if place in items else score for place, score in enumerate(scores)]


def by_name(report):
    return {entry.run: entry for entry in report.entries}


def test_a_few_missing_scores_leave_the_items_that_all_scored(table):
    runs = [
        made("a", without(table[:, 0], {3})),
        made("b", without(table[:, 1], {5})),
        made("c", table[:, 2]),
    ]
    report = leaderboard(runs)
    kept = np.delete(np.arange(40), [3, 5])
    for name, entry in by_name(report).items():
        assert entry.measured.value == pytest.approx(table[kept, "abc".index(name)].mean())
    assert [by_name(report)[name].scored for name in "abc"] == [39, 39, 40]
    assert report.notes == ["Ordered by score over the 38 of 40 items that all ranked runs scored."]


def rated(**scores):
    return [made(name, each, bounds=(0, 1)) for name, each in scores.items()]


HIGH, LOW = [1.0] * 50 + [0.0] * 30, [1.0] * 40 + [0.0] * 40


@pytest.mark.parametrize("others", ["b", "bc"])
def test_no_run_is_excluded_from_the_best_by_scores_that_are_missing(others):
    """One run is alone right on 10 items; if its 8 missing scores were wrong, another would be on 8."""
    rest = dict.fromkeys(others, LOW)
    report = leaderboard(rated(a=without(HIGH, set(range(8))), **rest))
    assert report.best == ["a", *others]
    row = report.pairs[0]
    assert row.verdict == "unless"
    assert (row.comparison.missing.verdict, row.comparison.missing.scores) == ("worse", 8)
    assert leaderboard(rated(a=HIGH, **rest)).best == ["a"], "with all scores it is shown"


def test_a_weighted_score_excludes_no_run_by_scores_that_are_missing():
    options = {"weights": {"score": 1.0}}
    short = without(HIGH, set(range(8)))
    assert leaderboard(rated(a=short, b=LOW, c=LOW), **options).weighted.best == ["a", "b", "c"]
    assert leaderboard(rated(a=HIGH, b=LOW, c=LOW), **options).weighted.best == ["a"]


def test_a_run_with_more_missing_than_allowed_has_no_rank(table):
    runs = [made("a", without(table[:, 0], set(range(25)))), made("b", table[:, 1]), made("c", table[:, 2])]
    report = leaderboard(runs)
    entry = report.entries[-1]
    assert (entry.run, entry.rank, entry.why) == ("a", None, "scored 15 of 40 items")
    assert entry.measured.value == pytest.approx(table[25:, 0].mean())
    assert "a has no rank: scored 15 of 40 items." in report.notes
    assert by_name(leaderboard(runs, most_missing=0.7))["a"].rank is not None
    with pytest.raises(InputError, match="the baseline a cannot be ranked: scored 15 of 40 items"):
        leaderboard(runs, baseline="a")


def test_items_that_no_run_scored_do_not_count(table):
    runs = [
        made(name, without(scores, {0, 1, 2, 3, 4, 5})) for name, scores in zip("ab", table.T, strict=False)
    ]
    report = leaderboard(runs)
    assert report.notes[0] == "6 of 40 items have no score from any run; they do not count."
    assert (report.entries[0].scored, report.entries[0].items) == (34, 34)


def test_runs_are_joined_by_id_whatever_their_order(table):
    ids = [f"q{place}" for place in range(40)]
    turned = [made("a", table[:, 0]), made("b", table[::-1, 1], ids=ids[::-1]), made("c", table[:, 2])]
    straight = [made(name, table[:, place]) for place, name in enumerate("abc")]
    assert leaderboard(turned).data()["runs"] == leaderboard(straight).data()["runs"]


def test_runs_without_ids_are_joined_by_question(table):
    def asked(name, scores, items):
        data = {"inputs": {"question": [f"{item}?" for item in items]}}
        return EvaluationResults.from_dict(
            {**data, "metrics": [{"name": "score", "scores": scores}]}, name=name
        )

    order = list(range(40))
    runs = [asked("a", list(table[:, 0]), order), asked("b", list(table[::-1, 1]), order[::-1])]
    (row,) = [entry.difference for entry in leaderboard(runs, baseline="a").entries if entry.difference]
    assert row.comparison.standard_error == pytest.approx((table[:, 1] - table[:, 0]).std(ddof=1) / 40**0.5)


def test_a_run_that_was_stopped_takes_no_items_from_the_others(table):
    stopped = made("c", table[:5, 2])
    report = leaderboard([made("a", table[:, 0]), made("b", table[:, 1]), stopped])
    assert by_name(report)["a"].items == 40
    assert by_name(report)["c"].why == "scored 5 of 40 items"
    longer = made("d", np.append(table[:, 3], 0.5))
    report = leaderboard([made("a", table[:, 0]), made("b", table[:, 1]), longer])
    assert report.notes[0] == "Ranked over the 40 items that more than half of the runs have (1 only in d)."


def test_runs_of_other_data_or_settings_have_no_rank_but_a_reason(table):
    questions = {"question": [f"{place}?" for place in range(40)]}
    other = {"question": [*questions["question"][:-1], "other?"]}
    runs = [made(name, table[:, place], **questions) for place, name in enumerate("ab")]
    runs = [made("x", table[:, 2], **other), *runs]
    report = leaderboard(runs)
    assert (report.entries[-1].run, report.entries[-1].why) == ("x", "other data")
    few = leaderboard([made("x", [1, 0, 1], ["z1", "z2", "z3"]), *runs[1:]]).entries[-1]
    assert (few.run, few.why, few.scored, few.items) == ("x", "other items", 3, 3)  # not 3 of the others' 40
    assert "a and x were evaluated on different data: `question` differs in 1 of 40 items" in report.notes[0]
    assert leaderboard(runs, verdicts="always").entries[-1].rank == 3
    with pytest.raises(InputError, match=r"no two runs can be ranked together\. x and a were evaluated on"):
        leaderboard(runs[:2])
    with pytest.raises(InputError, match="no two runs can be ranked together"):
        leaderboard(runs, baseline="x")

    def cut(name, k):
        measure = Measure(Signature.of("hit", {"k": k}))
        result = MetricResult([measure], Statistics({"score": table[:, 0]}))
        return EvaluationResults(runs[1].inputs, [result], name=name)

    report = leaderboard([cut("a", 3), cut("b", 5), cut("c", 5)])
    assert (report.entries[-1].run, report.entries[-1].why) == ("a", "other settings")
    assert "hit was computed with other settings in a than in b: k 3 instead of 5." in report.notes


def test_a_run_without_the_measure_is_listed(table):
    data = {"inputs": {"id": ["q1"]}, "metrics": [{"name": "other", "scores": [1]}]}
    report = leaderboard(
        [*(made(n, table[:, p]) for p, n in enumerate("ab")), EvaluationResults.from_dict(data, "z")]
    )
    assert (report.entries[-1].run, report.entries[-1].why) == ("z", "no score")
    assert report.entries[-1].measured is None


def test_measures_that_are_not_means_are_ordered_by_their_values():
    generator = np.random.default_rng(0)
    labels = np.arange(60) % 2

    def classified(name, noise, lacking=0):
        chance = np.clip(0.25 + 0.5 * labels + generator.normal(0, noise, 60), 0, 1)
        rows = [
            {"id": f"i{place}", "label": ("no", "yes")[label], "scores": {"yes": share, "no": 1 - share}}
            for place, (label, share) in enumerate(zip(labels, chance.tolist(), strict=True))
        ]
        for row in rows[:lacking]:
            row["scores"] = None
        return evaluate(["classification_roc_auc"], rows, name=name)

    runs = [classified("sharp", 0.1), classified("dull", 0.4), classified("coin", 5.0)]
    report = leaderboard(runs, pairs=True)
    values = {run.name: run.metrics[report.measure].value for run in runs}
    assert report.names == sorted(values, key=values.get, reverse=True)
    assert {entry.run: entry.measured.value for entry in report.entries} == pytest.approx(values)
    assert by_name(report)["coin"].may_be_best is False
    assert by_name(report)["coin"].difference.comparison.wins is None
    few = [classified("sharp", 0.1, lacking=3), classified("dull", 0.4), classified("coin", 5.0, lacking=12)]
    report = leaderboard(few)
    common = few[1].take(range(3, 60))
    assert by_name(report)["coin"].why == "scored 48 of 60 items"
    estimate = common.report().estimates[report.measure]
    shown = by_name(report)["dull"].measured
    assert (shown.value, shown.interval) == (pytest.approx(estimate.value), estimate.interval)


def test_clusters_and_repeats_are_those_of_the_comparison(table):
    groups = [f"c{place // 4}" for place in range(40)]
    runs = [made(name, table[:, place], document=groups) for place, name in enumerate("abc")]
    clustered = leaderboard(runs, cluster="document", baseline="a")
    assert clustered.notes[0] == "Items of one `document` are not independent: 10 clusters count."
    comparison = by_name(clustered)["c"].difference.comparison
    single = runs[0].compare(runs[2], cluster="document").rows[0].comparison
    assert (comparison.clusters, comparison.difference) == (10, pytest.approx(single.difference))
    assert comparison.standard_error == pytest.approx(single.standard_error, rel=0.05)
    repeated = leaderboard(runs, repeats="document")
    assert repeated.entries[0].items == 10
    with pytest.raises(InputError, match="no input column 'page' in a"):
        leaderboard(runs, cluster="page")


def test_runs_without_the_same_measure_are_ranked_by_one_that_two_share(table):
    runs = [made("a", table[:, 0]), made("b", table[:, 1])]
    measure = Measure(Signature.of("other", {}))
    other = MetricResult([measure], Statistics({"score": table[:, 2]}))
    apart = EvaluationResults(runs[0].inputs, [other], name="c")
    with pytest.raises(InputError, match=r"c: no score; no two runs have scores of the same measure"):
        leaderboard([runs[0], apart], primary="score")
    with pytest.raises(
        InputError, match=r"together\. .*; two or more runs have scores of score: order by one"
    ):
        leaderboard([*runs, apart], primary="other")
