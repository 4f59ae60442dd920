"""Where runs are stored: `open_store` opens a folder or a place in an object store, with one interface."""

from thresher.files.stores.folder import FolderStore
from thresher.files.stores.locations import Location, is_url, open_store
from thresher.files.stores.store import Entry, Reservation, Store, StoredFile, Version

__all__ = [
    "Entry",
    "FolderStore",
    "Location",
    "Reservation",
    "Store",
    "StoredFile",
    "Version",
    "is_url",
    "open_store",
]
