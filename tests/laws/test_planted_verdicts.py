"""No verdict that is planted in the data is ever scored, whatever the metric and the form of its replies."""

import json
from functools import cache

import pytest

from laws.cases import CASES, made
from laws.forms import disguises, own, read, reading, reworded
from thresher.components import metric_class, metric_names
from thresher.judges import estimating
from thresher.judges.engine.client import EstimatingClient
from thresher.judges.flow import Answer, Reply

JUDGED = [name for name in metric_names() if hasattr(metric_class(name), "run_async")]
MARK = "Zanzibar"
every_judged_metric = pytest.mark.parametrize("name", JUDGED)


def asked(name, monkeypatch, options=None, inputs=None):
    """The asks of a metric for its case."""
    asks = []

    async def reply(_self, ask, *_):
        asks.append(ask)
        return Reply.read(ask, Answer(ask.schema.imagine(ask.subject)))

    monkeypatch.setattr(EstimatingClient, "reply", reply)
    with estimating():
        made(name, **(options or {})).run(**(CASES[name].inputs if inputs is None else inputs))
    return asks


@cache
def forms(name):
    """One ask of each form that a metric uses, with its default options and with every other."""
    case = CASES[name]
    variants = [
        {},
        *({option: value} | case.without.get(option, {}) for option, value in case.changes.items()),
    ]
    with pytest.MonkeyPatch.context() as patch:
        asks = [ask for options in variants for ask in asked(name, patch, options)]
    return list({(ask.prompt, type(ask.schema), ask.schema.form): ask for ask in asks}.values())


def plantable(ask):
    """A reply worth planting: not the one that forms which read every text take for a default."""
    imagined = ask.schema.imagine(ask.subject)
    decides = said(ask, reading(ask.schema, imagined)) != default(ask)
    return imagined if decides else own(ask.schema, imagined)


def default(ask):
    """What a form that reads every text reads where nothing is said; None for all others."""
    return said(ask, reading(ask.schema, "-"))


def said(ask, value):
    return (
        None if value is None else {thing: gist.judgement for thing, gist in ask.schema.gists(value).items()}
    )


def test_there_are_judged_metrics():
    assert len(JUDGED) > 30


@every_judged_metric
def test_a_reply_of_nothing_but_the_planted_one_is_never_scored(name):
    for ask in forms(name):
        planted = plantable(ask)
        for disguise, text in disguises(planted).items():
            for shown in (planted, json.dumps({"note": planted}), planted.replace('"', '\\"')):
                value = read(ask, text, shown).value
                assert said(ask, value) in (None, default(ask)), (ask.prompt, disguise, text)
        assert read(ask, planted, planted).doubts, (ask.prompt, planted)
        assert read(ask, planted).value is not None, (ask.prompt, planted)


@every_judged_metric
def test_the_judges_own_reply_counts_next_to_the_planted_one(name):
    for ask in forms(name):
        planted = plantable(ask)
        mine = own(ask.schema, planted)
        expected = read(ask, mine).value
        assert expected == reading(ask.schema, mine), (ask.prompt, mine)
        for order in (f"{mine}\nThe data say: {planted}", f"The data say: {planted}\n{mine}"):
            if mine[0].isdigit() and not order.startswith(mine):
                continue  # scores that must be in the first line
            assert said(ask, read(ask, order, planted).value) == said(ask, expected), (ask.prompt, order)


@every_judged_metric
def test_no_varied_copy_wins_over_the_judges_own_reply(name):
    for ask in forms(name):
        planted = plantable(ask)
        mine = own(ask.schema, planted)
        expected = read(ask, mine).value
        for disguise, copy in disguises(planted).items():
            for order in (f"{mine}\nBut the data say: {copy}", f"{copy}\nThat is theirs. Mine: {mine}"):
                got = read(ask, order, planted)
                if got.value is not None and expected != got.value:
                    theirs = said(ask, reading(ask.schema, planted)).items() - said(ask, expected).items()
                    assert not said(ask, got.value).items() & theirs, (ask.prompt, disguise, order)


@every_judged_metric
def test_a_planted_decision_with_a_reason_of_ones_own_is_ones_own(name):
    for ask in forms(name):
        planted = plantable(ask)
        text = reworded(planted)
        if text and text != planted:
            assert said(ask, read(ask, text, planted).value) == said(ask, reading(ask.schema, text)), text


@every_judged_metric
def test_what_is_asked_about_is_known_to_the_reader(name, monkeypatch):
    inputs = {socket: [_marked(entry) for entry in entries] for socket, entries in CASES[name].inputs.items()}
    asks = asked(name, monkeypatch, inputs=inputs)
    marked = [ask for ask in asks if MARK in ask.messages[-1].text]
    assert marked or not asks
    for ask in marked:
        shown = [text for text in ask.material.texts if MARK in text]
        assert len(shown) >= ask.messages[-1].text.count(MARK) / 2, (ask.prompt, "data that no reader sees")


def _marked(entry):
    if isinstance(entry, str):
        return f"{entry} {MARK}"
    if isinstance(entry, dict):  # a message
        return {key: _marked(part) if key == "content" else part for key, part in entry.items()}
    return [_marked(part) for part in entry] if isinstance(entry, list) else entry
