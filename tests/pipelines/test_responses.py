import pytest
from haystack import Document, GeneratedAnswer, Pipeline, component
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder, PromptBuilder
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thresher.errors import InputError
from thresher.pipelines.answering import QueryPipeline
from thresher.pipelines.answering.outputs import REMEDY, read_outputs
from thresher.pipelines.responses import Response, read_response


@component
class Retriever:
    """Finds one document, about the question."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int = 1):
        if "broken" in query:
            raise RuntimeError("the index is gone")
        return {"documents": [Document(content=f"{query} is {n} m high.") for n in range(top_k)]}


@component
class Reader:
    @component.output_types(answers=list[GeneratedAnswer])
    def run(self, query: str, documents: list[Document]):
        if query == "silent":
            return {"answers": []}
        return {"answers": [GeneratedAnswer(documents[0].content, query, documents)]}


def pipeline():
    made = Pipeline()
    made.add_component("retriever", Retriever())
    made.add_component("reader", Reader())
    made.connect("retriever.documents", "reader.documents")
    return made


def test_answer_and_documents_of_a_generated_answer():
    [first, second] = QueryPipeline(pipeline()).respond(["The tower", "The mast"], workers=2)
    assert (first.answer, first.contexts) == ("The tower is 0 m high.", ["The tower is 0 m high."])
    assert second.answer == "The mast is 0 m high."


def test_a_question_that_breaks_the_pipeline_costs_itself_only():
    responses = QueryPipeline(pipeline()).respond(["a", "broken", "silent", None], workers=3)
    assert [response.answer for response in responses] == ["a is 0 m high.", None, None, None]
    assert responses[1].problem == "the query pipeline failed in retriever: RuntimeError: the index is gone"
    assert responses[2].problem == "the query pipeline gave no answer: reader.answers is empty"
    assert responses[3] == Response()


@pytest.mark.parametrize("nothing", [None, []])
def test_an_output_that_may_be_the_answer_and_is_empty_is_named(nothing):
    response = read_outputs({"bot": {"answer": nothing, "seconds": 1.0}}, [])
    assert response.problem == "the query pipeline gave no answer: bot.answer is empty"


def test_without_an_output_that_may_be_the_answer_the_remedy_is_named():
    response = read_outputs({"bot": {"seconds": 1.0}}, [])
    assert response.problem == f"the query pipeline gave no answer; {REMEDY}"


def test_a_real_pipeline_with_prompt_and_answer_builder():
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="The tower is 48 m high."), Document(content="Bread is baked.")])
    made = Pipeline()
    made.add_component("retriever", InMemoryBM25Retriever(store, top_k=1))
    template = [ChatMessage.from_user("{{ documents[0].content }} {{ question }}")]
    made.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
    made.add_component("generator", MockChatGenerator(response_fn=lambda messages: messages[-1].text.upper()))
    made.connect("retriever.documents", "prompt.documents")
    made.connect("prompt.prompt", "generator.messages")
    [response] = QueryPipeline(made).respond(["tower"], workers=1)
    assert (response.answer, response.contexts) == (
        "THE TOWER IS 48 M HIGH. TOWER",
        ["The tower is 48 m high."],
    )
    made.add_component("answers", AnswerBuilder())
    made.connect("generator.replies", "answers.replies")
    made.connect("retriever.documents", "answers.documents")
    assert QueryPipeline(made).respond(["tower"], workers=1)[0].contexts == ["The tower is 48 m high."]


def test_further_inputs_are_the_same_for_every_question():
    query = QueryPipeline(pipeline(), inputs={"retriever": {"top_k": 3}})
    assert [len(response.documents) for response in query.respond(["a", "b"], workers=1)] == [3, 3]


def test_sockets_can_be_named():
    query = QueryPipeline(pipeline(), ["retriever.query", "reader.query"])
    assert query.respond(["a"], workers=1)[0].answer == "a is 0 m high."
    for names, message in (
        (["retriever.question"], "no open socket 'retriever.question': open are retriever.query"),
        ("retriever.query", "is one name"),
        (["retriever.query"], "needs reader.query"),
    ):
        with pytest.raises(InputError, match=message):
            QueryPipeline(pipeline(), names)


def test_a_pipeline_that_takes_no_question_is_refused():
    made = Pipeline()
    made.add_component("prompt", PromptBuilder("Hello"))
    with pytest.raises(InputError, match="no socket of the query pipeline takes a question"):
        QueryPipeline(made)


@pytest.mark.parametrize(
    ("entry", "answer"),
    [
        ("a", "a"),
        (None, None),
        (ChatMessage.from_assistant("a"), "a"),
        (GeneratedAnswer("a", "q", [Document(content="c")]), "a"),
    ],
)
def test_what_can_be_read(entry, answer):
    assert read_response(entry).answer == answer
    assert not read_response(entry).problem


@pytest.mark.parametrize("entry", [3, ["a"], GeneratedAnswer(None, "q", []), {"answer": "a"}])
def test_what_cannot_is_a_problem_of_its_item(entry):
    assert read_response(entry).answer is None
    assert "give a text or a GeneratedAnswer" in read_response(entry).problem
