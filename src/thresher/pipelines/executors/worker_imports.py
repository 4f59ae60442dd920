"""What workers import, for the process that they are forks of: imported there, and nowhere else."""

import gc
from importlib import import_module

from thresher.deferred_modules import defer_unused_modules

_MODULES = ("haystack.tools.toolset", "thresher.metrics.registry", "thresher.pipelines.executors.task")

defer_unused_modules()
for _module in _MODULES:
    import_module(_module)
gc.freeze()  # forks share the memory of what is never collected, and the process ends at once
