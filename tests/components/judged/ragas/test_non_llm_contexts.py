import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Hamming, Jaro, JaroWinkler, Levenshtein

from thresher.components.judged.ragas.non_llm_context_precision import RagasNonLlmContextPrecisionEvaluator
from thresher.components.judged.ragas.non_llm_context_recall import RagasNonLlmContextRecallEvaluator
from thresher.errors import InputError
from thresher.results import Status

CONTEXTS = ["A moat surrounds the town.", "The tower is 48 m high.", "Nothing else."]
REFERENCES = ["The tower is 48 m tall.", "A bronze clock hangs there, cast in 1911."]


def precision(contexts, references, **options):
    return RagasNonLlmContextPrecisionEvaluator(**options).run([contexts], [references])["result"]


def recall(contexts, references, **options):
    return RagasNonLlmContextRecallEvaluator(**options).run([contexts], [references])["result"]


def test_precision_is_that_of_the_ranks():
    result = precision(CONTEXTS, REFERENCES)
    assert result.score == 0.5
    assert result.evidence[0]["useful"] == [False, True, False]


def test_recall_is_the_share_of_the_references():
    assert recall(CONTEXTS, REFERENCES).score == 0.5


def test_the_threshold_itself_is_reached_by_both():
    assert precision(["ab"], ["ax"], threshold=0.5).score == 1.0
    assert recall(["ab"], ["ax"], threshold=0.5).score == 1.0
    assert recall(["ab"], ["ax"], threshold=0.5, compat="ragas-0.4").score == 0.0


@pytest.mark.parametrize("metric", [precision, recall])
def test_empty_sides(metric):
    assert metric([], ["r"]).score == 0.0
    assert metric(["c"], []).status.tolist() == [Status.UNDEFINED]
    assert metric(["c"], []).reasons[0] == "there are no reference contexts"


def test_nothing_useful_may_be_undefined():
    assert precision(["xyz"], ["abc"]).score == 0.0
    assert precision(["xyz"], ["abc"], undefined="skip").status.tolist() == [Status.UNDEFINED]


@pytest.mark.parametrize("options", [{"distance": "cosine"}, {"threshold": 1.5}, {"threshold": "high"}])
@pytest.mark.parametrize("metric", [precision, recall])
def test_options_out_of_range_are_refused(metric, options):
    with pytest.raises(InputError):
        metric([], [], **options)


PEERS = {"levenshtein": Levenshtein, "hamming": Hamming, "jaro": Jaro, "jaro_winkler": JaroWinkler}
passages = st.lists(st.text("abc ", max_size=6), max_size=4)


@given(passages, passages, st.sampled_from([*PEERS]), st.floats(0, 1))
def test_the_definitions_pair_by_pair(contexts, references, distance, threshold):
    def alike(one, other):
        return 1 - PEERS[distance].normalized_distance(one, other)

    options = {"distance": distance, "threshold": threshold}
    useful = [any(alike(context, one) >= threshold for one in references) for context in contexts]
    found = [any(alike(context, one) >= threshold for context in contexts) for one in references]
    ranks = [sum(useful[: place + 1]) / (place + 1) for place, flag in enumerate(useful) if flag]
    if references:
        assert precision(contexts, references, **options).score == pytest.approx(
            sum(ranks) / len(ranks) if ranks else 0
        )
        assert recall(contexts, references, **options).score == pytest.approx(sum(found) / len(found))
