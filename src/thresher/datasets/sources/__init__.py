"""Data that are read by chunk, so that memory does not grow with their size."""

from thresher.datasets.sources.data_files import DataFiles
from thresher.datasets.sources.opening import open_source, read_source
from thresher.datasets.sources.row_stage import FileSource
from thresher.datasets.sources.source import Source
from thresher.datasets.sources.stage import StagedSource

__all__ = ["DataFiles", "FileSource", "Source", "StagedSource", "open_source", "read_source"]
