"""The files of an earlier run, to notice before reading that another run of the same name has other files."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from thresher.datasets.sources.stage import StagedFrom, prepared, read_sealed, stage_name, write_sealed
from thresher.datasets.sources.unused_indices import indices_in
from thresher.files.opening import explain_read_errors
from thresher.files.stores import FolderStore


@dataclass(frozen=True)
class NamedFiles:
    """The files that give a run its default name.

    Attributes:
        name: the name.
        given: the path or pattern that the user gave.
        paths: the files; empty if only reading the data shows whether they are the same.
    """

    name: str
    given: str
    paths: Sequence[Path] = ()

    def other(self, folder: FolderStore) -> str:
        """Return a file or folder that the run was made of if it has other bytes than these; else "".

        An index that has a path in common with these files, or a file whose ends equal those of their first
        one, may be of the same items.

        Args:
            folder: the folder of the indices of the run.
        """
        if not self.paths:
            return ""
        own = {path.absolute() for path in (Path(self.given), *self.paths)}
        ends = StagedFrom.of(self.paths[0]).ends
        others = []
        for _, index in indices_in(folder):
            known = _known(index)
            paths = [Path(path) for path in known]
            if not known or ends in known.values() or own & {path.absolute() for path in paths}:
                return ""
            alike = (str(path) for path in paths if path.name == Path(self.given).name)
            others.append(next(alike, str(paths[0])))
        return others[0] if others else ""

    def write(self, folder: FolderStore, fingerprint: str) -> None:
        """Write what `other` compares, for a run that has no index of its data.

        Args:
            folder: the folder of the indices of the run.
            fingerprint: that of the run's data.

        Raises:
            InputError: if it cannot be written.
        """
        first = [StagedFrom.of(path) for path in self.paths[:1]]
        place = folder.child(stage_name(first, {"format": "whole"}))
        if first and read_sealed(place) is None:
            prepared(place)
            files = [asdict(file) for file in first]
            write_sealed(place, {"given": self.given, "files": files, "fingerprint": fingerprint})


def _known(index: dict[str, Any] | None) -> dict[str, str]:
    """Path -> hash of the ends of each file of an index, the path that was given first; empty if damaged."""
    if index is None:
        return {}
    given = {index["given"]: ""} if "given" in index else {}
    return given | {file["path"]: file["ends"] for file in index["files"]}


def largest_file(folder: Path) -> list[Path]:
    """Return the largest file, which is the least likely to have equal bytes elsewhere; empty without files.

    Raises:
        InputError: if the folder cannot be read.
    """
    with explain_read_errors(folder):
        files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."]
        return [max(files, key=lambda path: path.stat().st_size)] if files else []
