"""Query pipelines with deterministic generators that write down what they were asked."""

import asyncio
from pathlib import Path

from haystack import Document, Pipeline, component
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder, PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

HEIGHTS = {"tower": 48, "mast": 31, "hut": 4, "barn": 9, "mill": 17, "dome": 66, "arch": 12, "wall": 3}
QUESTIONS = [f"How high is the {name}?" for name in HEIGHTS]
ANSWERS = [f"{height} m" for height in HEIGHTS.values()]
DOCUMENTS = [Document(id=name, content=f"The {name} is {height} m high.") for name, height in HEIGHTS.items()]
TEMPLATE = "{% for document in documents %}{{ document.content }}\n{% endfor %}Question: {{ query }}"


def asked(log):
    """Last lines of the prompts that a generator was asked, in order."""
    return Path(log).read_text().splitlines() if Path(log).exists() else []


@component
class Writer:
    """A ChatGenerator that answers with the height in the first passage of the prompt."""

    def __init__(self, log: str, model: str = "writer-1", fail_on: str = "", finish: str = "stop"):
        self.log, self.model, self.fail_on, self.finish = log, model, fail_on, finish

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], generation_kwargs: dict | None = None):  # noqa: ARG002
        return {"replies": [self.reply(messages[-1].text)]}

    def reply(self, prompt):
        with Path(self.log).open("a") as log:
            log.write(prompt.splitlines()[-1] + "\n")
        if self.fail_on and self.fail_on in prompt:
            raise RuntimeError("out of paper")
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": 2}
        text = prompt.partition(" is ")[2].partition(" high")[0]
        meta = {"model": self.model, "finish_reason": self.finish, "usage": usage}
        return ChatMessage.from_assistant(text, meta=meta)


@component
class AsyncWriter(Writer):
    """The same with `run_async`."""

    @component.output_types(replies=list[ChatMessage])
    async def run_async(self, messages: list[ChatMessage], generation_kwargs: dict | None = None):  # noqa: ARG002
        await asyncio.sleep(0.001)
        return {"replies": [self.reply(messages[-1].text)]}


@component
class TextWriter:
    """A Generator, which takes and returns texts."""

    def __init__(self, log: str, model: str = "writer-1"):
        self.log, self.model = log, model

    @component.output_types(replies=list[str], meta=list[dict])
    def run(self, prompt: str, generation_kwargs: dict | None = None):  # noqa: ARG002
        reply = Writer(self.log, self.model).reply(prompt)
        return {"replies": [reply.text], "meta": [reply.meta]}


def rag(writer, top_k=1, *, builder=False):
    """A pipeline that retrieves, writes a prompt, and asks the writer."""
    store = InMemoryDocumentStore()
    store.write_documents(DOCUMENTS)
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=top_k))
    if isinstance(writer, TextWriter):
        pipeline.add_component("prompt", PromptBuilder(TEMPLATE, required_variables="*"))
        receiver = "writer.prompt"
    else:
        template = [ChatMessage.from_user(TEMPLATE)]
        pipeline.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
        receiver = "writer.messages"
    pipeline.add_component("writer", writer)
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", receiver)
    if builder:
        pipeline.add_component("answers", AnswerBuilder())
        pipeline.connect("writer.replies", "answers.replies")
        pipeline.connect("retriever.documents", "answers.documents")
    return pipeline
