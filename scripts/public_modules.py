"""The public modules of decision 0013: the reference documents them, and a test pins their API."""

MODULES = (
    "thresher",
    "thresher.compat.coco",
    "thresher.compat.coco.mask",
    "thresher.components",
    "thresher.datasets",
    "thresher.errors",
    "thresher.judges",
    "thresher.kernels.inference",
    "thresher.kernels.inference.many_systems",
    "thresher.metrics",
    "thresher.pipelines",
    "thresher.pipelines.reporting",
    "thresher.reports",
    "thresher.results",
    "thresher.testing",
)
