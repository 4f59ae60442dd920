"""Thoughts of reasoning models between tags, before the reply."""

import re
from bisect import bisect

from thresher.judges.containers import scan

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_TAG = re.compile(rf"(?i)<(/?)\s*(?:{_NAMES})\s*>|\[(/?)THINK\]")


def after_thoughts(text: str) -> str | None:
    """The text after the last closing tag; None if thoughts are not closed.

    A tag within a string of a complete JSON object is part of the reply.

    >>> after_thoughts("<think>2? 3?</think>4"), after_thoughts("<think>2? 3?"), after_thoughts("4")
    ('4', None, '4')
    """
    tags = list(_TAG.finditer(text))
    if not tags:
        return text
    objects = scan(text).objects
    starts = [container.start for container in objects]
    for tag in reversed(tags):
        before = bisect(starts, tag.start())
        if not before or objects[before - 1].end <= tag.start():
            return text[tag.end() :] if "/" in tag.group() else None
    return text
