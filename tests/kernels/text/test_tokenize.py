"""Tokenizers and stemmer against rouge-score's own."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.tokenize import tokenize
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from thresher.errors import InputError
from thresher.kernels.text import interning
from thresher.kernels.text.interning import Vocabulary, as_arrays, as_texts
from thresher.kernels.text.stem import porter_stemmer
from thresher.kernels.text.tokenize import (
    LINE_END,
    mteval_tokens,
    rouge_score_tokens,
    unicode_tokens,
    valor_tokens,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "text"


@given(st.text())
def test_tokens_are_those_of_rouge_score(text):
    assert [word for word in rouge_score_tokens(text) if word != LINE_END] == tokenize(text, None)


def test_letters_that_lower_case_into_ascii_count():
    assert rouge_score_tokens("\u212a") == tokenize("\u212a", None) == ["k"]  # the Kelvin sign


@pytest.mark.parametrize("tokens", [rouge_score_tokens, unicode_tokens])
def test_only_a_line_feed_is_a_line_end(tokens):
    assert tokens("a|b\r\nc\n") == ["a", "b", "|", "c", "|"]
    assert tokens("é|b\nc")[-3:] == ["b", "|", "c"]


def test_the_unicode_tokenizer_folds_case_width_and_composition():
    assert unicode_tokens("CAFÉ \uff23\uff21\uff26\uff25\u0301 İstanbul") == ["café", "café", "i̇stanbul"]


def test_words_and_unspaced_characters_may_stand_together():
    assert unicode_tokens("GPT模型v2ได้ で゙") == ["gpt", "模", "型", "v2", "ไ", "ด้", "で゙"]


def test_joiners_stay_inside_words():
    assert unicode_tokens("نمی\u200cشود 👨\u200d👩") == ["نمی\u200cشود"]


def test_stems_are_those_of_nltk():
    stems = json.loads((GOLDEN / "porter_nltk.json").read_text())["stems"]
    stem = porter_stemmer()
    assert len(stems) > 1600
    assert {word: stem(word) for word in stems if len(word) > 3} == {
        word: stems[word] for word in stems if len(word) > 3
    }
    assert [stem(word) for word in ("his", "is", "a")] == ["his", "is", "a"]


def test_words_of_one_stem_are_one_token():
    vocabulary = Vocabulary(porter_stemmer())
    first, second, other = vocabulary.encode(["flipping", "flips", "his"])
    assert first == second != other


def test_interned_tokens_skip_the_surrogates():
    text = Vocabulary().encode(str(number) for number in range(60_000))
    assert len(set(text)) == 60_000
    codes, lengths = as_arrays([text])
    assert as_texts(codes, lengths) == [text]
    assert text.encode("utf-8")


def test_a_vocabulary_that_overflows_says_so(monkeypatch):
    monkeypatch.setattr(interning, "_LAST", 0x22)
    with pytest.raises(InputError, match="more than 3 distinct tokens"):
        Vocabulary().encode("abcd")


def test_valor_tokens_are_those_of_valor():
    cases = json.loads((GOLDEN / "valor_bleu_tokens.json").read_text())["cases"]
    assert len(cases) >= 30
    for case in cases:
        assert valor_tokens(case["input"]["text"]) == case["runs"][0]["expected"], case["input"]


SYMBOLS = st.text(st.sampled_from("ab1 2.,-'&;\n<>$%{}~^`\"/é。quotampl"), max_size=40)


@given(st.one_of(st.text(), SYMBOLS))
def test_mteval_tokens_are_those_of_sacrebleu(text):
    assert mteval_tokens(text) == Tokenizer13a()(text.rstrip()).split()  # sacrebleu strips a line's end first


def test_mteval_reads_entities_and_skips():
    text = "R&amp;D &quot;1,000.5&quot; <skipped>co-\nop a&lt;b&gt;c"
    assert mteval_tokens(text) == Tokenizer13a()(text).split()
