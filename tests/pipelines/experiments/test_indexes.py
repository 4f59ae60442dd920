"""Indexes: one per distinct configuration of the indexing pipeline; documents of every form."""

import json

import pytest
from haystack import Document

from rag_files import DOCUMENTS, INDEXING, SEARCH
from thresher import InputError
from thresher.pipelines.experiments.documents import read_documents
from thresher.pipelines.experiments.indexes import BuiltIndex, Indexes, with_index
from thresher.pipelines.experiments.sources import pipeline_source

ALGORITHM = "document_store.bm25_algorithm"


def indexes(documents=DOCUMENTS, text=INDEXING):
    return Indexes(pipeline_source(text, what="the indexing pipeline"), documents)


def planned(one, settings, query_settings=None):
    query = pipeline_source(SEARCH)
    edited = query.edit(query_settings or {})
    index = one.index_for(settings, edited.data, query_settings or {})
    return index, query.build(with_index(query, edited, index, one.parameter))


def test_a_query_pipeline_finds_the_chunks_of_its_index():
    one = indexes()
    short, search_short = planned(one, {"splitter.split_length": 3})
    long, search_long = planned(one, {"splitter.split_length": 50})
    assert short.key != long.key
    assert one.build(short).documents == 2
    one.build(long)
    inputs = {"retriever": {"query": "tower"}, "prompt": {"query": "tower", "style": ""}}
    found = [
        pipeline.run(inputs, include_outputs_from={"retriever"})["retriever"]["documents"][0].content
        for pipeline in (search_short, search_long)
    ]
    assert found == ["The tower was ", DOCUMENTS[0]["text"]]


def test_equal_settings_share_an_index_that_is_built_once():
    one = indexes()
    first, _ = planned(one, {"splitter.split_length": 5})
    again, _ = planned(one, {"splitter.split_length": 5}, {"retriever.top_k": 9})
    assert first.key == again.key
    assert one.build(first) is one.build(again)


def test_another_experiment_of_the_process_finds_the_index():
    first, second = indexes(), indexes()
    settings = {"splitter.split_length": 7}
    built = first.build(planned(first, settings)[0])
    assert second.build(planned(second, settings)[0]) is built


def test_what_a_failed_run_left_in_an_index_is_removed():
    one = indexes()
    index, search = planned(one, {"splitter.split_length": 8})
    store = search.get_component("retriever").document_store
    store.write_documents([Document(content="left over")])
    one.build(index)
    assert "left over" not in {document.content for document in store.filter_documents()}


class TableStore:
    """A store outside of the process."""

    def __init__(self, documents):
        self.documents = documents

    def count_documents(self):
        return len(self.documents)


@pytest.mark.parametrize(("documents", "runs"), [([], 1), (["a"], 0)])
def test_an_index_of_an_earlier_call_is_built_again_only_if_its_store_is_empty(documents, runs, monkeypatch):
    one = indexes()
    index, _ = planned(one, {})
    one.known = {index.key: BuiltIndex(1.0, 2)}
    monkeypatch.setattr("thresher.pipelines.experiments.indexes.stores_in", lambda _: [TableStore(documents)])
    ran = []
    monkeypatch.setattr(one, "_run", lambda *given: ran.append(given) or BuiltIndex(2.0, 2))
    assert one.build(index) == BuiltIndex(2.0 if runs else 1.0, 2)
    assert len(ran) == runs


def test_the_key_depends_on_settings_documents_and_parameters_of_the_store():
    keys = [
        planned(indexes(), {})[0].key,
        planned(indexes(), {"splitter.split_length": 9})[0].key,
        planned(indexes(DOCUMENTS[:1]), {})[0].key,
        planned(indexes(), {}, {f"retriever.{ALGORITHM}": "BM25Plus"})[0].key,
    ]
    assert len(set(keys)) == 4
    assert planned(indexes(), {f"writer.{ALGORITHM}": "BM25Plus"})[0].key == keys[3]
    assert planned(indexes(text=INDEXING.replace("index: passages", "index: other")), {})[0].key == keys[0]


@pytest.mark.parametrize("side", ["writer", "retriever"])
def test_a_parameter_of_the_store_holds_for_both_pipelines(side):
    settings = {f"{side}.{ALGORITHM}": "BM25Okapi"}
    pair = (settings, {}) if side == "writer" else ({}, settings)
    index, search = planned(indexes(), *pair)
    writer = index.pipeline.data["components"]["writer"]["init_parameters"]["document_store"]
    assert writer["init_parameters"] == {"bm25_algorithm": "BM25Okapi", "index": index.key, "shared": True}
    assert search.get_component("retriever").document_store.bm25_algorithm == "BM25Okapi"


def test_stores_with_contradicting_parameters_are_refused():
    one = indexes(text=INDEXING.replace("{index: passages}", "{index: p, bm25_algorithm: BM25L}"))
    planned(one, {}, {f"retriever.{ALGORITHM}": "BM25Plus"})  # a setting overrides the file
    with pytest.raises(InputError, match="both are the store of one index"):
        planned(one, {f"writer.{ALGORITHM}": "BM25Okapi"}, {f"retriever.{ALGORITHM}": "BM25Plus"})


def test_other_stores_get_the_key_in_the_parameter_that_names_their_collection():
    text = INDEXING.replace(
        "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore",
        "elsewhere.TableDocumentStore",
    )
    source = pipeline_source(text)
    index = Indexes(source, DOCUMENTS, "table")
    index.source.__dict__["sockets"] = {"splitter": {"documents": {}}}  # the class does not exist
    key = index.index_for({}, None, {})
    store = key.pipeline.data["components"]["writer"]["init_parameters"]["document_store"]
    assert store["init_parameters"] == {"index": "passages", "table": f"thresher_{key.key}"}


def test_two_stores_in_one_pipeline_are_refused():
    text = SEARCH.replace(
        "connections:",
        "  other:\n    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever\n"
        "    init_parameters:\n      document_store:\n        type: haystack.document_stores.in_memory."
        "document_store.InMemoryDocumentStore\n        init_parameters: {index: faq}\nconnections:",
    )
    with pytest.raises(
        InputError, match=r"retriever\.document_store and other\.document_store are different"
    ):
        indexes().index_for({}, pipeline_source(text).data, {})


def test_an_indexing_pipeline_without_an_input_for_documents_is_refused():
    with pytest.raises(InputError, match=r"no open input takes documents; open are retriever\.query"):
        _ = indexes(text=SEARCH).fingerprint


def test_documents_are_read_from_rows_files_folders_and_texts(tmp_path):
    rows = tmp_path / "corpus.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in DOCUMENTS), encoding="utf-8")
    expected = Document(id="tower", content=DOCUMENTS[0]["text"], meta={"town": "Orrin"})
    assert read_documents(DOCUMENTS)[0] == expected
    assert read_documents(rows)[0] == expected
    assert read_documents([expected]) == [expected]
    assert read_documents(["a text"])[0].content == "a text"
    (tmp_path / "texts" / "sub").mkdir(parents=True)
    (tmp_path / "texts" / "sub" / "a.md").write_text("# A", encoding="utf-8")
    (tmp_path / "texts" / "picture.png").write_bytes(b"x")
    folder = read_documents(tmp_path / "texts")
    assert [(document.id, document.content) for document in folder] == [("sub/a.md", "# A")]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("missing.jsonl", "missing.jsonl does not exist"),
        ([{"id": "a", "words": "x"}], "no column holds the texts; it has id, words"),
        ([{"id": "a", "text": None}, {"id": "b", "text": "x"}], "document 1: text is nothing, not a text"),
    ],
)
def test_documents_that_cannot_be_read_are_refused(documents, message):
    with pytest.raises(InputError, match=message):
        read_documents(documents)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds none"):
        read_documents(tmp_path)
