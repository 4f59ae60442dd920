"""Replies of judges that cannot see an image."""

import re

BLIND = "the judge says that it cannot see an image"
_IMAGE = r"(?:images?|pictures?|photos?|photographs?|screenshots?|attachments?)"
_SEE = r"(?:see|view|access|open|display|process|analy[sz]e|interpret|read|look at|perceive|inspect)"
_GIVEN = r"(?:provided|attached|included|visible|available|accessible|loaded|shown|given)"
_CANNOT = r"(?:cannot|can not|can't|could not|couldn't|do not|don't|unable to|not able to)"
_OTHERS = r"(?: \w+){0,3}?"
_PHRASES = re.compile(
    "|".join(
        [
            rf"\b(?:i|we)(?: am|'m| are|'re)?(?: \w+)? {_CANNOT}(?: \w+)? {_SEE}{_OTHERS} {_IMAGE}\b",
            rf"\b(?:i|we) (?:do not|don't) have the (?:ability|capability) to {_SEE}{_OTHERS} {_IMAGE}\b",
            rf"\bunable to {_SEE}{_OTHERS} {_IMAGE}\b",
            rf"\bno {_IMAGE} (?:was|were|is|are|has been|have been) {_GIVEN}\b",
            rf"\b{_IMAGE} (?:was|were|is|are|has|have)(?: not|n't)(?: been)? {_GIVEN}\b",
            r"\btext-(?:based|only) (?:\w+ )?model\b",
        ]
    ),
    re.IGNORECASE,
)


def is_blind(text: str | None) -> bool:
    """Whether a reply says that the judge does not see the images of the prompt.

    Only English phrases are recognised.

    >>> is_blind("I'm unable to view the image."), is_blind("The image shows a lock.")
    (True, False)
    """
    return text is not None and _PHRASES.search(" ".join(text.replace("\u2019", "'").split())) is not None
