import pytest
from haystack import Document, component

from thresher.components.text.cross_encoder_similarity import CrossEncoderSimilarityEvaluator
from thresher.errors import InputError
from thresher.results import Status


class Overlap:
    """A cross-encoder that gives the share of common letters, times a factor."""

    model_name = "overlap"

    def __init__(self, factor=1.0):
        self.factor = factor
        self.batches = []

    def predict(self, pairs):
        self.batches.append(list(pairs))
        return [self.factor * len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in pairs]


@component
class Ranker:
    """A ranker that orders documents by length and leaves out what is longer than five letters."""

    def __init__(self, model: str = "by-length"):
        self.model = model
        self.asked = []

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document], top_k: int = 1):
        self.asked.append((query, [document.content for document in documents], top_k))
        kept = [it for it in documents if len(it.content) <= 5]
        scored = [Document(id=it.id, content=it.content, score=len(it.content) / 10) for it in kept]
        return {"documents": sorted(scored, key=lambda it: -it.score)[:top_k]}


def test_the_most_alike_reference_counts():
    encoder = Overlap()
    out = CrossEncoderSimilarityEvaluator(cross_encoder=encoder).run(
        ["ab", "ab"], [["xy", "ab", "abc"], "bc"]
    )
    assert out["individual_scores"] == [1.0, pytest.approx(1 / 3)]
    assert encoder.batches == [[("ab", "xy"), ("ab", "ab"), ("ab", "abc"), ("ab", "bc")]]


def test_each_pair_is_scored_once_and_remembered():
    encoder = Overlap()
    evaluator = CrossEncoderSimilarityEvaluator(cross_encoder=encoder)
    evaluator.run(["ab", "ab", "ba"], ["ab", "ab", "ab"])
    evaluator.run(["ab", "cd"], ["ab", "ab"])
    assert encoder.batches == [[("ab", "ab"), ("ba", "ab")], [("cd", "ab")]]


def test_an_items_score_does_not_depend_on_its_neighbours():
    evaluator = CrossEncoderSimilarityEvaluator(cross_encoder=Overlap(4.0), scale="sigmoid")
    alone = evaluator.run(["ab"], ["bc"])["individual_scores"]
    beside_a_score_above_one = evaluator.run(["ab", "ab"], ["bc", "ab"])["individual_scores"]
    assert alone[0] == beside_a_score_above_one[0] == pytest.approx(0.79139, abs=1e-5)


def test_logits_without_a_scale_are_refused_not_guessed():
    with pytest.raises(InputError, match=r"returned 4, not a score between 0 and 1; pass scale='sigmoid'"):
        CrossEncoderSimilarityEvaluator(cross_encoder=Overlap(4.0)).run(["ab"], ["ab"])


@pytest.mark.parametrize("logit", [-1e4, -800.0, 0.0, 800.0])
def test_the_sigmoid_does_not_overflow(logit):
    out = CrossEncoderSimilarityEvaluator(cross_encoder=Overlap(logit), scale="sigmoid").run(["ab"], ["ab"])
    assert out["score"] == (0.5 if logit == 0 else float(logit > 0))


def test_a_ranker_is_asked_with_the_prediction_and_all_its_references():
    ranker = Ranker()
    out = CrossEncoderSimilarityEvaluator(cross_encoder=ranker).run(
        ["q", "q", "p"], [["a", "bbb"], "cc", "dddd"]
    )
    assert out["individual_scores"] == [0.3, 0.2, 0.4]
    assert ranker.asked == [("q", ["a", "bbb", "cc"], 3), ("p", ["dddd"], 1)]


def test_an_item_whose_reference_the_ranker_left_out_has_failed():
    result = CrossEncoderSimilarityEvaluator(cross_encoder=Ranker()).run(["q", "p"], [["a", "longer"], "b"])[
        "result"
    ]
    assert result.status.tolist() == [Status.FAILED, Status.SCORED]
    assert result.reasons == {0: "the ranker gave no score for a reference"}
    assert result.score == 0.1


def test_the_signature_tells_encoder_and_scale():
    def signature(encoder):
        result = CrossEncoderSimilarityEvaluator(cross_encoder=encoder).run(["a"], ["a"])["result"]
        return str(result.measures[0].signature)

    assert signature(Overlap()) == (
        "cross_encoder_similarity|cross_encoder:Overlap:overlap|scale:none|version:1"
    )
    assert "cross_encoder:Ranker:by-length@" in signature(Ranker())
    assert signature(Ranker("other")) != signature(Ranker())


def test_no_items_ask_nobody():
    encoder = Overlap()
    out = CrossEncoderSimilarityEvaluator(cross_encoder=encoder).run([], [])
    assert (out["individual_scores"], encoder.batches) == ([], [])


def test_scores_that_are_no_numbers_per_pair_are_refused():
    class Logits:
        def predict(self, pairs):
            return [[0.1, 0.9] for _ in pairs]

    with pytest.raises(InputError, match=r"scores of shape \(1, 2\) for 1 pair"):
        CrossEncoderSimilarityEvaluator(cross_encoder=Logits()).run(["a"], ["b"])


def test_it_writes_a_haystack_ranker_with_it():
    parameters = CrossEncoderSimilarityEvaluator(cross_encoder=Ranker("mine")).to_dict()["init_parameters"]
    assert parameters["cross_encoder"]["init_parameters"] == {"model": "mine"}
    assert parameters["scale"] == "none"


@pytest.mark.parametrize("part", ["cross-encoder/stsb", None, Document(content="x")])
def test_what_is_no_cross_encoder_is_refused(part):
    with pytest.raises(InputError, match="give a Haystack ranker, or an object with predict"):
        CrossEncoderSimilarityEvaluator(cross_encoder=part)


def test_an_unknown_scale_is_refused():
    with pytest.raises(InputError, match="scale='auto' is unknown; choose one of none, sigmoid"):
        CrossEncoderSimilarityEvaluator(cross_encoder=Overlap(), scale="auto")


def test_an_encoder_that_can_be_written_is_serialized_with_its_settings():
    class Written(Overlap):
        def to_dict(self):
            return {"type": "tests.Written", "init_parameters": {"factor": self.factor}}

    def signature(encoder):
        return str(
            CrossEncoderSimilarityEvaluator(cross_encoder=encoder)
            .run(["a"], ["a"])["result"]
            .measures[0]
            .signature
        )

    assert signature(Written(0.5)) != signature(Written(1.0))
