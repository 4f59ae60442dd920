"""Pipelines of an experiment: objects, files and factories."""

import pytest
from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret

from rag_files import SEARCH
from thresher import InputError
from thresher.pipelines.experiments.sources import pipeline_source
from thresher.pipelines.experiments.stores import contents


@component
class Keyed:
    """A component that holds a key as plain text."""

    def __init__(self, key: Secret) -> None:
        self.key = key

    @component.output_types(text=str)
    def run(self, text: str) -> dict[str, str]:
        return {"text": text}


def searching(store, top_k=2):
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=top_k))
    return pipeline


def filled(*texts, **options):
    store = InMemoryDocumentStore(**options)
    store.write_documents([Document(content=text) for text in texts])
    return store


@pytest.mark.parametrize("shared", [True, False])
def test_an_edited_object_searches_the_documents_of_the_original(shared):
    original = searching(filled("a tall tower", "a tower", "a mill", shared=shared))
    source = pipeline_source(original)
    pipeline = source.build(source.edit({"retriever.top_k": 1}))
    assert len(pipeline.run({"query": "tower"})["retriever"]["documents"]) == 1
    assert len(original.run({"query": "tower"})["retriever"]["documents"]) == 2


def test_the_contents_of_stores_do_not_depend_on_order_or_a_random_name():
    first, same = searching(filled("tower", "mill")), searching(filled("mill", "tower"))
    assert contents(first) == contents(same) != contents(searching(filled("tower")))


def test_a_factory_gets_settings_as_keywords_and_its_run_time_inputs_are_checked():
    store = filled("tower", "mill")

    def make(top_k, template="{{ query }} {{ style }}"):
        pipeline = searching(store, top_k)
        pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
        return pipeline

    source = pipeline_source(make)
    assert source.is_address("top_k")
    assert not source.is_address("style")
    edited = source.edit({"top_k": 1, "prompt.style": "short"})
    assert source.build(edited).get_component("retriever").top_k == 1
    assert edited.inputs == {"prompt": {"style": "short"}}
    with pytest.raises(
        InputError, match=r"no keyword 'topk' \(did you mean 'top_k'\?\); it has top_k, template"
    ):
        source.edit({"topk": 1})
    with pytest.raises(InputError, match=r"prompt\.stile: there is no open input 'stile' \(did you mean"):
        source.build(source.edit({"top_k": 1, "prompt.stile": "short"}))
    with pytest.raises(InputError, match=r"no component 'promt' \(did you mean 'prompt'"):
        source.build(source.edit({"top_k": 1, "promt.style": "short"}))


def test_what_is_not_a_pipeline_is_refused(tmp_path):
    with pytest.raises(InputError, match="the pipeline is int; give a Haystack pipeline"):
        pipeline_source(3)
    with pytest.raises(InputError, match=r"no\.yaml does not exist"):
        pipeline_source("no.yaml")
    with pytest.raises(InputError, match="it has no mapping `components`"):
        pipeline_source("a: 1\nb: 2\n")
    source = pipeline_source(lambda: 3)
    with pytest.raises(InputError, match="the factory returned int, not a Haystack pipeline"):
        source.build(source.edit({}))


def test_a_pipeline_with_a_plain_key_is_refused_with_the_remedy():
    pipeline = Pipeline()
    pipeline.add_component("keyed", Keyed(Secret.from_token("planted-token-value")))
    with pytest.raises(InputError, match=r"component 'keyed' .*read keys with Secret\.from_env_var") as error:
        pipeline_source(pipeline)
    assert "planted-token-value" not in str(error.value)


def test_a_file_that_sends_a_key_elsewhere_is_refused_when_it_is_built():
    text = SEARCH.replace(
        "connections:",
        "  llm:\n    type: haystack.components.generators.chat.openai.OpenAIChatGenerator\n"
        "    init_parameters: {api_base_url: https://collector.example/v1}\nconnections:",
    )
    source = pipeline_source(text)
    with pytest.raises(InputError, match="would send OPENAI_API_KEY to https://collector"):
        source.build(source.edit({"retriever.top_k": 1}))
