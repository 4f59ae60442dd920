"""Settings by path: what they change, and what is refused before anything is built."""

import pytest

from rag_files import INDEXING, SEARCH
from thresher import InputError
from thresher.pipelines.experiments.paths import SettingPath
from thresher.pipelines.experiments.sources import pipeline_source

STORE = "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore"


@pytest.fixture
def source():
    return pipeline_source(SEARCH)


def options(edited, component):
    return edited.data["components"][component]["init_parameters"]


def test_init_parameters_and_parameters_of_objects_are_set_in_a_copy(source):
    edited = source.edit({"retriever.top_k": 7, "retriever.document_store.bm25_algorithm": "BM25Plus"})
    assert options(edited, "retriever")["top_k"] == 7
    store = options(edited, "retriever")["document_store"]
    assert store["init_parameters"] == {"index": "passages", "bm25_algorithm": "BM25Plus"}
    assert source.components["retriever"]["init_parameters"]["top_k"] == 2
    assert source.build(edited).get_component("retriever").top_k == 7


def test_a_parameter_that_the_file_leaves_out_and_keys_within_it_are_set(source):
    edited = source.edit({"retriever.filters.field": "meta.town", "retriever.scale_score": True})
    assert options(edited, "retriever")["filters"] == {"field": "meta.town"}
    assert options(edited, "retriever")["scale_score"] is True


def test_run_time_inputs_are_separated_from_the_definition(source):
    edited = source.edit({"prompt.style": "briefly"})
    assert edited.inputs == {"prompt": {"style": "briefly"}}
    assert edited.data == source.data


def test_a_whole_component_is_replaced_before_its_parameters_are_set(source):
    other = "haystack.components.retrievers.in_memory.embedding_retriever.InMemoryEmbeddingRetriever"
    level = {"type": other, "init_parameters": {"document_store": {"type": STORE, "init_parameters": {}}}}
    edited = source.edit({"retriever.top_k": 9, "retriever": level})
    assert edited.data["components"]["retriever"]["type"] == other
    assert options(edited, "retriever")["top_k"] == 9
    assert "top_k" not in level["init_parameters"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"retreiver.top_k": 1},
            r"retreiver\.top_k: the pipeline has no component 'retreiver' \(did you mean",
        ),
        (
            {"retriever.topk": 1},
            r"InMemoryBM25Retriever has no parameter or open input 'topk' \(did you mean",
        ),
        ({"prompt.stile": "x"}, r"PromptBuilder has no parameter or open input 'stile' .*'style'"),
        ({"retriever.document_store.indx": 1}, r"InMemoryDocumentStore has no parameter .*'indx'.*'index'"),
        ({"retriever.top_k.x": 1}, r"retriever\.top_k\.x: top_k is 2, which has no keys"),
        ({"retriever": 3}, r"retriever: a component is replaced by \{type: MODULE\.CLASS"),
        ({"retriever": {"init_parameters": {}}}, r"a component is replaced by"),
        ({"retriever": {"type": "a.B", "top_k": 1}}, r"a component is replaced by"),
    ],
)
def test_what_does_not_exist_is_refused_with_a_suggestion(source, settings, message):
    with pytest.raises(InputError, match=message):
        source.edit(settings)


@pytest.mark.parametrize("path", ["", ".", "a.", "a..b", "other:a.b", 3])
def test_a_malformed_path_is_refused(path):
    with pytest.raises(InputError, match="is not the path of a setting"):
        SettingPath.parse(path)


def test_the_value_that_a_component_refuses_is_reported_with_its_message(source):
    edited = source.edit({"retriever.top_k": -1})
    with pytest.raises(InputError, match="top_k must be greater than 0"):
        source.build(edited)


def test_a_file_and_its_text_are_the_same_source(tmp_path):
    file = tmp_path / "indexing.yaml"
    file.write_text(INDEXING, encoding="utf-8")
    assert pipeline_source(file).data == pipeline_source(INDEXING).data == pipeline_source(str(file)).data
