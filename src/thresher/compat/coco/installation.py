"""Import `pycocotools` and get this package."""

import sys
from types import ModuleType

from thresher.compat.coco import annotations, evaluation, mask, parameters

_NAMES = ("pycocotools", "pycocotools.coco", "pycocotools.cocoeval", "pycocotools.mask")


def init_as_pycocotools(*, strict: bool = False) -> None:
    """Make every later `import pycocotools` mean this package, whether pycocotools is installed or not.

    Call it before other packages import pycocotools: names that they imported before stay those of
    pycocotools.

    Args:
        strict: as in `COCOeval`, for evaluations of callers that cannot pass it.
    """
    evaluator = type("COCOeval", (evaluation.COCOeval,), {"_strict": True}) if strict else evaluation.COCOeval
    package, coco, cocoeval, _ = modules = [ModuleType(name, "thresher.compat.coco") for name in _NAMES]
    package.__path__ = []
    coco.__dict__.update(COCO=annotations.COCO, maskUtils=mask)
    cocoeval.__dict__.update(COCOeval=evaluator, Params=parameters.Params, maskUtils=mask)
    modules[-1] = mask
    package.__dict__.update(coco=coco, cocoeval=cocoeval, mask=mask)
    sys.modules.update(zip(_NAMES, modules, strict=True))
