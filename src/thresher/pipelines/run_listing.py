"""List stored runs from their manifests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.counted import counted
from thresher.errors import DamagedRunError, InputError, RunDirectoryError
from thresher.files.stores import Location, is_url
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_search import DEEPEST, candidates, is_run, skip_note
from thresher.pipelines.run_summary import SUMMARY, summary_of
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.run_lists.listed_run import ListedRun, ListedValue, State
from thresher.reports.run_lists.run_list import RunList


def list_runs(folder: Location = "runs", *, sort: str = "started", reverse: bool = False) -> RunList:
    """List the runs in a folder and in the folders below it, such as experiments.

    Only `run.json` is read, and parts only if it lacks the values: for incomplete runs, runs of earlier
    versions, and primary measures that are not means.

    Args:
        folder: the folder, or a run; or the URL of one.
        sort: column to sort by: `started`, `name`, `items`, `scored`, `cost`, `state` or a measure.
        reverse: whether the largest value comes first.

    Raises:
        InputError: if the folder does not exist, or for an unknown column.
    """
    top = str(folder) if is_url(folder) else Path(folder)
    if isinstance(top, Path) and not top.is_dir():
        problem = "is not a folder" if top.exists() else "does not exist"
        raise InputError(f"{top} {problem}; give the folder that contains the runs")
    runs, skipped = [], []
    for path in [top] if is_run(top) else candidates(top, DEEPEST):
        try:
            listed = _listed(path)
        except (RunDirectoryError, InputError) as error:
            skipped.append(skip_note(path, error))
            continue
        if listed is None:
            skipped.append(f"skipped {path}: it is not a run")
        else:
            runs.append(listed)
    return RunList(runs, skipped=skipped, sort=sort, reverse=reverse)


def _listed(path: Location) -> ListedRun | None:
    if not is_run(path):
        return None
    if isinstance(path, Path) and path.is_file():
        return _saved(path)
    try:
        run = RunDirectory.open(path)
    except DamagedRunError as error:
        return ListedRun(str(path), Path(path).name, "damaged", error.problem or str(error))
    manifest = run.manifest
    state, why = _state(run)
    summary = dict(manifest.get(SUMMARY, {}))
    is_known = set(manifest.get("primary", ())) <= set(summary.get("measures", ())) and summary
    if state != "damaged" and not is_known:
        try:
            summary = summary_of(run.results())
        except DamagedRunError as error:
            state, why = "damaged", error.problem or str(error)
        except RunDirectoryError:  # no finished chunk
            summary = {}
    return _run(path, manifest, state, why, summary)


def _state(run: RunDirectory) -> tuple[State, str]:
    if not run.manifest["complete"]:
        return "incomplete", str(run.manifest.get("unfinished", ""))
    missing = run.chunks - run.present
    if missing:
        return "damaged", f"{missing} of {counted(run.chunks, 'part')} missing"
    return "complete", ""


def _saved(path: Path) -> ListedRun:
    """A file of results, which is read whole."""
    results = EvaluationResults.load(path)
    state: State = "complete" if results.complete else "incomplete"
    facts = {"name": results.name or path.name, "items": len(results), **results.provenance}
    return _run(path, facts, state, str(facts.get("unfinished", "")), summary_of(results))


def _run(
    path: Location, manifest: Mapping[str, Any], state: State, why: str, summary: Mapping[str, Any]
) -> ListedRun:
    git = (manifest.get("provenance") or {}).get("git") or {}
    return ListedRun(
        str(path),
        manifest["name"] or Path(path).name,
        state,
        why,
        started=str(manifest.get("started", "")),
        data=str(summary.get("questions", "")),
        items=manifest["items"],
        measures={name: ListedValue(**measure) for name, measure in summary.get("measures", {}).items()},
        cost=_cost(manifest),
        commit=str(git.get("commit", ""))[:10],
        settings=dict(manifest.get("settings") or {}),
    )


def _cost(manifest: Mapping[str, Any]) -> float | None:
    """What judges and generators cost in all sessions; None if no session had prices."""
    sessions = [*manifest.get("asking", []), *manifest.get("answering", [])]
    costs = [session["cost"] for session in sessions if session.get("cost") is not None]
    return round(sum(costs), 9) if costs else None
