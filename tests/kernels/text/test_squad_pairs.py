"""Exact match and token counts that share a count are those of their own kernels."""

import pytest

from thresher.kernels.text.exact_match import exact_match
from thresher.kernels.text.squad_pairs import SquadPairs
from thresher.kernels.text.token_f1 import token_counts
from thresher.native.library import library

PREDICTIONS = ["The Paris.", "Rome", "", "a an the", "zwölf, Boxkämpfer jagen", "x\0y \ud800"]
REFERENCES = ["paris", "Madrid in spring", "", "", "zwölf boxkämpfer jagen Viktor", "x\0y \ud800"]


@pytest.mark.parametrize("kernels", ["numpy", ""])
def test_shared_counts_are_those_of_the_kernels(monkeypatch, kernels):
    monkeypatch.setenv("THRESHER_KERNELS", kernels)
    library.cache_clear()
    try:
        pairs = SquadPairs(PREDICTIONS, REFERENCES)
        assert pairs.matches().tolist() == exact_match(PREDICTIONS, REFERENCES).tolist() == [1, 0, 1, 0, 0, 1]
        expected = token_counts(PREDICTIONS, REFERENCES)
        for name, column in pairs.tokens()._asdict().items():
            assert column.tolist() == getattr(expected, name).tolist(), name
        assert SquadPairs([], []).tokens().f1().tolist() == SquadPairs([], []).matches().tolist() == []
    finally:
        library.cache_clear()
