import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge, blocks_of, two_scores
from thresher.components.judged.judgelm._format import FirstLine, Script
from thresher.components.judged.judgelm.judge_lm import JudgeLmEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.reply import read_reply
from thresher.judges.steps import MAX_ASKS
from thresher.judges.template import native
from thresher.metrics.pairwise.pairs import Pair
from thresher.results import Status

PAIR = Pair("q", "a", "b")
tenths = st.integers(1, 10)


def outcome(replies, pair=PAIR, **options):
    return rehearse(JudgeLmEvaluator(**options)._flow(pair), replies)


@settings(deadline=None)
@given(tenths, tenths, st.integers(0, 3))
def test_the_higher_score_wins_by_more_than_the_margin(a, b, margin):
    found = outcome([two_scores(a, b)], tie_margin=margin).value
    assert found.score == (0.5 if abs(a - b) <= margin else float(a > b))
    assert (found.counts["first_score"], found.counts["second_score"]) == (a, b)
    native_found = outcome([f"{a} {b}\nbecause"], tie_margin=margin, reply_format="judgelm").value
    assert (native_found.score, native_found.counts) == (found.score, found.counts)


@settings(deadline=None)
@given(tenths, tenths, tenths, tenths)
def test_both_orders_are_averaged_and_mirror_each_other(a, b, c, d):
    found = outcome([two_scores(a, b), two_scores(c, d)], both_orders=True).value
    assert found.counts["first_score"] == (a + d) / 2
    assert found.counts["second_score"] == (b + c) / 2
    mirrored = outcome([two_scores(c, d), two_scores(a, b)], PAIR.swapped, both_orders=True).value
    assert mirrored.score == 1 - found.score


def test_a_comma_between_the_scores_is_no_tie():
    """JudgeLM's script reads -1 and -1, which it counts as a tie."""
    reply = "8, 9\nThe second is more exact."
    assert outcome([reply], reply_format="judgelm").value.score == 0.0
    old = outcome([reply], reply_format="judgelm", compat="judgelm").value
    assert (old.score, old.counts["first_score"]) == (0.5, -1.0)
    assert old.evidence["note"] == "a reply could not be read"


@pytest.mark.parametrize(
    "line",
    ["8 9", "8, 9", "8/10 9/10", "8 out of 10, 9 out of 10", "Assistant 1: 8, Assistant 2: 9", " 8\t9 "],
)
def test_first_lines_that_can_be_read(line):
    pair = read_reply(f"{line}\nBoth name 2 of 3 dates.", FirstLine()).value
    assert (pair.a, pair.b, pair.reason) == (8, 9, "Both name 2 of 3 dates.")


@pytest.mark.parametrize("line", ["8", "8 9 10", "11 9", "0 3", "eight nine", "Scores:"])
def test_first_lines_that_cannot(line):
    assert read_reply(f"{line}\nx", FirstLine()).value is None


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("8 9\nx", (8, 9)),
        ("8,9", (8, 9)),
        ("8, 9", (-1, -1)),
        ("good", (-1, -1)),
        ("12 0", (12, 0)),
        ("8  9", (-1, -1)),
    ],
)
def test_the_script_s_way_of_reading(text, scores):
    pair = read_reply(text, Script()).value
    assert (pair.a, pair.b) == scores


def test_what_cannot_be_read_is_asked_for_again():
    assert outcome(["Both are fine.", "7 7"], reply_format="judgelm").value.score == 0.5
    assert outcome(["Both are fine."] * MAX_ASKS, reply_format="judgelm").status is Status.UNREADABLE


@pytest.mark.parametrize("reply_format", ["json", "judgelm"])
def test_references_have_a_prompt_of_their_own(reply_format):
    reply = two_scores(7, 6) if reply_format == "json" else "7 6"
    with_one = outcome([reply], Pair("q", "a", "b", ("r",)), reply_format=reply_format).replies[0].ask
    without = outcome([reply], reply_format=reply_format).replies[0].ask
    assert blocks_of(with_one.text)["reference"] == "r"
    assert "reference" not in blocks_of(without.text)


@pytest.mark.parametrize("form", [FirstLine(), Script()], ids=repr)
def test_an_imagined_reply_fits_and_no_schema_is_sent(form):
    assert read_reply(form.imagine(""), form).value is not None
    assert form.json_schema() == {}
    assert [m.role for m in native("judgelm/scores").ask(form, **PAIR.data).messages] == ["user"]


def test_the_systems_mean_scores_are_measures():
    judge = Judge(lambda text: two_scores(9, 5) if blocks_of(text)["answer_a"] == "a" else two_scores(4, 6))
    result = JudgeLmEvaluator(judge, both_orders=True).run(["q"], ["a"], ["b"])["result"]
    values = {measure.name: result.value(measure.name) for measure in result.measures}
    assert values == {
        "judge_lm": 1.0,
        "judge_lm_consistency": 1.0,
        "judge_lm_first_score": 7.5,
        "judge_lm_second_score": 4.5,
    }


@pytest.mark.parametrize(
    "options", [{"tie_margin": -1}, {"tie_margin": "0"}, {"reply_format": "x"}, {"compat": "judgelm"}]
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        JudgeLmEvaluator(**options)
