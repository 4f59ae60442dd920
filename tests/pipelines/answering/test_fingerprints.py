import sys

import pytest
from haystack import Document, Pipeline
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret

from pipelines.query_systems import DOCUMENTS, Writer, rag
from thresher.errors import InputError
from thresher.pipelines.answering.fingerprints import pipeline_fingerprint

COMPONENT = """
from haystack import component

@component
class Mine:
    @component.output_types(answer=str)
    def run(self, query: str):
        return {{"answer": {answer!r}}}
"""


def test_equal_pipelines_are_known_as_the_same_in_every_process(tmp_path):
    first, second = (pipeline_fingerprint(rag(Writer(str(tmp_path)))) for _ in range(2))
    assert first == second, "though their in-memory stores have random names"


def test_settings_documents_and_further_inputs_count(tmp_path):
    writer = str(tmp_path)
    more = rag(Writer(writer))
    more.get_component("retriever").document_store.write_documents([Document(content="one more")])
    fewer = rag(Writer(writer))
    fewer.get_component("retriever").document_store.delete_documents([DOCUMENTS[0].id])
    fingerprints = {
        pipeline_fingerprint(rag(Writer(writer))),
        pipeline_fingerprint(rag(Writer(writer), top_k=2)),
        pipeline_fingerprint(rag(Writer(writer, model="writer-2"))),
        pipeline_fingerprint(more),
        pipeline_fingerprint(fewer),
        pipeline_fingerprint(rag(Writer(writer)), {"retriever": {"top_k": 3}}),
    }
    assert len(fingerprints) == 6


def alone(part):
    pipeline = Pipeline()
    pipeline.add_component("part", part)
    return pipeline


def test_a_key_given_as_text_does_not_count_and_other_parameters_do():
    def of(key, model):
        return pipeline_fingerprint(alone(OpenAIChatGenerator(api_key=Secret.from_token(key), model=model)))

    assert of("one-key", "a") == of("other-key", "a") != of("one-key", "b")


def test_the_code_of_components_of_other_packages_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    fingerprints = set()
    for name, answer in (("mine_one", "yes"), ("mine_two", "no!")):
        (tmp_path / f"{name}.py").write_text(COMPONENT.format(answer=answer))
        part = __import__(name).Mine()
        monkeypatch.setattr(type(part), "__module__", name)
        fingerprints.add(pipeline_fingerprint(alone(part)))
        sys.modules.pop(name)
    assert len(fingerprints) == 2


def test_a_pipeline_that_cannot_be_serialised_is_refused():
    with pytest.raises(
        InputError, match=r"the answers cannot be stored, since component 'part' .*leave out `out`"
    ):
        pipeline_fingerprint(alone(MockChatGenerator(response_fn=lambda _: "yes")))
