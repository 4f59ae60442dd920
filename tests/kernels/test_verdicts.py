import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score

from thresher.kernels.verdicts import context_precision, f1_of_statements, share

counts = st.integers(0, 50)


@given(counts, counts, counts)
def test_f1_is_the_f1_of_scikit_learn(tp, fp, fn):
    truth = [1] * tp + [0] * fp + [1] * fn
    predicted = [1] * tp + [1] * fp + [0] * fn
    expected = f1_score(truth, predicted, zero_division=0.0) if truth else 0.0
    assert f1_of_statements(tp, fp, fn) == pytest.approx(expected, abs=1e-12)


@given(counts, counts, counts)
def test_f1_falls_with_every_mistake_and_is_one_without(tp, fp, fn):
    value = f1_of_statements(tp, fp, fn)
    assert 0 <= value <= 1
    assert (value == 1) == (tp > 0 and fp == fn == 0)
    assert f1_of_statements(tp, fp + 1, fn) <= value
    assert f1_of_statements(tp, fp, fn + 1) <= value


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_context_precision_is_average_precision_of_the_ranking(useful):
    value = context_precision(useful)
    if not any(useful):
        assert math.isnan(value)
        return
    expected = average_precision_score(useful, np.arange(len(useful), 0, -1))
    assert value == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_useful_contexts_first_are_perfect_and_moving_one_up_never_hurts(useful):
    if not any(useful):
        return
    assert context_precision(sorted(useful, reverse=True)) == 1.0
    for place in range(1, len(useful)):
        if useful[place] and not useful[place - 1]:
            better = [*useful]
            better[place - 1], better[place] = True, False
            assert context_precision(better) > context_precision(useful)


@given(st.lists(st.tuples(counts, counts), min_size=1))
def test_shares_are_quotients_and_of_nothing_do_not_exist(pairs):
    hits, total = zip(*pairs, strict=True)
    for value, one, whole in zip(share(hits, total), hits, total, strict=True):
        if whole == 0:
            assert math.isnan(value)
        else:
            assert value == one / whole


def test_no_contexts_have_no_precision():
    assert math.isnan(context_precision([]))
