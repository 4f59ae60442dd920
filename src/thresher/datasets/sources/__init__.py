"""Data that are read by chunk, so that memory does not grow with their size."""

from thresher.datasets._formats import stem_of
from thresher.datasets.sources.file_source import FileSource
from thresher.datasets.sources.opening import open_source
from thresher.datasets.sources.source import Source

__all__ = ["FileSource", "Source", "open_source", "stem_of"]
