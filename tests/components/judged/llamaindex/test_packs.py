from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.components.judged.llamaindex._packs import TokenBudget, packs, tokens
from thresher.errors import InputError
from thresher.metrics import check_option

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), max_size=6)


def letters(text):
    return "".join(text.split())


@settings(deadline=None)
@given(texts, st.integers(16, 60))
def test_nothing_is_lost_and_the_order_stays(contexts, budget):
    packed = packs(contexts, budget)
    parts = [(id_, part) for pack in packed for id_, part in pack.items()]
    for place, context in enumerate(contexts, 1):
        own = [part for id_, part in parts if id_.split(".")[0] == str(place)]
        assert letters("".join(own)) == letters(context)
    numbers = [tuple(map(int, id_.split("."))) for id_, _ in parts]
    assert numbers == sorted(set(numbers))


@settings(deadline=None)
@given(texts, st.integers(16, 60))
def test_a_pack_keeps_to_its_budget_and_the_next_would_not_have_fitted(contexts, budget):
    packed = packs(contexts, budget)
    sizes = [[tokens(part) for part in pack.values()] for pack in packed]
    assert all(sum(size) <= budget for size in sizes)
    assert all(sum(size) + after[0] > budget for size, after in pairwise(sizes))


def test_a_long_context_is_cut_between_sentences():
    context = "One sentence stands here. A second one follows it. The third ends it all."
    [first, second] = packs([context], 16)
    assert first == {"1.1": "One sentence stands here. A second one follows it."}
    assert second == {"1.2": "The third ends it all."}


def test_contexts_that_fit_are_one_pack():
    assert packs(["a", "b", "c"], 16) == [{"1": "a", "2": "b", "3": "c"}]
    assert packs([], 16) == [{}]


def test_letters_of_three_bytes_count_more():
    assert tokens("水" * 8) == 6
    assert tokens("w" * 8) == 2


@pytest.mark.parametrize("budget", [0, 15, 100.0, None, True])
def test_a_budget_without_room_is_refused(budget):
    with pytest.raises(InputError, match="max_context_tokens"):
        check_option("max_context_tokens", budget, TokenBudget)
