"""Thoughts of reasoning models between tags, before the reply."""

import re
from bisect import bisect

from thresher.judges.containers import scan

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_TAG = re.compile(rf"(?i)<(/?)\s*(?:{_NAMES})\s*>|\[(/?)THINK\]")

LONGEST_REPLY = 60_000
"""Characters of a reply that are read, from its end; no form needs as many."""


def after_thoughts(text: str) -> str | None:
    """The text after the last closing tag; None if thoughts are not closed.

    A tag within a string of a complete JSON object is part of the reply. Objects that begin before the part
    of a reply that is read are ignored: scanning a million characters of thoughts takes half a second.

    >>> after_thoughts("<think>2? 3?</think>4"), after_thoughts("<think>2? 3?"), after_thoughts("4")
    ('4', None, '4')
    """
    tags = list(_TAG.finditer(text))
    if not tags:
        return text
    skipped = max(0, len(text) - LONGEST_REPLY)
    objects = scan(text[skipped:]).objects
    starts = [container.start for container in objects]
    for tag in reversed(tags):
        place = tag.start() - skipped
        before = bisect(starts, place)
        if not before or objects[before - 1].end <= place:
            return text[tag.end() :] if "/" in tag.group() else None
    return text
