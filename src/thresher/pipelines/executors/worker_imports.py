"""What workers import, for the process that they are forks of: imported there, and nowhere else."""

import gc

import haystack.tools

import thresher.metrics.registry
import thresher.pipelines.executors.task

__all__ = ["haystack", "thresher"]

gc.freeze()  # forks share the memory of what is never collected, and the process ends at once
