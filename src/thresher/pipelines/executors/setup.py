"""What the tasks of a run share: the run's place, its pipeline, and the settings of its session."""

import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from haystack import Pipeline

from thresher.errors import InputError
from thresher.files.limits import ReadLimits, current_limits
from thresher.judges.session import current_session
from thresher.pipelines.executors.worker_session import WorkerSession
from thresher.pipelines.plan import Plan
from thresher.pipelines.run_directory import RunDirectory
from thresher.results.secret_values import remember_secrets_of


@dataclass(frozen=True)
class Setup:
    """What all tasks of a run share.

    Attributes:
        token: differs between runs and between calls; a worker opens a run once per token.
        run: absolute path or URL of the run.
        source: the items, if workers can read them; None if each task brings its own.
        pipeline: the pipeline's dictionary, with the names of its credentials, never their values.
        plan: the plan without its pipeline.
        session: limits, budget and cache.
        reading: limits of reading.
        path: where the driver imports modules from, e.g. those of `--plugin`.
    """

    token: str
    run: str
    source: Any
    pipeline: dict[str, Any]
    plan: dict[str, Any]
    session: WorkerSession
    reading: ReadLimits
    path: tuple[str, ...]

    @classmethod
    def of(cls, directory: RunDirectory, plan: Plan, source: Any, workers: int) -> Self:
        """Describe a run for other processes.

        Args:
            directory: the run.
            plan: what to compute.
            source: all items, if workers can read them, or None.
            workers: number of processes that share the limits.

        Raises:
            InputError: if a component cannot be serialised, or the session has a listener.
        """
        if plan.text.problem:
            raise InputError(
                f"the pipeline cannot be sent to workers, since {plan.text.problem}; define functions at the "
                "top level of a module, take keys from environment variables, or compute without workers"
            )
        fields = {"feeds": plan.feeds, "consumed": plan.consumed, "columns": plan.columns}
        return cls(
            uuid.uuid4().hex,
            directory.absolute_location,
            source,
            plan.to_dict(),
            {**fields, "primary": plan.primary},
            WorkerSession.of(current_session(), workers),
            current_limits(),
            tuple(str(Path(place).absolute()) for place in sys.path),
        )

    def opened_plan(self) -> Plan:
        """The plan, with a new pipeline.

        Raises:
            InputError: if a component cannot be created here.
        """
        sys.path += [place for place in self.path if place not in sys.path]  # last: they must hide nothing
        try:
            # The driver made the dictionary from its own objects, and tasks are pickles: what they may import
            # was decided where the driver loaded the pipeline.
            pipeline = Pipeline.from_dict(self.pipeline, unsafe=True)
        except Exception as error:
            reason = " ".join(str(error).split())
            raise InputError(f"a worker cannot create the pipeline: {reason}") from error
        remember_secrets_of(pipeline)
        return Plan(pipeline, **self.plan)
