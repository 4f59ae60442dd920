"""Comparing data that are read by chunk with the whole, in blocks of a few rows."""

import pickle
from pathlib import Path

from thresher.datasets import read_dataset
from thresher.datasets.sources import FileSource, open_source
from thresher.datasets.texts import check_texts
from thresher.errors import ThresherError
from thresher.files.stores import FolderStore


def use_small_blocks(monkeypatch, rows):
    """Parse a few rows at a time, and stage files of any size, in files of a few blocks."""
    for module in ("_json", "_csv", "_parquet"):
        monkeypatch.setattr(f"thresher.datasets.{module}.BLOCK", rows)
    monkeypatch.setattr("thresher.datasets.sources.stage._MOST_ROWS", 4 * rows)
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


def assert_kept_stage_is_used(open_again, read, folder, without_pass, change):
    """Assert that a stage is used, also by other processes, and that its files are not touched again.

    Args:
        open_again: opens the data by chunk, with the option `index`.
        read: reads the whole data.
        folder: folder to keep the stage in.
        without_pass: context in which no stage can be made.
        change: changes a file.
    """
    kept = FolderStore(folder)
    source, expected = open_again().stored_in(kept), read()
    with without_pass:
        assert_same_items(open_again(index=kept), expected)
    assert_same_items(pickle.loads(pickle.dumps(source)), expected)  # noqa: S301
    change()
    assert_same_items(open_again(index=kept), read())
    assert_same_items(source, expected)


def assert_temporary_stage_is_deleted(open_source):
    """Assert that the stage of a source that is kept nowhere is deleted with the source."""
    source = open_source()
    folder = Path(source.location)
    assert folder.exists()
    del source
    assert not folder.parent.exists()


def is_staged(source):
    return isinstance(source, FileSource)
