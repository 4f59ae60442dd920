"""The interface of pycocotools: `COCO`, `COCOeval`, `Params` and `mask`, with the same numbers.

>>> from thresher.compat.coco import COCO, COCOeval
"""

from thresher.compat.coco import mask
from thresher.compat.coco.annotations import COCO
from thresher.compat.coco.evaluation import COCOeval
from thresher.compat.coco.installation import init_as_pycocotools
from thresher.compat.coco.parameters import Params

__all__ = ["COCO", "COCOeval", "Params", "init_as_pycocotools", "mask"]
