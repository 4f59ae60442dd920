"""Choose an executor by the options of `evaluate` and of the command line."""

import multiprocessing
import os

from thresher.errors import InputError
from thresher.pipelines.executors.executor import Executor, InProcess
from thresher.plugins import described_error, installed_plugins, top_package
from thresher.results.suggestions import suggest
from thresher.surface import given

GROUP = "thresher.executors"
"""Entry-point group: name -> a callable `(workers: int | None, address: str | None) -> Executor`."""
PROCESSES, RAY = "processes", "ray"


def executor_for(engine: str | None, workers: int | None, address: str | None) -> Executor:
    """Return the executor of the options.

    Args:
        engine: `processes`, `ray`, or the name of an executor of another package; None for this process, or
            for processes if there are several workers.
        workers: number of chunks that are computed at the same time; None for the engine's default.
        address: address of a cluster.

    Raises:
        InputError: if an option is unknown or contradicts another, or an executor cannot be created.
        MissingDependencyError: if the engine is not installed.
    """
    _check(engine, workers, address)
    if engine is None and workers in (None, 1):
        return InProcess()
    if engine == RAY:
        from thresher.pipelines.executors.on_ray import OnRay

        return OnRay(workers, address)
    if engine not in (None, PROCESSES):
        return _of_plugin(str(engine), workers, address)
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # A worker imports the script that started it, which would start workers again, without end.
        raise SystemExit(
            "thresher: workers import the script that starts them: put its calls below "
            "`if __name__ == '__main__':`"
        )
    from thresher.pipelines.executors.processes import Processes

    return Processes(workers or os.cpu_count() or 1)


def _check(engine: object, workers: object, address: object) -> None:
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InputError(f"workers={workers!r} must be a whole number of at least 1")
    if engine is not None and not isinstance(engine, str):
        raise InputError(f"engine={engine!r} must be the name of an engine, such as {RAY!r}")
    if address is not None and engine in (None, PROCESSES):
        raise InputError(
            f"{given('address', address)} is for the cluster of an engine: give {given('engine', RAY)} too"
        )


def _of_plugin(engine: str, workers: int | None, address: str | None) -> Executor:
    plugins = {plugin.name: plugin for plugin in installed_plugins(GROUP)}
    if engine not in plugins:
        known = sorted({PROCESSES, RAY, *plugins})
        raise InputError(
            f"engine {engine!r} is unknown{suggest(engine, known)}; choose one of {', '.join(known)}"
        )
    plugin = plugins[engine]
    try:
        executor: Executor = plugin.load()(workers, address)
    except Exception as error:  # the code of another package may raise anything
        cause = described_error(error, top_package(plugin.module))
        raise InputError(f"engine {engine!r} of {plugin.value} cannot be used: {cause}") from error
    return executor
