"""Messages for option values that a type does not allow, and values that it does."""

import numpy as np
import pytest

from thresher.components import (
    BleuEvaluator,
    ChrfEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    GEvalEvaluator,
    RecordedScoresEvaluator,
    RetrievalRecallEvaluator,
    RougeEvaluator,
    TokenF1Evaluator,
)
from thresher.errors import InputError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RougeEvaluator(use_stemmer="no"), r"^use_stemmer='no' must be True or False$"),
        (
            lambda: RougeEvaluator(rouge_types="rouge1"),
            r"^rouge_types='rouge1' must be a list of texts, at least one",
        ),
        (
            lambda: RetrievalRecallEvaluator(top_k="3"),
            r"^top_k='3' must be a whole number of at least 1, or None$",
        ),
        (
            lambda: RetrievalRecallEvaluator(top_k=True),
            r"^top_k=True must be a whole number of at least 1, or None$",
        ),
        (
            lambda: RetrievalRecallEvaluator(ties=["trec"]),
            r"^ties=\['trec'\] is unknown; choose one of input-order, trec",
        ),
        (lambda: ChrfEvaluator(beta=float("nan")), r"^beta=nan must be a number above 0$"),
        (lambda: ChrfEvaluator(char_order=2.0), r"^char_order=2.0 must be a whole number of at least 1$"),
        (
            lambda: RecordedScoresEvaluator(column="a", bounds=["a", "b"]),
            r"^bounds=\['a', 'b'\] must be a list of numbers or None, or None$",
        ),
        (
            lambda: RecordedScoresEvaluator(column="a", direction="up"),
            r"'up' is unknown; choose one of higher, lower$",
        ),
        (
            lambda: GEvalEvaluator(chat_generator="gpt"),
            r"must be a Haystack ChatGenerator or a JudgePanel or a list of ChatGenerators, or None$",
        ),
        (
            lambda: RetrievalRecallEvaluator(ties="trecc"),
            r"^ties='trecc' is unknown; choose one of .* \(did you mean 'trec'\?\)$",
        ),
        (lambda: RougeEvaluator(report=["f1"]), r"^report='f1' is unknown; choose one of precision, recall"),
        (
            lambda: TokenF1Evaluator(undefined="skip"),
            r"^undefined='skip' is unknown; choose one of zero, one$",
        ),
        (
            lambda: ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.5, 1.5]),
            r"^thresholds=1.5 must be a number from 0 to 1$",
        ),
        (lambda: RougeEvaluator(rouge_types="a" * 99), r"^rouge_types='a+\.\.\. must be"),
    ],
)
def test_the_message_names_option_value_and_what_it_takes(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_equivalent_values_are_allowed_and_lists_are_stored_as_lists():
    assert ChrfEvaluator(beta=2).beta == 2
    assert ChrfEvaluator(beta=np.float64(2)).beta == 2
    assert BleuEvaluator(weights=np.array([0.5, 0.5])).run(["a b"], ["a b"])["score"] == 1
    assert RougeEvaluator(rouge_types=("rouge1",)).rouge_types == ["rouge1"]
    assert RougeEvaluator().report == ["fmeasure"]
    assert ChrfEvaluator(beta=np.array([2.0])[0]).beta == 2
