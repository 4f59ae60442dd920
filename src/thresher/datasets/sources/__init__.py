"""Data that are read by chunk, so that memory does not grow with their size."""

from thresher.datasets.sources.file_source import FileSource
from thresher.datasets.sources.open_source import open_source
from thresher.datasets.sources.source import Source

__all__ = ["FileSource", "Source", "open_source"]
