"""Counting shared n-grams against Counters."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.kernels.text.grouping import equal_pairs, representatives
from thresher.kernels.text.ngrams import clipped_ngrams, shared_ngrams


def ngrams(text, n):
    return Counter(text[start : start + n] for start in range(len(text) - n + 1))


few_letters = st.text(alphabet="ab\U0010ffff", max_size=12)


@given(st.lists(st.tuples(few_letters, st.lists(few_letters, min_size=1, max_size=3)), max_size=6))
def test_clipped_counts_are_those_of_counters(items):
    candidates = [candidate for candidate, _ in items]
    references = [text for _, texts in items for text in texts]
    owners = np.repeat(np.arange(len(items)), [len(texts) for _, texts in items])
    found = clipped_ngrams(candidates, references, owners, 5)
    for n, counts in enumerate(found, start=1):
        expected = []
        for candidate, texts in items:
            most = Counter()
            for text in texts:
                most |= ngrams(text, n)
            expected.append((ngrams(candidate, n) & most).total())
        assert counts.tolist() == expected


def test_n_grams_do_not_reach_into_the_next_text():
    assert [counts.tolist() for counts in shared_ngrams(["ab", "cd"], ["bc", "cd"], 2)] == [[1, 2], [0, 1]]


@given(st.lists(st.integers(0, 2**62), max_size=50))
def test_equal_keys_share_one_representative(keys):
    found = representatives(np.array(keys + keys, np.int64)).tolist()
    assert [(keys + keys)[place] for place in found] == keys + keys
    assert len(set(found)) == len(set(keys))


@given(st.lists(st.integers(0, 6), max_size=25), st.lists(st.integers(0, 6), max_size=25))
def test_meetings_are_all_pairs_of_equal_keys(left, right):
    batches = list(equal_pairs(np.array(left, np.int64), np.array(right, np.int64)))
    met = [pair for a, b in batches for pair in zip(a.tolist(), b.tolist(), strict=True)]
    every = [(i, j) for i, key in enumerate(left) for j, other in enumerate(right) if key == other]
    assert sorted(met) == every
    assert all(len(set(a.tolist())) == len(a) for a, _ in batches)
