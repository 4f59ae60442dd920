"""Images in prompts: the text names a slot, and the image follows the text."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from thresher.counted import counted
from thresher.files.image_texts import Image, replace_images

_CODE = 12
"""Hexadecimal digits of a hash in a slot: text in the data cannot name a slot of an image that it lacks."""


@dataclass
class ImageSlots:
    """The distinct images of a prompt, numbered from 1 in order of appearance."""

    images: dict[str, Image] = field(default_factory=dict)

    def write(self, text: str) -> str:
        """Return the text with a slot for each image."""
        return replace_images(text, self._slot)

    def _slot(self, image: Image) -> str:
        self.images.setdefault(image.identity, image)
        return f"[{slot_name(list(self.images).index(image.identity) + 1, image)}]"


def slot_name(number: int, image: Image) -> str:
    """Name of an image in a prompt."""
    return f"image {number}, {image.sha256[:_CODE]}"


def named_images(images: Iterable[Image]) -> list[tuple[str, Image]]:
    """Images with the texts that precede them in a message."""
    return [(f"{slot_name(number, image)}:", image) for number, image in enumerate(images, 1)]


def without_images(evidence: Any) -> Any:
    """Plain data with a short reference in place of each image."""
    if isinstance(evidence, str):
        return replace_images(evidence, _reference)
    if isinstance(evidence, dict):
        return {name: without_images(part) for name, part in evidence.items()}
    if isinstance(evidence, list | tuple):
        return [without_images(part) for part in evidence]
    return evidence


def _reference(image: Image) -> str:
    return f"[{image.mime_type}, {counted(len(image.content), 'byte')}, sha256 {image.sha256}]"
