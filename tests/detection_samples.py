"""Random images with objects of four labels, and detectors of known quality."""

import numpy as np

from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher
from thresher.kernels.inference import Target

LABELS = ("often", "common", "rare", "rarest")
SHARES = (1.0, 0.4, 0.15, 0.05)
"""Share of the images that contain objects of each label."""


def images(generator, size):
    """True objects per image; a label that occurs does so 1.8 times on average."""
    truths = []
    for _ in range(size):
        labels = [
            label
            for label, share in zip(LABELS, SHARES, strict=True)
            if generator.random() < share
            for _ in range(1 + generator.poisson(0.8))
        ]
        corners = generator.uniform(0, 2000, (len(labels), 2))
        truths.append(
            {
                "labels": labels,
                "boxes": np.hstack([corners, corners + generator.uniform(20, 80, (len(labels), 2))]),
            }
        )
    return truths


def detections(generator, truths, recall, noise=0.05):
    """Boxes found with chance `recall` (one number, or one per label), and as many false ones as missed."""
    chances = dict(zip(LABELS, np.broadcast_to(recall, len(LABELS)), strict=True))
    found = []
    for image in truths:
        shared = generator.beta(4, 2)  # images differ in difficulty, for all their objects
        hit = [
            generator.random() < min(1, chances[label] * (0.6 + 0.6 * shared)) for label in image["labels"]
        ]
        boxes = image["boxes"][hit]
        labels = [label for label, is_hit in zip(image["labels"], hit, strict=True) if is_hit]
        false = [label for label in LABELS for _ in range(generator.poisson(0.5 * (1 - chances[label])))]
        corners = generator.uniform(3000, 5000, (len(false), 2))
        sides = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
        found.append(
            {
                "labels": [*labels, *false],
                "boxes": np.vstack(
                    [
                        boxes + generator.normal(0, noise, boxes.shape) * sides,
                        np.hstack([corners, corners + 50]),
                    ]
                ),
                "scores": [*generator.beta(5, 2, len(labels)), *generator.beta(3, 3, len(false))],
            }
        )
    return found


def coco(truths, found):
    """COCO's mean average precision as a target of inference."""
    matches = DetectionMatcher().run(ground_truths=truths, predictions=found)["matches"]
    return Target(DetectionCocoEvaluator().run(matches=matches)["result"], "detection_coco_map")
