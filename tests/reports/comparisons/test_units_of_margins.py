"""A margin or a bar that no result can miss is a mistake of units."""

import pytest

from thresher import EvaluationResults, InputError


def run(name, scores, bounds):
    metrics = [{"name": "m", "scores": list(scores), "bounds": bounds}]
    return EvaluationResults.from_dict(
        {"run": name, "inputs": {"id": list(range(len(scores)))}, "metrics": metrics}
    )


ONES, ZEROS = run("ones", [1.0] * 60, [0, 1]), run("zeros", [0.0] * 60, [0, 1])
POINTS = run("points", [4.0, 5.0, 6.0] * 20, [0, 100])


@pytest.mark.parametrize(
    ("margin", "remedy"), [(2, "for 2 % write 0.02"), (1, "for 1 % write 0.01"), (100, "for 100 % write 1")]
)
@pytest.mark.parametrize("by_name", [False, True])
def test_a_margin_as_large_as_the_range_is_refused(margin, remedy, by_name):
    options = {"margins": {"m": margin}} if by_name else {"margin": margin}
    with pytest.raises(
        InputError, match=f"margin for m: {margin} is as large as the range of m, 0 to 1.*{remedy}"
    ):
        ONES.compare(ZEROS, **options)
    with pytest.raises(InputError, match="as large as the range of m, 0 to 100, so that no difference"):
        POINTS.compare(run("p", [4.0] * 60, [0, 100]), margin=100)
    assert ONES.compare(ZEROS, margin=0.999).notes[-1] == (
        "The margin 0.999 is more than a quarter of the range of m, 0 to 1."
    )
    assert not any("quarter" in note for note in ONES.compare(ZEROS, margin=0.25).notes)
    unbounded = [run(name, [1.0, 2.0] * 20, None) for name in "ab"]
    unbounded[0].compare(unbounded[1], margin=1000)


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        ("m>=-1", "every value meets it"),
        ("m>=0", "every value meets it"),
        ("m<=1.5", "every value meets it; for 1.5 % write 0.015"),
        ("m<=200%", "every value meets it; for 2 % write 0.02"),
        ("m>1", "no value meets it"),
        ("m>=70", "no value meets it; for 70 % write 0.7"),
        ("min(m)>=2", "no value meets it"),
        ("coverage(m)>=95", "no value meets it; for 95 % write 0.95"),
        ("items(m>=0.5)>=95", "no value meets it"),
        ("m>=baseline-2", "no difference can be larger than 2; for 2 % write 0.02"),
        ("m>=baseline+1", "no difference can be larger than 1"),
        ("no-regression within 2", "no difference can be larger than 2; for 2 % write 0.02"),
        ("no-regression within 100%", "no difference can be larger than 1"),
    ],
)
def test_a_requirement_that_no_result_can_miss_or_meet_is_refused(requirement, reason):
    with pytest.raises(InputError, match=reason):
        ZEROS.gate([requirement], baseline=ONES)


@pytest.mark.parametrize(
    ("requirement", "number"),
    [("m>=70%", 70), ("m>=baseline-2%", -2), ("no-regression within 5%", -5), ("max(m)<=8%", 8)],
)
def test_a_percentage_of_a_measure_of_points_is_refused(requirement, number):
    with pytest.raises(InputError, match=f"the values of m are 0 to 100.*write {number}$"):
        POINTS.gate([requirement], baseline=POINTS)


@pytest.mark.parametrize(
    "requirement", ["m>=1", "m<=0", "m>=70%", "m>=baseline-2%", "no-regression within 0.5"]
)
def test_bars_that_some_results_meet_are_accepted(requirement):
    ONES.gate([requirement], baseline=ONES)
