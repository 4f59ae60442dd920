"""The sides of the vision benchmark: how each package builds its input and computes its metrics."""

import contextlib
import io
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import vision_data

Sides = tuple[Callable[[Path], Any], Callable[[Any], dict[str, float]]]
STEPS = [step / 100 for step in range(50, 100, 5)]
CURVE = np.arange(5, 100, 5) / 100


def detections(folder: Path) -> dict[str, Any]:
    """The columns."""
    with np.load(folder / "detections.npz") as columns:
        return {name: columns[name] for name in columns.files}


def coco_api(package: str) -> Sides:
    """Packages with the interface of pycocotools; objects as dictionaries, results as a matrix."""
    if package == "pycocotools":
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    elif package == "faster_coco_eval":
        from faster_coco_eval import COCO
        from faster_coco_eval import COCOeval_faster as COCOeval
    elif package == "ultrafast_pycocotools":
        from ultrafast_pycocotools.coco import COCO
        from ultrafast_pycocotools.cocoeval import COCOeval
    else:
        from hotcoco import COCO, COCOeval

    def build(folder: Path) -> Any:
        data = detections(folder)
        with contextlib.redirect_stdout(io.StringIO()):
            known = _truths(COCO, data)
            matrix = np.column_stack(
                [data["found_image"] + 1, data["found_box"], data["found_score"], data["found_label"] + 1]
            ).astype(np.float64)
            loaded = known.load_res(matrix) if package == "hotcoco" else known.loadRes(matrix)
            return known, loaded

    def evaluate(built: Any) -> dict[str, float]:
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation = COCOeval(*built, "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return {"map": float(evaluation.stats[0]), "mar": float(evaluation.stats[8])}

    return build, evaluate


def annotations_of(rows: Iterable[tuple[int, int, list[float]]]) -> list[dict[str, Any]]:
    """COCO's entries of true objects, given as image, label and box."""
    return [
        {
            "id": at,
            "image_id": image + 1,
            "category_id": label + 1,
            "bbox": box,
            "area": box[2] * box[3],
            "iscrowd": 0,
        }
        for at, (image, label, box) in enumerate(rows, start=1)
    ]


def _truths(kind: Any, data: dict[str, Any]) -> Any:
    images = [{"id": at + 1, "width": 640, "height": 640} for at in range(int(data["images"]))]
    categories = [{"id": at + 1, "name": f"label {at}"} for at in range(vision_data.LABELS)]
    if hasattr(kind, "from_arrays"):
        area = data["box"][:, 2] * data["box"][:, 3]
        return kind.from_arrays(
            images, categories, data["image"] + 1, data["label"] + 1, data["box"], area=area
        )
    rows = zip(data["image"].tolist(), data["label"].tolist(), data["box"].tolist(), strict=True)
    annotations = annotations_of(rows)
    known = kind()
    known.dataset = {"images": images, "categories": categories, "annotations": annotations, "info": {}}
    known.createIndex()
    return known


def torchmetrics_detection() -> Sides:
    """Torchmetrics with the backend of faster-coco-eval, tensors image by image."""
    import torch
    from torchmetrics.detection import MeanAveragePrecision

    def build(folder: Path) -> Any:
        data = detections(folder)
        size = int(data["images"])
        sides = []
        for prefix in ("found_", ""):
            bounds = np.searchsorted(data[f"{prefix}image"], np.arange(size + 1))
            columns = {
                "boxes": torch.tensor(data[f"{prefix}box"]),
                "labels": torch.tensor(data[f"{prefix}label"]),
            }
            if prefix:
                columns["scores"] = torch.tensor(data["found_score"])
            sides.append(
                [
                    {name: each[start:stop] for name, each in columns.items()}
                    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
                ]
            )
        return sides

    def evaluate(built: Any) -> dict[str, float]:
        metric = MeanAveragePrecision(box_format="xywh", iou_type="bbox", backend="faster_coco_eval")
        for start in range(0, len(built[0]), 16):
            metric.update(built[0][start : start + 16], built[1][start : start + 16])
        with contextlib.redirect_stdout(io.StringIO()):
            found = metric.compute()
        return {"map": float(found["map"]), "mar": float(found["mar_100"])}

    return build, evaluate


def valor_lite() -> Sides:
    """valor-lite 0.33 or 0.39, boxes as its objects."""
    from valor_lite import object_detection as peer

    new = hasattr(peer, "Loader")

    def build(folder: Path) -> Any:
        data = detections(folder)
        truths = _valor_boxes(peer.BoundingBox, data, "", named=new)
        found = _valor_boxes(peer.BoundingBox, data, "found_", named=new)
        return [
            peer.Detection(uid=str(at), groundtruths=truths[at], predictions=found[at])
            for at in range(int(data["images"]))
        ]

    def evaluate(built: Any) -> dict[str, float]:
        loader = peer.Loader.in_memory() if new else peer.DataLoader()
        loader.add_bounding_boxes(built)
        evaluator = loader.finalize()
        compute = getattr(evaluator, "compute_precision_recall", None) or evaluator.evaluate
        found = compute(iou_thresholds=STEPS, score_thresholds=[0.0])
        kinds = peer.MetricType
        return {
            "map": found[kinds.mAPAveragedOverIOUs][0].to_dict()["value"],
            "mar": found[kinds.mAR][0].to_dict()["value"],
        }

    return build, evaluate


def _valor_boxes(kind: Any, data: dict[str, Any], prefix: str, *, named: bool) -> list[list[Any]]:
    """Boxes of each image; newer versions of valor-lite need a name per box."""
    images: list[list[Any]] = [[] for _ in range(int(data["images"]))]
    columns = (data[f"{prefix}{column}"].tolist() for column in ("image", "label", "box"))
    scores = data["found_score"].tolist() if prefix else None
    for at, (image, label, (x, y, width, height)) in enumerate(zip(*columns, strict=True)):
        told: dict[str, Any] = {"uid": f"{prefix}{at}"} if named else {}
        told |= {"xmin": x, "xmax": x + width, "ymin": y, "ymax": y + height}
        told |= {"labels": [f"label {label}"], "scores": [scores[at]] if scores else []}
        images[image].append(kind(**told))
    return images


def thresher_detection(rule: str) -> Sides:
    """Thresher on columns: COCO's twelve numbers, or Valor's AP and AR by one of its rules."""
    from thresher.components.detection import (
        DetectionAveragePrecisionEvaluator,
        DetectionAverageRecallEvaluator,
        DetectionCocoEvaluator,
        DetectionColumns,
        DetectionMatcher,
    )

    def build(folder: Path) -> Any:
        data = detections(folder)
        told: dict[str, Any] = {"size": int(data["images"]), "box_format": "xywh"}
        told["labels"] = [f"label {at}" for at in range(vision_data.LABELS)]
        found = [data[f"found_{name}"] for name in ("image", "label", "box", "score")]
        return {
            "predictions": DetectionColumns.from_arrays(*found, **told),
            "ground_truths": DetectionColumns.from_arrays(data["image"], data["label"], data["box"], **told),
        }

    def evaluate(built: Any) -> dict[str, float]:
        matches = DetectionMatcher().run(**built)["matches"]
        if rule == "coco":
            result = DetectionCocoEvaluator().run(matches=matches)["result"]
            values = {measure.name: result.value(measure.name) for measure in result.measures}
            return {"map": values["detection_coco_map"], "mar": values["detection_coco_mar_100"]}
        precision = DetectionAveragePrecisionEvaluator(matching=rule).run(matches=matches)["result"]
        recall = DetectionAverageRecallEvaluator(matching=rule).run(matches=matches)["result"]
        for result in (precision, recall):
            result.detail("by_label")
        return {"map": precision.score, "mar": recall.score}

    return build, evaluate


def scikit_learn(items: int, labels: int) -> Sides:
    """scikit-learn's exact curve per label."""
    from sklearn import metrics

    def evaluate(built: Any) -> dict[str, float]:
        truths, matrix = built
        decided = matrix.argmax(axis=1)
        rows = metrics.precision_recall_fscore_support(truths, decided, zero_division=0.0)
        area = float(metrics.roc_auc_score(truths, matrix, multi_class="ovr"))
        for label in range(labels):
            metrics.precision_recall_curve(truths == label, matrix[:, label])
        accuracy = float(metrics.accuracy_score(truths, decided))
        return {"f1": float(rows[2].mean()), "roc_auc": area, "accuracy": accuracy}

    return lambda _: vision_data.scores(items, labels), evaluate


def torchmetrics_classification(items: int, labels: int) -> Sides:
    """Torchmetrics' functions."""
    import torch
    from torchmetrics.functional import classification as peer

    def build(_: Path) -> Any:
        truths, matrix = vision_data.scores(items, labels)
        return torch.from_numpy(matrix), torch.from_numpy(truths)

    def evaluate(built: Any) -> dict[str, float]:
        found = peer.multiclass_f1_score(*built, labels)
        peer.multiclass_precision(*built, labels)
        peer.multiclass_recall(*built, labels)
        accuracy = peer.multiclass_accuracy(*built, labels, average="micro")
        area = peer.multiclass_auroc(*built, labels)
        peer.multiclass_precision_recall_curve(*built, labels, thresholds=torch.tensor(CURVE))
        return {"f1": float(found), "roc_auc": float(area), "accuracy": float(accuracy)}

    return build, evaluate


def thresher_classification(items: int, labels: int) -> Sides:
    """Thresher on a matrix of scores."""
    from thresher.components import classification as ours

    def build(_: Path) -> Any:
        truths, matrix = vision_data.scores(items, labels)
        matrix.flags.writeable = False
        return truths, matrix

    def evaluate(read: Any) -> dict[str, float]:
        # A new column each time: it caches the best label of each item.
        built = {"ground_truths": read[0], "predictions": ours.LabelScores(read[1], range(labels))}
        f1 = ours.ClassificationF1Evaluator().run(**built)["result"]
        f1.detail("by_label")
        area = ours.ClassificationRocAucEvaluator().run(**built)["score"]
        curve = ours.ClassificationPrecisionRecallCurveEvaluator().run(**built)["result"]
        curve.detail("curve")
        return {"f1": f1.score, "roc_auc": area, "accuracy": f1.value("classification_f1_micro")}

    return build, evaluate


def thresher_masks(images: int) -> Sides:
    """Intersections of all pairs of predicted and true masks of each image, from columns of run lengths."""
    from thresher.kernels.detection.rasters import Raster, RasterColumn

    def build(_: Path) -> Any:
        pairs = [[[*map(Raster.of, side)] for side in image] for image in vision_data.masks(images)]
        sides = [RasterColumn.of([mask for image in pairs for mask in image[side]]) for side in (0, 1)]
        sizes = [(len(predicted), len(true)) for predicted, true in pairs]
        starts = np.cumsum([(0, 0), *sizes], axis=0)[:-1]
        grids = [
            np.indices(size).reshape(2, -1) + start[:, None]
            for size, start in zip(sizes, starts, strict=True)
        ]
        return *sides, *np.concatenate(grids, axis=1)

    def evaluate(built: Any) -> dict[str, float]:
        predicted, true, mine, theirs = built
        shared = predicted.intersections(true, mine, theirs)
        iou = shared / (predicted.areas[mine] + true.areas[theirs] - shared)
        return {"iou": float(iou.sum())}

    return build, evaluate


def mask_api(package: str, images: int) -> Sides:
    """IoU of the same pairs from compressed run lengths, image by image."""
    api = import_module(f"{package}.mask")

    def build(_: Path) -> Any:
        return [
            tuple([api.encode(mask) for mask in side] for side in image)
            for image in vision_data.masks(images)
        ]

    def evaluate(built: Any) -> dict[str, float]:
        ious = [api.iou(predicted, true, [False] * len(true)) for predicted, true in built]
        return {"iou": float(np.sum(ious))}

    return build, evaluate


def thresher_pixels(images: int, labels: int) -> Sides:
    """Thresher on label maps of 1024 x 1024 pixels."""
    from thresher.components.segmentation import SegmentationMeanIouEvaluator

    def evaluate(built: Any) -> dict[str, float]:
        truths, found = zip(*built, strict=True)
        result = SegmentationMeanIouEvaluator().run(ground_truths=list(truths), predictions=list(found))[
            "result"
        ]
        return {"miou": result.score, "accuracy": result.value("segmentation_mean_iou_accuracy")}

    return lambda _: vision_data.label_maps(images, labels), evaluate


def scikit_learn_pixels(images: int, labels: int) -> Sides:
    """Sum of scikit-learn's confusion matrices."""
    from sklearn.metrics import confusion_matrix

    def evaluate(built: Any) -> dict[str, float]:
        places = np.arange(labels)
        table = sum(confusion_matrix(true.ravel(), found.ravel(), labels=places) for true, found in built)
        hits = np.diag(table)
        union = table.sum(axis=0) + table.sum(axis=1) - hits
        return {"miou": float((hits / union).mean()), "accuracy": float(hits.sum() / table.sum())}

    return lambda _: vision_data.label_maps(images, labels), evaluate
