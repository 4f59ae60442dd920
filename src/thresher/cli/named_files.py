"""The files that give a run its default name and folder."""

import argparse
from pathlib import Path

from thresher.datasets.sources import DataFiles
from thresher.datasets.sources.earlier_files import NamedFiles, largest_file


def named_files(options: argparse.Namespace) -> NamedFiles:
    """Return the files, before any of them is read; without a name if the options are wrong.

    Predictions and rankings name a run, so truths and judgements that two runs share are not compared.
    """
    if options.gt is not None:
        return _predictions(Path(options.data or ""))
    if options.qrels is not None:
        from thresher.datasets.trec import stem_of_run

        return _file(stem_of_run(options.run or ""), options.run)
    if options.data is None:
        return NamedFiles("", "")
    if rows := DataFiles.of(options.data, split=options.split):
        return NamedFiles(rows.name, options.data, rows.paths)
    if options.run is not None:
        return _file(f"{Path(options.data).name}-{options.split or 'test'}", options.run)
    return NamedFiles("", options.data)


def _predictions(path: Path) -> NamedFiles:
    if path.is_dir():
        return NamedFiles(path.name, str(path), largest_file(path))
    return _file(path.stem, str(path))


def _file(name: str, path: str | None) -> NamedFiles:
    return NamedFiles(name, path or "", [Path(path)] if path and Path(path).is_file() else [])
