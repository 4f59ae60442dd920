"""Tokenizers against sacrebleu's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_none import NoneTokenizer
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from thresher.kernels.text.sacrebleu_tokens import SACREBLEU_TOKENIZERS, tercom_tokens

PEERS = {
    "13a": Tokenizer13a(),
    "intl": TokenizerV14International(),
    "zh": TokenizerZh(),
    "char": TokenizerChar(),
    "whitespace": NoneTokenizer(),
}
ODD = "ab1 2.,-'s&;\n<>$%{}~^`\"/é。quotampl我ひカ、\uff08\uff09²…\u2001\u2a6d\u2f81\u2fa1\u3400\U00020000"
TEXTS = st.one_of(st.text(), st.text(st.sampled_from(ODD), max_size=40))


@pytest.mark.parametrize("name", PEERS)
@given(text=TEXTS)
def test_tokens_are_those_of_sacrebleu(name, text):
    assert SACREBLEU_TOKENIZERS[name](text) == PEERS[name](text.rstrip()).split()


@pytest.mark.parametrize("name", ["13a", "intl"])
def test_the_end_of_a_line_is_dropped_before_a_text_is_read(name):
    for text in ("well-known-\n ", "in 2024.\n", "(so)\n"):
        assert SACREBLEU_TOKENIZERS[name](text) == PEERS[name](text.rstrip()).split()
    assert SACREBLEU_TOKENIZERS["13a"]("well-known-\n ") == ["well-known-"]


def test_the_chinese_characters_are_those_of_sacrebleu():
    for code in range(0x80, 0x30000, 7):
        character = chr(code)
        if not 0xD800 <= code < 0xE000:
            text = f"a{character}b"
            assert SACREBLEU_TOKENIZERS["zh"](text) == PEERS["zh"](text).split(), hex(code)


@given(TEXTS, st.booleans(), st.booleans(), st.booleans())
def test_the_words_of_ter_are_those_of_sacrebleu(text, normalized, no_punct, asian_support):
    options = {"normalized": normalized, "no_punct": no_punct, "asian_support": asian_support}
    peer = TercomTokenizer(case_sensitive=True, **options)
    assert tercom_tokens(text, **options) == peer(text).split()
