import pytest
from haystack import Document, Pipeline, component
from haystack.components.agents import Agent
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from pipelines.query_systems import DOCUMENTS, QUESTIONS, TEMPLATE, TextWriter, Writer, rag
from thresher.pipelines.answering import QueryPipeline
from thresher.pipelines.experiments.prompt_estimate import REPLY, SAMPLE, estimated_usage, sample_passages


def length(number, question, documents=DOCUMENTS):
    mean = sum(len(document.content) + 1 for document in documents) / len(documents)
    return number * mean + len(f"Question: {question}")


@pytest.mark.parametrize("kind", [Writer, TextWriter])
@pytest.mark.parametrize("top_k", [1, 3])
def test_prompts_are_rendered_with_top_k_passages_in_turn(tmp_path, kind, top_k):
    query = QueryPipeline(rag(kind(str(tmp_path / "log")), top_k=top_k))
    sent, received = estimated_usage(query, QUESTIONS, DOCUMENTS)
    expected = sum(length(top_k, question) for question in QUESTIONS) / len(QUESTIONS) / 4
    assert sent == pytest.approx(expected, rel=0.02)
    assert received == REPLY
    assert not (tmp_path / "log").exists(), "no generator is called"


def test_no_more_passages_count_than_there_are(tmp_path):
    query = QueryPipeline(rag(Writer(str(tmp_path / "log")), top_k=50))
    sent, _ = estimated_usage(query, QUESTIONS[:1], DOCUMENTS)
    assert sent == pytest.approx(length(len(DOCUMENTS), QUESTIONS[0]) / 4)
    many = [Document(content="x" * 99)] * SAMPLE
    sent, _ = estimated_usage(query, QUESTIONS[:1], many)
    assert sent == pytest.approx((50 * 100 + len(f"Question: {QUESTIONS[0]}")) / 4)


def test_an_input_of_the_run_overrides_top_k(tmp_path):
    query = QueryPipeline(rag(Writer(str(tmp_path / "log"))), inputs={"retriever": {"top_k": 3}})
    sent, _ = estimated_usage(query, QUESTIONS[:1], [Document(content="x" * 99)] * SAMPLE)
    assert sent == pytest.approx((300 + len(f"Question: {QUESTIONS[0]}")) / 4)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_limit_on_replies_is_their_length(name):
    pipeline = rag(MockChatGenerator("x"))
    pipeline.get_component("writer").generation_kwargs = {name: 7}
    assert estimated_usage(QueryPipeline(pipeline), QUESTIONS, DOCUMENTS)[1] == 7


def test_joined_retrievers_add_up():
    store = InMemoryDocumentStore()
    store.write_documents(DOCUMENTS)
    pipeline = Pipeline()
    for name, top_k in (("first", 2), ("second", 3)):
        pipeline.add_component(name, InMemoryBM25Retriever(store, top_k=top_k))
    pipeline.add_component("joiner", DocumentJoiner())
    prompt = ChatPromptBuilder([ChatMessage.from_user(TEMPLATE)], required_variables="*")
    pipeline.add_component("prompt", prompt)
    pipeline.add_component("llm", MockChatGenerator("x"))
    pipeline.connect("first.documents", "joiner.documents")
    pipeline.connect("second.documents", "joiner.documents")
    pipeline.connect("joiner.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.messages")
    passages = [Document(content="x" * 99)] * SAMPLE
    sent, _ = estimated_usage(QueryPipeline(pipeline), QUESTIONS[:1], passages)
    assert sent == pytest.approx((500 + len(f"Question: {QUESTIONS[0]}")) / 4)


@component
class Rewriter:
    @component.output_types(query=str)
    def run(self, query: str):
        return {"query": query}


def test_prompts_that_are_not_known_beforehand_have_no_estimate(tmp_path):
    agent = Pipeline()
    agent.add_component("agent", Agent(chat_generator=MockChatGenerator("x")))
    assert estimated_usage(QueryPipeline(agent), QUESTIONS, DOCUMENTS) is None
    known = QueryPipeline(rag(Writer(str(tmp_path / "log"))))
    assert estimated_usage(known, QUESTIONS, []) is None, "the store is not in this process"
    assert estimated_usage(known, [None], DOCUMENTS) is None
    rewritten = rag(Writer(str(tmp_path / "log")))
    rewritten.add_component("rewriter", Rewriter())
    rewritten.connect("rewriter.query", "prompt.query")
    assert estimated_usage(QueryPipeline(rewritten), QUESTIONS, DOCUMENTS) is None


def indexing(**options):
    pipeline = Pipeline()
    pipeline.add_component("splitter", DocumentSplitter(**options))
    pipeline.add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    pipeline.connect("splitter.documents", "writer.documents")
    return pipeline


def test_passages_are_what_the_preprocessors_make_of_the_first_documents(tmp_path):
    documents = [Document(content="one two three four five six")] * (SAMPLE + 5)
    pipeline = indexing(split_by="word", split_length=2, split_overlap=0)
    passages = sample_passages(pipeline, documents)
    assert [passage.content.split() for passage in passages[:3]] == [
        ["one", "two"],
        ["three", "four"],
        ["five", "six"],
    ]
    assert len(passages) == 3 * SAMPLE
    assert pipeline.get_component("writer").document_store.count_documents() == 0
    assert sample_passages(pipeline, [tmp_path / "file.txt"]) == []
    assert sample_passages(indexing(split_by="sentence"), documents) == []
