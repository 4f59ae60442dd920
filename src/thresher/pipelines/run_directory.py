"""Run directories: `run.json`, written first, and `parts/`, one file per committed chunk."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import RunDirectoryError
from thresher.pipelines.parts import Part, has_failed, part_path, read_part, write_part
from thresher.pipelines.provenance import now, provenance
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.render import json_text
from thresher.results import MetricResult

FORMAT = 1
_MANIFEST = "run.json"
_IDENTITY = {"pipeline": "other metrics or settings", "data": "other data"}
"""What must be equal for a run to be continued, and what it is called when it is not."""


class RunDirectory:
    """A run on disk, finished or not.

    Args:
        path: the folder.
        manifest: what `run.json` says.
    """

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self.manifest = dict(manifest)

    @classmethod
    def start(cls, path: str | Path, manifest: Mapping[str, Any]) -> "RunDirectory":
        """Begin a run, or continue the one that is there.

        Raises:
            RunDirectoryError: if the folder holds another run, or something that is no run.
        """
        folder = Path(path)
        if (folder / _MANIFEST).exists():
            there = cls.open(folder)
            there.check_same(manifest)
            return there
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RunDirectoryError(f"{folder} exists and is no run directory: choose another --out")
        started = cls(folder, {"format": FORMAT, "complete": False, "started": now(), **manifest})
        started.manifest["provenance"] = provenance()
        try:
            started.parts.mkdir(parents=True)
            started._write_manifest()
        except OSError as error:
            raise RunDirectoryError(f"{folder} cannot be written: {error.strerror}") from error
        return started

    @classmethod
    def open(cls, path: str | Path) -> "RunDirectory":
        """The run that is there.

        Raises:
            RunDirectoryError: if there is none, it is damaged, or a newer version wrote it.
        """
        folder = Path(path)
        try:
            manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
            known = manifest["format"] <= FORMAT
            missing = {"name", "items", "chunk_size", "complete"} - manifest.keys()
        except FileNotFoundError as error:
            raise RunDirectoryError(f"{folder} is no run directory: it has no {_MANIFEST}") from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunDirectoryError(
                f"{folder / _MANIFEST} is damaged: run again with another --out"
            ) from error
        if not known or missing:
            why = "a newer version wrote it" if not known else f"it lacks {', '.join(sorted(missing))}"
            raise RunDirectoryError(f"{folder / _MANIFEST} cannot be used: {why}")
        return cls(folder, manifest)

    @property
    def parts(self) -> Path:
        """The folder of the parts."""
        return self.path / "parts"

    @property
    def chunks(self) -> int:
        """How many chunks the whole run has."""
        items, size = int(self.manifest["items"]), int(self.manifest["chunk_size"])
        return max(1, -(-items // size))

    def committed(self, *, failed: bool = True) -> list[int]:
        """Numbers of the chunks that are done.

        Args:
            failed: whether chunks count as done in which items failed or had unreadable replies.
        """
        there = [number for number in range(self.chunks) if part_path(self.parts, number).exists()]
        return there if failed else [n for n in there if not has_failed(part_path(self.parts, n))]

    def commit(self, number: int, part: Part) -> None:
        """Keep a chunk for good."""
        write_part(part_path(self.parts, number), part)

    def close(self, *, complete: bool, asking: Mapping[str, Any] | None = None) -> None:
        """Note what is known only now: whether the run is complete, and what asking a judge took."""
        sessions = [*self.manifest.get("asking", []), *([asking] if asking else [])]
        if self.manifest["complete"] == complete and not asking:
            return
        self.manifest |= {"complete": complete, "finished": now(), "asking": sessions}
        self._write_manifest()

    def results(self, at_hand: Mapping[int, Part] | None = None) -> EvaluationResults:
        """The results of all committed chunks.

        Args:
            at_hand: parts by chunk number that need not be read again.

        Raises:
            RunDirectoryError: if no chunk is committed, a complete run lacks one, or a part is damaged.
        """
        numbers = self.committed()
        if self.manifest["complete"] and len(numbers) < self.chunks:
            lost = sorted(set(range(self.chunks)) - set(numbers))
            raise RunDirectoryError(
                f"{self.path} lacks {part_path(Path('parts'), lost[0])}: run again, which computes it anew"
            )
        if not numbers:
            raise RunDirectoryError(f"{self.path} holds no finished chunk yet: run again to continue")
        known = at_hand or {}
        return self._together(
            [known.get(number) or read_part(part_path(self.parts, number)) for number in numbers]
        )

    def _together(self, parts: list[Part]) -> EvaluationResults:
        first = parts[0]
        inputs = {
            name: type(column).concatenate([part.inputs[name] for part in parts])
            for name, column in first.inputs.items()
        }
        results = [
            MetricResult.concatenate([part.results[number] for part in parts])
            for number in range(len(first.results))
        ]
        return EvaluationResults(
            inputs,
            results,
            name=self.manifest["name"],
            ids=[key for part in parts for key in part.ids],
            ids_given=self.manifest.get("ids_given", True),
            provenance=self.manifest,
        )

    def check_same(self, manifest: Mapping[str, Any]) -> None:
        """Refuse to continue this run as another one.

        Raises:
            RunDirectoryError: if data or pipeline differ.
        """
        for key, told in _IDENTITY.items():
            if self.manifest.get(key) != manifest.get(key):
                raise RunDirectoryError(f"{self.path} holds a run with {told}: choose another --out")

    def _write_manifest(self) -> None:
        temporary = self.path / f"{_MANIFEST}.{os.getpid()}.tmp"
        with temporary.open("w", encoding="utf-8") as sink:
            sink.write(json_text(self.manifest) + "\n")
            sink.flush()
            os.fsync(sink.fileno())
        temporary.replace(self.path / _MANIFEST)


def open_run(path: str | Path) -> EvaluationResults:
    """The results of a run directory, finished or not.

    Args:
        path: the folder. Of an unfinished run the committed chunks are returned; its provenance says
            `complete: False`.

    Raises:
        RunDirectoryError: if there is no run, or it is damaged; says what to do.
    """
    return RunDirectory.open(path).results()


def save_run(results: EvaluationResults, path: str | Path) -> None:
    """Keep results as a finished run directory, for the command line and for next year.

    Raises:
        RunDirectoryError: if the folder exists and is not empty.
    """
    manifest = {
        "name": results.name,
        "items": len(results),
        "chunk_size": max(1, len(results)),
        "ids_given": results.ids_given,
    }
    if (Path(path) / _MANIFEST).exists():
        raise RunDirectoryError(f"{path} holds a run already: choose another folder")
    directory = RunDirectory.start(path, manifest)
    directory.commit(0, Part(results.ids, results.inputs, results.results))
    directory.close(complete=True)
