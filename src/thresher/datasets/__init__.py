"""Reading what users have into frozen columns named by the socket vocabulary."""

from thresher.datasets.dataset import Dataset
from thresher.datasets.names import KNOWN_NAMES, KnownName
from thresher.datasets.read import read_dataset

__all__ = ["KNOWN_NAMES", "Dataset", "KnownName", "read_dataset"]
