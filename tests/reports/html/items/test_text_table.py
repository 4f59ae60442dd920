import zlib

import numpy as np

from thresher.reports.html.items.text_table import FLOOR, TextLimits, TextTable


def words(rng, count):
    return " ".join(str(number) for number in rng.integers(0, 10**6, count))


def filled(bulk, rest, seed=1):
    rng, texts = np.random.default_rng(seed), TextTable()
    for _ in range(rest):
        texts.place(words(rng, 40))
    for _ in range(bulk):
        texts.place(words(rng, 300), bulk=True)
    return texts


def test_texts_that_fit_stay_whole():
    assert filled(20, 20).limits(10**6) == TextLimits()


def test_passages_are_cut_before_questions_and_answers():
    texts = filled(100, 100)
    limits = texts.limits(60_000)
    assert limits.rest is None
    assert limits.bulk > FLOOR
    size = len(zlib.compress("\n".join(texts.cut(limits)).encode()))
    assert 45_000 < size < 66_000


def test_all_are_cut_where_that_is_not_enough_but_never_below_the_floor():
    limits = filled(100, 100).limits(5_000)
    assert limits == TextLimits(FLOOR, FLOOR)
    assert all(len(text) <= FLOOR + 4 for text in filled(100, 100).cut(limits))


def test_a_text_is_what_it_was_first():
    texts = TextTable()
    assert texts.place("the same") == texts.place("the same", bulk=True) == 0
    long = "x" * 900
    texts.place(long, bulk=True)
    texts.place(long)
    assert texts.cut(TextLimits(300, None)) == ["the same", f"{'x' * 300} […]"]


def test_numbers_and_texts_cannot_be_taken_for_each_other():
    texts = TextTable()
    packed = texts.pack([0, "0", 1.5, None, float("nan"), {"0": "a"}])
    assert packed == ["0", 0, "1.5", None, None, {"0": 1}]
