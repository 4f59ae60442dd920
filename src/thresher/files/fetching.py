"""Data in object stores: copied once to this machine, and named by their URLs in messages."""

import fnmatch
import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from thresher.errors import InputError
from thresher.files.building import GrowingFile, temporary_folder
from thresher.files.opening import explain_read_errors
from thresher.files.stores.locations import SCHEMES, Location, open_store
from thresher.files.stores.store import Entry, Store
from thresher.files.writing import explain_write_errors

_AT_ONCE = 1 << 23
_copies: dict[str, Path] = {}
"""URL -> its copy, until the process ends: a command looks at its data before it reads them."""
_at_exit = ExitStack()


def local_copy(url: Location) -> Path:
    """Copy a file, the files of a folder, or those that match a pattern such as `part-*.jsonl`.

    Raises:
        InputError: if there is no such file, the store refuses, or the URL is none of an object store.
        DiskFullError: if the disk is full.
        MissingDependencyError: without the extra `cloud`.
    """
    scheme, _, rest = str(url).partition(":")
    place, _, name = rest.strip("/").rpartition("/")
    if scheme.lower() not in SCHEMES or not place or not name:
        kinds = " and ".join(f"{known}://BUCKET/FILE" for known in SCHEMES)
        raise InputError(f"{url} cannot be read: give a file, or a URL such as {kinds}")
    whole = f"{scheme}://{place}/{name}"
    if whole not in _copies:
        with explain_read_errors(whole):
            _copies[whole] = _copied(open_store(f"{scheme}://{place}"), name, whole)
    return _copies[whole]


def origin_of(path: str | Path) -> str:
    """The path, or the URL of which it is a copy."""
    return shown(str(path))


def shown(text: str) -> str:
    """A message with URLs in place of the paths of their copies."""
    for url, path in _copies.items():
        text = text.replace(str(path), url)
    return text


def _copied(store: Store, name: str, url: str) -> Path:
    folder = temporary_folder()
    _at_exit.callback(shutil.rmtree, folder, ignore_errors=True)
    if glob.has_magic(name):
        found = {known: entry for known, entry in store.entries().items() if fnmatch.fnmatchcase(known, name)}
        files = [(store, known, entry, folder / known) for known, entry in found.items()]
    elif (entry := store.stat(name)) is not None:
        files = [(store, name, entry, folder / name)]
    else:
        files = list(_below(store.child(name), folder / name))
    if not files:
        raise InputError(f"{url} does not exist; give the URL of a data file, a folder or a pattern")
    with explain_write_errors(folder, InputError):
        for where, known, entry, path in files:
            if not path.resolve().is_relative_to(folder.resolve()):  # a key may be anything
                raise InputError(f"{where.place(known)} cannot be copied: its name leads out of its folder")
            path.parent.mkdir(parents=True, exist_ok=True)
            _copy(where, known, entry, path)
    return folder / name


def _below(store: Store, folder: Path) -> Iterator[tuple[Store, str, Entry, Path]]:
    entries = store.entries()
    for name, entry in entries.items():
        yield store, name, entry, folder / name
    for name in store.names():
        if name not in entries:
            yield from _below(store.child(name), folder / name)


def _copy(store: Store, name: str, entry: Entry, path: Path) -> None:
    """Copy one version of a file, with its time, by which a stage is found again."""
    file = GrowingFile(path)
    for start in range(0, entry.size, _AT_ONCE):
        with explain_read_errors(store.place(name)):
            content = store.read_range(name, start, _AT_ONCE, entry.version)
        file.append(content)
    file.flush()
    os.utime(path, (entry.modified, entry.modified))
