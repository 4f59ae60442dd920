"""Flows of one ask each, whose true values the mock server gives."""

from thresher.judges import Ask, Message, Texts, answered


def flow(text="text", sample=0):
    blocks = f"<text 0123456789ab>\n{text}\n</text 0123456789ab>"
    ask = Ask(
        "own/claims", (Message("user", f'{blocks} holds the list "claims"'),), Texts("claims"), sample=sample
    )
    return answered(ask)


def flows(number):
    return [flow(f"This is text {place}.") for place in range(number)]


def values(outcomes):
    return [outcome.value for outcome in outcomes]


EXPECTED = [(f"This is text {place}.",) for place in range(40)]
