"""Comparing data that are read by chunk with the whole, in blocks of a few rows."""

import pickle

import pytest

from thresher.datasets import read_dataset
from thresher.datasets.sources import FileSource, open_source
from thresher.datasets.texts import check_texts
from thresher.errors import InputError, ThresherError


def use_small_blocks(monkeypatch, rows):
    """Note places every few rows, and index files of any size."""
    for module in ("line_files", "blocks", "parquet_file", "arrow_file"):
        monkeypatch.setattr(f"thresher.datasets.sources.{module}.BLOCK", rows)
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)


def whole(path, **options):
    """The data set, or the error of reading it or of its texts."""
    try:
        data = read_dataset(path, **options)
        check_texts(data)
    except ThresherError as error:
        return str(error)
    return data


def by_chunk(path, **options):
    try:
        return open_source(path, **options)
    except ThresherError as error:
        return str(error)


def assert_same(path, **options):
    """Assert that a file read by chunk is the whole file, or refused with the same words; return it."""
    expected, source = whole(path, **options), by_chunk(path, **options)
    if isinstance(expected, str) or isinstance(source, str):
        assert source == expected
        return source
    assert_same_items(source, expected)
    return source


def assert_same_items(source, expected):
    assert len(source) == len(expected)
    assert tuple(source.columns) == tuple(expected.columns)
    for name in ("notes", "name", "ids_given", "layouts"):
        assert getattr(source, name) == getattr(expected, name)
    assert dict(source.origin) == dict(expected.origin)
    assert source.fingerprint() == expected.fingerprint()
    for size in (1, 3, len(expected) or 1):
        chunks = [source.slice(start, start + size) for start in range(0, len(source), size)]
        assert [name for chunk in chunks for name in chunk.ids] == list(expected.ids)
        for column in expected.columns:
            entries = [entry for chunk in chunks for entry in chunk.columns[column]]
            assert repr(entries) == repr(list(expected.columns[column]))  # 1 and 1.0 are equal


def assert_kept_index_is_used(open_again, read, index, without_pass, change):
    """Assert that an index is used, also by other processes, until a file changes.

    Args:
        open_again: opens the data by chunk, with the option `index`.
        read: reads the whole data.
        index: folder to keep the index in.
        without_pass: context in which no index can be made.
        change: changes a file.
    """
    source, expected = open_again().stored_in(index), read()
    with without_pass:
        assert_same_items(open_again(index=index), expected)
    assert_same_items(pickle.loads(pickle.dumps(source)), expected)  # noqa: S301
    change()
    assert_same_items(open_again(index=index), read())
    with pytest.raises(InputError, match="changed while it was evaluated"):
        source.slice(0, 1)


def assert_temporary_index_is_deleted(open_source):
    """Assert that the index of a source that is kept nowhere is deleted with the source."""
    source = open_source()
    folder = source.folder
    assert folder.exists()
    del source
    assert not folder.parent.exists()


def is_indexed(source):
    return isinstance(source, FileSource)
