"""What connects to each input of each metric, and what does not: Haystack compares types, not values."""

from typing import Any

import numpy as np
import pytest
from haystack import Document, Pipeline, component
from haystack.components.builders import AnswerBuilder
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers import InMemoryBM25Retriever
from haystack.core.errors import PipelineConnectError
from haystack.dataclasses import ChatMessage, GeneratedAnswer, ToolCall
from haystack.document_stores.in_memory import InMemoryDocumentStore

from laws.cases import made
from thresher.components import metric_class, metric_names
from thresher.components.detection import DetectionMatcher
from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator
from thresher.kernels.classification.label_scores import LabelScores
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import item_metric, metric
from thresher.results import Label

SENDERS: dict[str, Any] = {
    "text": str,
    "texts": list[str],
    "texts or None": list[str | None],
    "lists of texts": list[list[str]],
    "lists of texts or None": list[list[str] | None],
    "number": float,
    "numbers": list[float],
    "numbers or None": list[float | None],
    "whole numbers": list[int],
    "rows of numbers": list[list[float]],
    "truth values": list[bool],
    "ids": list[list[int]],
    "documents": list[Document],
    "documents of queries": list[list[Document]],
    "documents or None": list[list[Document] | None],
    "ranked ids": list[list[tuple[str, float]]],
    "serialised documents": list[list[dict[str, Any]]],
    "scores by name": list[dict[str, float]],
    "texts by name": list[dict[str, str]],
    "dicts": list[dict[str, Any]],
    "dicts or None": list[dict[str, Any] | None],
    "labels": list[Label],
    "matrix": LabelScores,
    "array": np.ndarray,
    "typed array": np.ndarray[tuple[Any, ...], np.dtype[np.float64]],
    "arrays": list[np.ndarray],
    "label maps": list[list[list[int]]],
    "images": list[Detections],
    "image columns": DetectionColumns,
    "matches": list[DetectionMatches],
    "messages": list[ChatMessage],
    "conversations": list[list[ChatMessage]],
    "calls": list[list[ToolCall]],
    "answers": list[GeneratedAnswer],
    "untyped": list[Any],
}
ARRAYS = {"array", "typed array"}
DICTS = {"scores by name", "texts by name", "dicts", "dicts or None"}
WHOLE = {"whole numbers", "truth values"}
# Haystack wraps one entry at an input of type `list[entry]`: a text is one item, texts are its contexts.
TEXTS = {"text", "texts", "texts or None"}
LISTS_OF_TEXTS = {"texts", "lists of texts", "lists of texts or None"}
DOCUMENTS = {
    "documents of queries",
    "documents or None",
    "lists of texts",
    "lists of texts or None",
    "ids",
    "ranked ids",
    "serialised documents",
} | DICTS
LABELS = (
    {"texts", "texts or None", "lists of texts", "labels"} | WHOLE | DICTS | ARRAYS | {"serialised documents"}
)
LABEL_SETS = LABELS - {"serialised documents"} | {"ids"}
NUMBERS = {"numbers", "numbers or None", "rows of numbers"}
SCORES = NUMBERS | {"matrix", "serialised documents"} | DICTS | ARRAYS
IMAGES = {"images", "image columns"} | DICTS
PIXELS = {"texts", "texts or None", "arrays", "label maps", "images"} | DICTS | ARRAYS
RATINGS = {"number", "numbers", "numbers or None"} | WHOLE
CONNECTS: dict[str, set[str]] = {
    "questions": TEXTS,
    "predicted_answers": TEXTS,
    "second_predicted_answers": TEXTS,
    "ground_truth_answers": TEXTS | LISTS_OF_TEXTS,
    "contexts": LISTS_OF_TEXTS,
    "ground_truth_contexts": LISTS_OF_TEXTS,
    "ground_truth_documents": DOCUMENTS,
    "retrieved_documents": DOCUMENTS,
    "chatbot_roles": TEXTS,
    "reference_topics": LISTS_OF_TEXTS,
    "rubrics": {"texts by name"},
    "conditions": set(),
    "difficulty_levels": LISTS_OF_TEXTS,
    "matches": {"matches"},
    "conversations": {"conversations", "serialised documents"},
    "reference_conversations": {"conversations", "serialised documents"},
    "reference_tool_calls": {"calls", "serialised documents"},
    **dict.fromkeys(("rating", "seconds", "input_tokens", "output_tokens", "costs"), RATINGS),
}
NEED_SCORES = {
    "average_precision",
    "best_threshold",
    "brier_score",
    "calibration_error",
    "detailed_precision_recall_curve",
    "log_loss",
    "precision_recall_curve",
    "roc_auc",
    "roc_curve",
    "topk_accuracy",
}


def _expected(metric: str, socket: str) -> set[str]:
    if socket not in {"ground_truths", "predictions"}:
        return CONNECTS[socket]
    if metric == "segmentation_panoptic_quality":
        return DICTS
    if metric.startswith("segmentation"):
        return PIXELS
    if metric.startswith("multilabel"):
        return LABEL_SETS if socket == "ground_truths" else LABEL_SETS | {"matrix"}
    if socket == "ground_truths":
        return LABELS
    needs_scores = metric.removeprefix("classification_") in NEED_SCORES
    return SCORES if needs_scores else LABELS | SCORES


@component
class _Sender:
    """Sends one kind of data."""

    def __init__(self, kind: Any) -> None:
        component.set_output_types(self, out=kind)

    def run(self) -> dict[str, Any]:
        raise NotImplementedError


def _connects(kind: Any, receiver: Any, socket: str) -> bool:
    return _pipeline_takes(_Sender(kind), "out", receiver, socket)


def _pipeline_takes(sender: Any, output: str, receiver: Any, socket: str) -> bool:
    pipeline = Pipeline()
    pipeline.add_component("sender", sender)
    pipeline.add_component("receiver", receiver)
    try:
        pipeline.connect(f"sender.{output}", f"receiver.{socket}")
    except PipelineConnectError:
        return False
    return True


def _sockets(part: Any) -> list[str]:
    return list(part.__haystack_input__._sockets_dict)


@pytest.mark.parametrize("name", metric_names())
def test_each_input_takes_the_data_that_the_metric_reads_and_no_other(name):
    for socket in _sockets(made(name)):
        taken = {sender for sender, kind in SENDERS.items() if _connects(kind, made(name), socket)}
        assert taken == _expected(name, socket), socket


@pytest.mark.parametrize("socket", ["predictions", "ground_truths"])
def test_the_matcher_takes_objects_of_images(socket):
    taken = {sender for sender, kind in SENDERS.items() if _connects(kind, DetectionMatcher(), socket)}
    assert taken == IMAGES


@pytest.mark.parametrize("name", [name for name in metric_names() if name.startswith("retrieval_")])
@pytest.mark.parametrize("socket", ["retrieved_documents", "ground_truth_documents"])
def test_documents_of_one_query_do_not_connect(name, socket):
    retriever = InMemoryBM25Retriever(InMemoryDocumentStore())
    assert not _pipeline_takes(retriever, "documents", metric_class(name)(), socket)
    assert not _pipeline_takes(DocumentJoiner(), "documents", metric_class(name)(), socket)


def test_answers_of_a_builder_do_not_connect_to_texts():
    part = metric_class("exact_match")()
    assert not _pipeline_takes(AnswerBuilder(), "answers", part, "predicted_answers")


def test_a_metric_of_a_function_refuses_the_documents_of_one_query_too():
    @item_metric
    def documents_found(retrieved_documents: list[Document], questions: str) -> float:
        return float(bool(retrieved_documents and questions))

    assert _connects(list[list[Document]], documents_found(), "retrieved_documents")
    assert not _connects(list[Document], documents_found(), "retrieved_documents")
    outputs = documents_found().run(retrieved_documents=[[Document(content="a")]], questions=["Who?"])
    assert outputs["score"] == 1.0


def test_a_metric_class_of_a_user_refuses_them_too():
    @metric
    class Depth:
        """Number of retrieved documents."""

        name: str = "depth"

        def run(self, retrieved_documents: list[list[str]] | None = None) -> dict[str, Any]:
            """Count."""
            raise NotImplementedError

    assert _connects(list[list[str]], Depth(), "retrieved_documents")
    assert not _connects(list[str], Depth(), "retrieved_documents")


def test_a_column_of_the_users_own_takes_what_a_template_can_show():
    def judge() -> CustomJudgeEvaluator:
        template, reply = "Is {{ remarks }} polite?", {"score": ["yes", "no"]}
        return CustomJudgeEvaluator(template=template, reply=reply)

    taken = {sender for sender, kind in SENDERS.items() if _connects(kind, judge(), "remarks")}
    texts = TEXTS | LISTS_OF_TEXTS | DICTS
    numbers = {
        "number",
        "numbers",
        "numbers or None",
        "whole numbers",
        "truth values",
        "ids",
        "rows of numbers",
    }
    assert taken == texts | numbers | {"messages", "conversations", "serialised documents"}


def test_two_senders_do_not_share_an_input_of_documents():
    @component
    class Batch:
        @component.output_types(documents=list[list[Document]])
        def run(self) -> dict[str, Any]:
            raise NotImplementedError

    pipeline = Pipeline()
    pipeline.add_component("recall", metric_class("retrieval_recall")())
    for name in ("first", "second"):
        pipeline.add_component(name, Batch())
    pipeline.connect("first.documents", "recall.retrieved_documents")
    with pytest.raises(PipelineConnectError, match="already connected"):
        pipeline.connect("second.documents", "recall.retrieved_documents")
