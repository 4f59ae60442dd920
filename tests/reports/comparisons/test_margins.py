import math

import pytest

from thresher.errors import InputError
from thresher.reports.comparisons.margins import Margins


def test_a_metric_has_its_own_margin_else_that_of_all():
    margins = Margins.checked({"recall": 0.05}, 0.02, ["recall", "f1"])
    assert (margins.of("recall"), margins.of("f1")) == (0.05, 0.02)
    assert Margins.checked({"recall": 1}, None, ["recall", "f1"]).of("f1") is None
    assert Margins.checked(None, None, []).of("f1") is None


@pytest.mark.parametrize(
    ("margins", "margin", "message"),
    [
        ({"recal": 0.05}, None, "no run has that metric (did you mean 'recall'?)"),
        ({"recall": 0}, None, "margin for recall: 0 is not a positive number"),
        ({"recall": True}, None, "margin for recall: True is not a positive number"),
        (None, -0.1, "margin: -0.1 is not a positive number"),
        (None, math.nan, "margin: nan is not a positive number"),
        (None, math.inf, "margin: inf is not a positive number"),
        (None, "0.1", "margin: '0.1' is not a positive number"),
        (0.1, None, "give a dict metric -> margin, or margin= for all metrics"),
    ],
)
def test_what_is_not_a_margin_is_refused(margins, margin, message):
    with pytest.raises(InputError) as error:
        Margins.checked(margins, margin, ["recall", "f1"])
    assert message in str(error.value)
