import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.kernels.ratings import expected_rating, sampled_probabilities

shares = st.dictionaries(st.integers(1, 5), st.floats(1e-6, 1), min_size=1)


@settings(deadline=None)
@given(shares)
def test_the_mean_lies_on_the_scale_and_scales_with_nothing(probabilities):
    mean, mass = expected_rating(probabilities)
    assert min(probabilities) - 1e-9 <= mean <= max(probabilities) + 1e-9
    assert mass == pytest.approx(sum(probabilities.values()))
    doubled = expected_rating({rating: 2 * share for rating, share in probabilities.items()})
    assert doubled[0] == pytest.approx(mean)


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=30))
def test_samples_give_their_plain_mean(ratings):
    probabilities = sampled_probabilities(ratings)
    assert sum(probabilities.values()) == pytest.approx(1)
    assert expected_rating(probabilities)[0] == pytest.approx(sum(ratings) / len(ratings))


def test_without_mass_there_is_no_mean():
    with pytest.raises(ValueError, match="no rating has a probability"):
        expected_rating({})
