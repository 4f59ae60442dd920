"""Names of keypoints in the categories of a COCO file."""

from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.opening import read_bytes
from thresher.files.parsing import parse_json
from thresher.files.typed_json import UnexpectedFormError, json_fields


def coco_keypoint_names(path: Path) -> dict[str, list[str]]:
    """Return label -> names of its keypoints, of the categories whose `keypoints` are distinct texts.

    Categories that cannot be read have no names: the reader of the objects refuses them with a message.

    Args:
        path: an instances file.
    """
    try:
        content = json_fields(read_bytes(path).removeprefix(BOM_UTF8)).get("categories", b"[]")
        categories: Any = parse_json(content.decode(), path)
    except (InputError, UnexpectedFormError, UnicodeDecodeError):
        return {}
    rows = categories if isinstance(categories, list) else []
    return {
        str(row.get("name", row.get("id"))): row["keypoints"]
        for row in rows
        if isinstance(row, dict) and _are_names(row.get("keypoints"))
    }


def _are_names(names: Any) -> bool:
    texts = isinstance(names, list) and names and all(isinstance(name, str) for name in names)
    return bool(texts) and len(set(names)) == len(names)
