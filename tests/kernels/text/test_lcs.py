"""Both union-LCS algorithms against a plain table, walked back as rouge-score does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.kernels.text import union_lcs
from thresher.kernels.text.lcs import lcs_lengths, lcs_positions, union_lcs_hits
from thresher.kernels.text.union_lcs import union_lcs_hits_of_pairs


def table(reference, candidate):
    rows = [[0] * (len(candidate) + 1)]
    for token in reference:
        above, row = rows[-1], [0]
        for column, other in enumerate(candidate, start=1):
            row.append(above[column - 1] + 1 if token == other else max(above[column], row[-1]))
        rows.append(row)
    return rows


def walked_back(reference, candidate):
    rows, picked = table(reference, candidate), set()
    i, j = len(reference), len(candidate)
    while i and j:
        if reference[i - 1] == candidate[j - 1]:
            picked.add(i - 1)
            i, j = i - 1, j - 1
        elif rows[i][j - 1] > rows[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return picked


few_letters = st.text(alphabet="abc", max_size=80)
few_lines = st.lists(st.text(alphabet="abcd", max_size=70), max_size=5)


@given(few_letters, few_letters)
def test_it_picks_what_the_table_picks(reference, candidate):
    bits = lcs_positions(reference, candidate)
    assert {place for place in range(len(reference)) if bits >> place & 1} == walked_back(
        reference, candidate
    )
    assert lcs_lengths([candidate], [reference]).tolist() == [table(reference, candidate)[-1][-1]]


@given(st.lists(st.tuples(few_lines, few_lines), max_size=6))
def test_many_at_once_equal_one_by_one(pairs):
    one_by_one = [union_lcs_hits(ours, theirs) for ours, theirs in pairs]
    candidates, references = ([pair[side] for pair in pairs] for side in (0, 1))
    assert union_lcs_hits_of_pairs(candidates, references).tolist() == one_by_one


@pytest.mark.parametrize("length", [63, 64, 65, 200])
def test_lines_around_the_word_size(length):
    reference = "".join("abcde"[place % 5] for place in range(length))
    candidate = reference[::2] + "ea"
    expected = union_lcs_hits([candidate, "abc"], [reference, "ab"])
    assert union_lcs_hits_of_pairs([[candidate, "abc"]], [[reference, "ab"]]).tolist() == [expected]


def test_texts_of_very_many_lines_need_no_large_table(monkeypatch):
    candidate, reference = ["ab", "ba", "c"] * 10, ["abc", "cb"] * 10
    whole = union_lcs_hits_of_pairs([candidate], [reference]).tolist()
    monkeypatch.setattr(union_lcs, "BLOCK_CELLS", 10)
    monkeypatch.setattr(union_lcs, "_hits_of_block", None)
    assert union_lcs_hits_of_pairs([candidate], [reference]).tolist() == whole
