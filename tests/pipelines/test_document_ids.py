"""Retrieved documents as ids, where the data name the relevant ones by ids."""

import pytest
from haystack import Document

from thresher.pipelines.answering.document_ids import retrieved
from thresher.pipelines.responses import Response


def chunk(key, **meta):
    return Document(id=key, content=key, meta=meta)


def responses(*rankings):
    return [None if ranking is None else Response(documents=ranking) for ranking in rankings]


def test_chunks_count_as_the_document_that_the_data_name():
    rankings = [[chunk("a1", source_id="a"), chunk("b1", source_id="b"), chunk("a2", source_id="a")]]
    assert retrieved(responses(*rankings), [["a"]]) == [["a", "b"]]


def test_the_own_id_comes_first_on_a_tie():
    rankings = [[chunk("a", passage="b"), chunk("b", passage="a")]]
    assert retrieved(responses(*rankings), [["a", "b"]]) == [["a", "b"]]


def test_any_entry_of_meta_can_hold_the_ids_also_numbers_and_graded_ones():
    rankings = [[chunk("x", page=7)], [chunk("y", page=8)], None]
    assert retrieved(responses(*rankings), [[("7", 3)], [8], None]) == [["7"], ["8"], None]


def test_without_a_match_chunks_count_as_their_parents():
    assert retrieved(responses([chunk("x1", source_id="x")]), [["a"]]) == [["x"]]
    assert retrieved(responses([chunk("x1", place="x")]), [["a"]]) == [["x1"]]


@pytest.mark.parametrize("truth", [[[Document(content="a")]], [None], [[]]])
def test_documents_stay_where_the_data_hold_no_ids(truth):
    documents = [chunk("a1", source_id="a")]
    assert retrieved(responses(documents), truth) == [documents]
