import math

import pytest

from thresher.kernels.inference import Interval
from thresher.reports.html.numbers import limits
from thresher.reports.html.numbers import number as html_number
from thresher.reports.rendering.numbers import TYPOGRAPHIC, interval_text, number, p_text, significant


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-12, -1e-12])
def test_what_is_zero_but_for_rounding_has_no_sign(value):
    assert number(value, 3, signed=True) == html_number(value, signed=True) == "0.000"


@pytest.mark.parametrize(
    ("value", "text"), [(0.00012, "+0.0001"), (-0.00049, "-0.0005"), (9.9996, "+10.000")]
)
def test_a_change_is_never_shown_as_zero(value, text):
    assert number(value, 3, signed=True) == text


@pytest.mark.parametrize("value", [0.5, -0.0312, 43.21, -1500.0, 1234567.0, 0.0004])
def test_terminal_and_html_differ_in_characters_only(value):
    plain = number(value, 3, signed=True)
    assert html_number(value, signed=True).replace(",", "").replace(TYPOGRAPHIC.minus, "-") == plain


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-0.0551, 0.1572, "[-0.056, +0.158]"),
        (0.25, 0.5, "[+0.250, +0.500]"),
        (-0.3, -0.0004, "[-0.300, -0.0004]"),
        (0.00031, 12.31, "[+0.0003, +12.4]"),
        (-math.inf, 1499.2, "[-inf, +1500]"),
        (0.1 + 0.2, 0.65, "[+0.300, +0.650]"),
    ],
)
def test_ends_of_intervals_are_rounded_outward_in_text_and_html(low, high, text):
    interval = Interval(low, high, 0.95, "t")
    assert interval_text(interval, signed=True) == text
    if math.isfinite(low) and max(abs(low), abs(high)) < 10:
        plain = limits((low, high), signed=True, decimals=3).replace(TYPOGRAPHIC.minus, "-")
        assert plain == text


def test_missing_and_infinite_values_are_two_things():
    assert (number(None), number(math.nan), number(-math.inf)) == ("-", "-", "-inf")
    assert (significant(math.nan), p_text(math.nan)) == ("-", "no test")
