"""What a constructor says of an option of a wrong type, and what it lets pass."""

import numpy as np
import pytest

from thresher.components import (
    BleuEvaluator,
    ChrfEvaluator,
    GEvalEvaluator,
    RecallEvaluator,
    RecordedScoresEvaluator,
    RougeEvaluator,
)
from thresher.errors import InputError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RougeEvaluator(use_stemmer="no"), r"^use_stemmer='no' must be True or False$"),
        (lambda: RougeEvaluator("rouge1"), r"^rouge_types='rouge1' must be a list of texts$"),
        (lambda: RecallEvaluator(top_k="3"), r"^top_k='3' must be a whole number, or None$"),
        (lambda: RecallEvaluator(top_k=True), r"^top_k=True must be a whole number, or None$"),
        (lambda: RecallEvaluator(ties=["trec"]), r"^ties=\['trec'\] must be a text$"),
        (lambda: ChrfEvaluator(beta=float("nan")), r"^beta=nan must be a number$"),
        (lambda: ChrfEvaluator(char_order=2.0), r"^char_order=2.0 must be a whole number$"),
        (
            lambda: RecordedScoresEvaluator("a", bounds=["a", "b"]),
            r"^bounds=\['a', 'b'\] must be a list of numbers or None, or None$",
        ),
        (lambda: RecordedScoresEvaluator("a", direction="up"), r"must be 'higher' or 'lower'$"),
        (lambda: GEvalEvaluator(chat_generator="gpt"), r"must be a Haystack ChatGenerator, or None$"),
        (lambda: RougeEvaluator("a" * 99), r"^rouge_types='a+\.\.\. must be"),
    ],
)
def test_the_message_names_option_value_and_what_it_takes(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_what_means_the_same_is_let_pass():
    assert ChrfEvaluator(beta=2).beta == 2
    assert ChrfEvaluator(beta=np.float64(2)).beta == 2
    assert BleuEvaluator(weights=np.array([0.5, 0.5])).run(["a b"], ["a b"])["score"] == 1
    assert RougeEvaluator(("rouge1",)).rouge_types == ["rouge1"]


def test_an_unknown_option_is_a_type_error_that_says_which_was_meant():
    with pytest.raises(
        TypeError, match=r"RougeEvaluator has no option 'rouge_use_stemmer' \(did you mean 'use_st"
    ):
        RougeEvaluator(rouge_use_stemmer=True)
    with pytest.raises(
        TypeError, match=r"no option 'bleu_weights' \(did you mean 'weights'\?\); it has weights, "
    ):
        BleuEvaluator(bleu_weights=[1.0])


def test_what_is_unknown_or_lacking_is_a_type_error():
    with pytest.raises(TypeError, match="stemmer"):
        RougeEvaluator(stemmer=True)
    with pytest.raises(TypeError, match="column"):
        RecordedScoresEvaluator()
