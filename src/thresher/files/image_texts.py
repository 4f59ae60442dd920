"""Images as texts: `data:` addresses, alone on a line of a text.

In this form an image passes through columns, files and reports like any other text, and its fingerprint is
that of its bytes.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

from thresher.errors import InputError

_ADDRESS = re.compile(
    r"^data:(?P<mime>image/[\w.+-]+)(?:;detail=(?P<detail>\w+))?;base64,(?P<data>[A-Za-z0-9+/]+={0,2})$",
    re.MULTILINE,
)
_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}
"""First bytes of image files."""
_WEBP = b"RIFF", b"WEBP"
ImageDetail = Literal["auto", "low", "high"]
DETAILS = get_args(ImageDetail)


@dataclass(frozen=True)
class Image:
    """An image.

    Attributes:
        mime_type: e.g. `image/png`.
        data: its bytes as base64.
        detail: `auto`, `low` or `high`: how closely a model looks; empty for the model's default.
    """

    mime_type: str
    data: str
    detail: str = ""

    @cached_property
    def content(self) -> bytes:
        """The bytes."""
        return base64.b64decode(self.data)

    @cached_property
    def sha256(self) -> str:
        """Hash of the bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def text(self) -> str:
        """The image as a text."""
        detail = f";detail={self.detail}" if self.detail else ""
        return f"data:{self.mime_type}{detail};base64,{self.data}"

    @property
    def identity(self) -> str:
        """What an answer about the image depends on."""
        return f"{self.sha256} {self.mime_type} {self.detail}".strip()

    def with_detail(self, detail: str) -> "Image":
        """The same image with this detail if it has none."""
        return self if self.detail else replace(self, detail=detail)

    def reference(self) -> dict[str, Any]:
        """The image without its bytes, as plain data."""
        detail = {"detail": self.detail} if self.detail else {}
        return {"sha256": self.sha256, "mime_type": self.mime_type, "bytes": len(self.content), **detail}


def image_of(content: bytes, where: str, detail: str = "") -> Image:
    """Return the image with these bytes.

    Args:
        content: the bytes of an image file.
        where: its name in messages.
        detail: how closely a model looks.

    Raises:
        InputError: if the bytes are not an image, or the detail is unknown.
    """
    mime = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    if content[:4] == _WEBP[0] and content[8:12] == _WEBP[1]:
        mime = "image/webp"
    if mime is None:
        raise InputError(f"{where} is not an image; give a PNG, JPEG, GIF, WebP or BMP file")
    if detail and detail not in DETAILS:
        raise InputError(f"{where}: detail={str(detail)[:20]!r} must be one of {', '.join(DETAILS)}")
    return Image(mime, base64.b64encode(content).decode(), detail)


def image_from(entry: Any, where: str) -> Image:
    """Return the image in a Haystack ImageContent, recognised by its attributes.

    Raises:
        InputError: if its data are not the base64 of an image.
    """
    try:
        content = base64.b64decode(entry.base64_image, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise InputError(f"{where}: the image is not valid base64") from None
    return image_of(content, where, getattr(entry, "detail", None) or "")


def is_image_content(entry: Any) -> bool:
    """Whether an entry is a Haystack ImageContent."""
    return isinstance(getattr(entry, "base64_image", None), str)


def replace_images(text: str, write: Callable[[Image], str]) -> str:
    r"""Replace each image of a text; a line that is not the base64 of anything stays as it is.

    >>> replace_images("A dot:\ndata:image/gif;base64,R0lGODlh", lambda image: f"({image.mime_type})")
    'A dot:\n(image/gif)'
    """
    if "data:image/" not in text:
        return text

    def written(match: re.Match[str]) -> str:
        if len(match["data"]) % 4:
            return match[0]
        return write(Image(match["mime"], match["data"], match["detail"] or ""))

    return _ADDRESS.sub(written, text)
