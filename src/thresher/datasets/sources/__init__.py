"""Data that are read by chunk, so that memory does not grow with their size."""

from thresher.datasets.sources.data_files import DataFiles
from thresher.datasets.sources.file_source import FileSource
from thresher.datasets.sources.opening import open_source, read_source
from thresher.datasets.sources.source import IndexedSource, Source

__all__ = ["DataFiles", "FileSource", "IndexedSource", "Source", "open_source", "read_source"]
