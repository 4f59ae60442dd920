"""What workers import, for the process that they are forks of: imported there, and nowhere else."""

import gc
from importlib import import_module

from thresher.deferred_modules import defer_unused_modules
from thresher.freed_memory import reuse_freed_memory

_MODULES = (
    "haystack.tools.toolset",
    "pyarrow.parquet",
    "thresher.metrics.registry",
    "thresher.pipelines.executors.task",
)

defer_unused_modules()
reuse_freed_memory()
for _module in _MODULES:
    import_module(_module)
gc.freeze()  # forks share the memory of what is never collected, and the process ends at once
