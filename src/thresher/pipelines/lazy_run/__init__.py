"""Results of a run directory that stay on disk until a report needs them.

A run of ten million items has 5 to 15 GB of inputs and evidence, which a report of values does not need.
Opening a run verifies every part and reads the statuses (1 byte per item and metric). Statistics are loaded
by metric on first use, up to a limit; inputs, ids, reasons and evidence are read part by part.
"""

from thresher.pipelines.lazy_run.lazy_results import lazy_results

__all__ = ["lazy_results"]
