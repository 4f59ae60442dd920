"""pycocotools.coco.COCO: images, categories and objects as dicts."""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.compat.coco import mask as masks
from thresher.compat.coco.entries import check_entries
from thresher.compat.coco.result_rows import completed_results, rows_of_array
from thresher.compat.coco.unread_file import UnreadFile
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text


class COCO:
    """An instances file, or the results that `loadRes` reads.

    Annotations of a file are parsed into dicts when they are first used, which an evaluation of boxes or
    masks does not need.

    Args:
        annotation_file: path of the file; None for an object whose `dataset` is set before `createIndex`.

    Attributes:
        imgs: id -> image.
        cats: id -> category.

    Raises:
        InputError: if the file cannot be read, or an entry has no id.
    """

    def __init__(self, annotation_file: str | Path | None = None) -> None:
        self.imgs: dict[Any, Any] = {}
        self.cats: dict[Any, Any] = {}
        self._dataset: dict[str, Any] = {}
        self._anns: dict[Any, Any] = {}
        self._of_images: defaultdict[Any, list[Any]] = defaultdict(list)
        self._of_categories: defaultdict[Any, list[Any]] = defaultdict(list)
        self._unread: UnreadFile | None = None
        if annotation_file is not None:
            start = time.time()
            print("loading annotations into memory...")
            self._load(Path(annotation_file))
            print(f"Done (t={time.time() - start:0.2f}s)")
            self.createIndex()

    def _load(self, path: Path) -> None:
        self._unread = UnreadFile.of_instances(path) if type(self) is COCO else None
        if self._unread is not None:
            self._dataset = dict(self._unread.others)
            return
        self._dataset = parse_json(whole_text(path), path)
        if not isinstance(self._dataset, dict):
            raise InputError(
                f"{path}: an instances file is a JSON object, not a list; for results call loadRes"
            )

    @property
    def dataset(self) -> dict[str, Any]:
        """What the file contains, or what was set."""
        self._read()
        return self._dataset

    @dataset.setter
    def dataset(self, dataset: dict[str, Any]) -> None:
        self._unread, self._dataset = None, dataset

    @property
    def anns(self) -> dict[Any, Any]:
        """Id -> annotation."""
        self._read()
        return self._anns

    @anns.setter
    def anns(self, anns: dict[Any, Any]) -> None:
        self._read()
        self._anns = anns

    @property
    def imgToAnns(self) -> defaultdict[Any, list[Any]]:
        """Id of an image -> its annotations."""
        self._read()
        return self._of_images

    @imgToAnns.setter
    def imgToAnns(self, entries: defaultdict[Any, list[Any]]) -> None:
        self._read()
        self._of_images = entries

    @property
    def catToImgs(self) -> defaultdict[Any, list[Any]]:
        """Id of a category -> ids of its images, one per annotation."""
        self._read()
        return self._of_categories

    @catToImgs.setter
    def catToImgs(self, entries: defaultdict[Any, list[Any]]) -> None:
        self._read()
        self._of_categories = entries

    def _read(self) -> None:
        """Parse the annotations into dicts, which callers may change."""
        if self._unread is None:
            return
        annotations, self._unread = self._unread.annotations(), None
        self._dataset["annotations"] = annotations
        self._index_annotations()

    def createIndex(self) -> None:
        """Build `imgs`, `cats`, `anns`, `imgToAnns` and `catToImgs` from `dataset`.

        Raises:
            InputError: for an entry without its id.
        """
        print("creating index...")
        self.imgs = _by_id(self._dataset, "images")
        self.cats = _by_id(self._dataset, "categories")
        if self._unread is None:
            self._index_annotations()
        print("index created!")

    def _index_annotations(self) -> None:
        entries = self._dataset.get("annotations", [])
        categories = ["category_id"] if "categories" in self._dataset else []
        check_entries(entries, "annotations", ["id", "image_id", *categories])
        self._anns = {entry["id"]: entry for entry in entries}
        self._of_images, self._of_categories = defaultdict(list), defaultdict(list)
        for entry in entries:
            self._of_images[entry["image_id"]].append(entry)
        for entry in entries if categories else ():
            self._of_categories[entry["category_id"]].append(entry["image_id"])

    def info(self) -> None:
        """Print the entries of `info`."""
        for key, value in self._dataset.get("info", {}).items():
            print(f"{key}: {value}")

    def getAnnIds(
        self, imgIds: Any = (), catIds: Any = (), areaRng: Any = (), iscrowd: Any = None
    ) -> list[Any]:
        """Ids of the annotations of some images and categories; empty filters leave all.

        Args:
            imgIds: one id, or several.
            catIds: one id, or several.
            areaRng: lowest and highest area, both exclusive.
            iscrowd: True or False for crowd regions only, or none of them.
        """
        images, categories = _listed(imgIds), {*_listed(catIds)}
        entries: Iterable[Any] = self.dataset.get("annotations", [])
        if len(images):
            entries = [entry for image in images for entry in self._of_images.get(image, ())]
        if categories:
            entries = [entry for entry in entries if entry["category_id"] in categories]
        if len(areaRng):
            entries = [entry for entry in entries if areaRng[0] < entry["area"] < areaRng[1]]
        return [entry["id"] for entry in entries if iscrowd is None or entry["iscrowd"] == iscrowd]

    def getCatIds(self, catNms: Any = (), supNms: Any = (), catIds: Any = ()) -> list[Any]:
        """Ids of the categories with some names, supercategories and ids; empty filters leave all."""
        filters = {"name": _listed(catNms), "supercategory": _listed(supNms), "id": _listed(catIds)}
        used = [(field, values) for field, values in filters.items() if len(values)]
        entries = self._dataset.get("categories", [])
        return [entry["id"] for entry in entries if all(entry[field] in values for field, values in used)]

    def getImgIds(self, imgIds: Any = (), catIds: Any = ()) -> list[Any]:
        """Ids of the images that contain all of some categories; empty filters leave all."""
        images, categories = _listed(imgIds), _listed(catIds)
        if not len(images) and not len(categories):
            return list(self.imgs)
        ids = set(images)
        for at, category in enumerate(categories):
            others = set(self.catToImgs[category])
            ids = others if at == 0 and not ids else ids & others
        return list(ids)

    def loadAnns(self, ids: Any = ()) -> list[Any]:
        """The annotations of one id, or of several."""
        return [self.anns[key] for key in _listed(ids)]

    def loadCats(self, ids: Any = ()) -> list[Any]:
        """The categories of one id, or of several."""
        return [self.cats[key] for key in _listed(ids)]

    def loadImgs(self, ids: Any = ()) -> list[Any]:
        """The images of one id, or of several."""
        return [self.imgs[key] for key in _listed(ids)]

    def loadRes(self, resFile: Any) -> "COCO":
        """Results as an object like this one, over the same images and categories.

        Args:
            resFile: path of a list of results, the list, or an array of rows image, x, y, width, height,
                score, category. As in the reference, dicts of a list get `id`, `area`, `iscrowd`, and
                `segmentation` or `bbox` if they lack them.

        Raises:
            InputError: for anything else, for results of images that are not here, and results without box,
                mask or keypoints.
        """
        start = time.time()
        print("Loading and preparing results...")
        own = self._dataset
        others = {"info": deepcopy(own.get("info", {})), "images": list(own.get("images", []))}
        others |= {name: deepcopy(own[name]) for name in ("categories",) if name in own}
        results, unread = COCO(), None
        if isinstance(resFile, str | Path) and type(self) is COCO:
            unread = UnreadFile.of_results(Path(resFile), self.imgs)
        if unread is not None:
            results._unread = unread
        else:
            others["annotations"] = self._completed(resFile)
        results._dataset = others
        print(f"DONE (t={time.time() - start:0.2f}s)")
        results.createIndex()
        return results

    def _completed(self, given: Any) -> list[Any]:
        entries = given
        if isinstance(given, str | Path):
            entries = parse_json(whole_text(Path(given)), given)
        elif isinstance(given, np.ndarray):
            entries = self.loadNumpyAnnotations(given)
        return completed_results(entries, self.imgs)

    def loadNumpyAnnotations(self, data: npt.NDArray[Any]) -> list[Any]:
        """Results from rows image, x, y, width, height, score, category.

        Raises:
            InputError: unless rows have seven numbers.
        """
        return rows_of_array(data)

    def annToRLE(self, ann: Mapping[str, Any]) -> Any:
        """The mask of an annotation as run lengths: its own, or its polygons drawn.

        Raises:
            InputError: for a malformed segmentation, and an image without height and width.
        """
        shape = ann["segmentation"]
        if isinstance(shape, Mapping) and not isinstance(shape["counts"], list):
            return shape
        image = self.imgs[ann["image_id"]]
        drawn = masks.frPyObjects(shape, image["height"], image["width"])
        return drawn if isinstance(shape, Mapping) else masks.merge(drawn)

    def annToMask(self, ann: Mapping[str, Any]) -> npt.NDArray[np.uint8]:
        """The mask of an annotation as height x width."""
        return masks.decode(self.annToRLE(ann))

    def showAnns(self, anns: Any, draw_bbox: bool = False) -> int:  # noqa: ARG002
        """Return 0 for no annotations, as pycocotools does; drawing is not provided.

        Raises:
            NotImplementedError: if there is something to draw.
        """
        if len(anns) == 0:
            return 0
        raise NotImplementedError("showAnns: draw `annToMask(ann)` and `ann['bbox']` with a plotting library")

    def download(self, tarDir: Any = None, imgIds: Any = ()) -> None:
        """Not provided: nothing is fetched from the network.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("download: fetch the images by their `coco_url` with another tool")


def unread_file(side: Any) -> UnreadFile | None:
    """The annotations as columns, as long as nobody has used them as dicts."""
    unread: UnreadFile | None = getattr(side, "_unread", None)
    return unread


def _by_id(dataset: Mapping[str, Any], name: str) -> dict[Any, Any]:
    entries = dataset.get(name, [])
    check_entries(entries, name, ["id"])
    return {entry["id"]: entry for entry in entries}


def _listed(ids: Any) -> Any:
    return ids if hasattr(ids, "__iter__") and hasattr(ids, "__len__") and not isinstance(ids, str) else [ids]
