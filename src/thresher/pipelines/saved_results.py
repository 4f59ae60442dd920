"""`save_run`: write results that are in memory as a run directory."""

import secrets

from thresher.errors import RunDirectoryError
from thresher.files.stores import Location, open_store
from thresher.pipelines.manifest import MANIFEST
from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.run_directory import RunDirectory
from thresher.reports.evaluation_results import EvaluationResults


def save_run(results: EvaluationResults, path: Location) -> None:
    """Save results as a run directory. Incomplete results stay incomplete.

    Raises:
        RunDirectoryError: if the folder exists and is not empty.
        DiskFullError: if the disk is full.
    """
    manifest = {
        **results.provenance,
        "name": results.name,
        "items": len(results),
        "chunk_size": max(1, len(results)),
        "ids_given": results.ids_given,
        "primary": list(results.primary),
        "identity": secrets.token_hex(32),  # results in memory have no fingerprint of their data
    }
    if open_store(path).stat(MANIFEST) is not None:
        raise RunDirectoryError(f"{path} holds a run already: choose another folder")
    directory = RunDirectory.start(path, manifest)
    why = "" if results.complete else results.provenance.get("unfinished") or "it was not finished"
    directory.commit(0, lambda: ChunkPart(results.ids, results.inputs, results.results, why))
    directory.close({})
    directory.record_summary(results)
