"""Pictures and runs of them."""

import base64
import gzip
import json
import re

import numpy as np
from PIL import Image

from thresher import EvaluationResults
from thresher.components.detection import (
    DetectionErrorEvaluator,
    DetectionF1Evaluator,
    DetectionMatcher,
    Detections,
)


def photograph(size=(320, 240), seed=0, mode="RGB"):
    """Smooth noise, which JPEG compresses about as well as a photograph."""
    width, height = size
    coarse = np.random.default_rng(seed).integers(0, 256, (height // 8 + 1, width // 8 + 1, 3), np.uint8)
    return Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC).convert(mode)


def halves(size=(300, 200), left=(255, 0, 0), right=(0, 0, 255)):
    """One colour on the left, another on the right."""
    image = Image.new("RGB", size, right)
    image.paste(left, (0, 0, size[0] // 2, size[1]))
    return image


def run_of_images(folder=None, images=6, size=(320, 240), scores=(0.9, 0.8, 0.85, 0.85), **columns):
    """Images with a hit each, the first ones with a false positive too, the second with a missed object."""
    if folder is not None:
        folder.mkdir(exist_ok=True)
    truths, found = [], []
    for image in range(images):
        if folder is not None:
            photograph(size, image).save(folder / f"p{image}.jpg")
        boxes = [[20, 20, 120, 120], [200, 100, 260, 200]]
        missed = image == 1
        truths.append(Detections.of(["cat", "dog"], boxes))
        further = [[150, 20, 190, 60]] * (2 if image == 0 else 0)
        mine = [*boxes[: 1 if missed else 2], *further]
        labels = [*["cat", "dog"][: 1 if missed else 2], *["cat"] * len(further)]
        found.append(Detections.of(labels, mine, scores[: len(mine)]))
    matches = DetectionMatcher().run(predictions=found, ground_truths=truths)["matches"]
    results = [
        each.run(matches=matches)["result"] for each in (DetectionErrorEvaluator(), DetectionF1Evaluator())
    ]
    names = [f"p{image}.jpg" for image in range(images)]
    inputs = {"id": [f"i{image}" for image in range(images)], "file_name": names}
    stated = {"width": [size[0]] * images, "height": [size[1]] * images}
    objects = {"predictions": found, "ground_truths": truths}
    return EvaluationResults(inputs | stated | objects | columns, results, name="detector")


def packed(text, name="picture-payload"):
    """The data of the pictures in a page, or in a payload."""
    found = re.search(rf'id="{name}">([^<]+)<', text)
    return json.loads(gzip.decompress(base64.b64decode(found[1] if found else text)))


def decoded(address):
    """The file of a picture's address, which is whole."""
    head, _, content = address.partition(",")
    assert head == "data:image/jpeg;base64"
    return base64.b64decode(content, validate=True)
