"""Former names of `thresher.judges` still work and warn with the new name."""

import pytest

from thresher import judges


@pytest.mark.parametrize(
    ("old", "new"), [("Estimate", "CostEstimate"), ("Rated", "JudgeRating"), ("Verdict", "JudgeVerdict")]
)
def test_a_former_name_warns_and_is_the_new_class(old, new):
    with pytest.warns(DeprecationWarning, match=f"write thresher.judges.{new}"):
        assert getattr(judges, old) is getattr(judges, new)
