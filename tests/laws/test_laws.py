"""What holds for every metric component, whatever it measures."""

import asyncio
import copy
import inspect
import json
import pickle

import numpy as np
import pytest
from haystack import Pipeline
from haystack.core.serialization import component_from_dict, component_to_dict

from laws.cases import CASES, made
from laws.wrong import wrong_values
from thresher.components import metric_class, metric_names
from thresher.errors import InputError
from thresher.judges import estimating
from thresher.results import VOCABULARY, FrozenColumn, MetricResult
from thresher.results.storage import from_dict, to_dict

every_metric = pytest.mark.parametrize("name", metric_names())
SHARED = {"name", "chat_generator"}


@pytest.fixture(autouse=True)
def _nobody_is_asked():
    """Judged metrics get imagined replies: every judge says yes."""
    with estimating():
        yield


@pytest.fixture(autouse=True)
def _models_may_be_loaded(monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "thresher,laws")


def ran(name, inputs=None, /, **options):
    return made(name, **options).run(**(CASES[name].inputs if inputs is None else inputs))


def picked(name, items):
    return {socket: [entries[item] for item in items] for socket, entries in CASES[name].inputs.items()}


def size(name):
    return len(next(iter(CASES[name].inputs.values())))


def assert_same(first, second):
    """Two results say the same: measures, statuses, reasons, statistics to the bit."""
    assert first.measures == second.measures
    assert to_dict(first) == to_dict(second)


def test_every_component_has_a_case_and_every_case_a_component():
    assert sorted(CASES) == metric_names()


@every_metric
def test_its_case_covers_every_option(name):
    options = set(inspect.signature(metric_class(name).__init__).parameters) - {"self"} - SHARED
    case = CASES[name]
    assert options == set(case.changes) | case.reporting | (set(case.required) - case.reporting)


@every_metric
def test_an_option_of_a_wrong_type_is_refused_by_name(name):
    for option, parameter in inspect.signature(metric_class(name).__init__).parameters.items():
        if option == "self":
            continue
        for value in wrong_values(parameter.annotation):
            with pytest.raises(InputError) as caught:
                made(name, **{option: value})
            assert option in str(caught.value)
            assert "\n" not in str(caught.value)


@every_metric
def test_an_empty_name_is_refused(name):
    if name == "recorded_scores":
        pytest.skip("without a name it has the column's")
    with pytest.raises(InputError, match="name='' must be"):
        made(name, name="")


@every_metric
def test_options_survive_a_round_trip(name):
    for options in ({}, *({option: value} for option, value in CASES[name].changes.items())):
        part = made(name, **options, **_company(name, options))
        told = component_to_dict(part, name)
        again = component_to_dict(component_from_dict(type(part), told, name), name)
        assert again == told


@every_metric
def test_it_loads_from_yaml(name):
    pipeline = Pipeline()
    pipeline.add_component(name, made(name))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher", "laws"])
    assert again.dumps() == pipeline.dumps()
    assert_same(again.run({name: CASES[name].inputs})[name]["result"], ran(name)["result"])


@every_metric
def test_its_sockets_are_words_of_the_vocabulary(name):
    sockets = made(name).__haystack_input__._sockets_dict
    own = {CASES[name].required.get("column")}
    assert set(sockets) <= set(VOCABULARY) | own


@every_metric
def test_its_outputs_are_the_three(name):
    out = ran(name)
    assert {"score", "individual_scores", "result"} <= set(out)
    assert type(out["score"]) is float
    assert [type(score) for score in out["individual_scores"]] == [float] * size(name)
    np.testing.assert_equal(out["score"], out["result"].score)


@every_metric
def test_no_items_have_no_value(name):
    out = ran(name, {socket: [] for socket in CASES[name].inputs})
    assert np.isnan(out["score"])
    assert out["individual_scores"] == []


@every_metric
def test_unequal_lengths_are_named(name):
    inputs = dict(CASES[name].inputs)
    if len(inputs) < 2:
        pytest.skip("one socket cannot be unequal")
    *_, last = inputs
    inputs[last] = inputs[last][:-1]
    with pytest.raises(InputError, match=rf"unequal lengths: .*{last} has {size(name) - 1}"):
        made(name).run(**inputs)


@every_metric
def test_a_text_instead_of_a_list_is_refused(name):
    inputs = dict.fromkeys(CASES[name].inputs, "text")
    with pytest.raises(InputError):
        made(name).run(**inputs)


@every_metric
def test_the_order_of_items_changes_no_value(name):
    order = [2, 0, 3, 1, *range(4, size(name))]
    straight, turned = ran(name), ran(name, picked(name, order))
    np.testing.assert_array_equal(np.array(straight["individual_scores"])[order], turned["individual_scores"])
    for measure in straight["result"].measures:
        values = [out["result"].value(measure.name) for out in (straight, turned)]
        np.testing.assert_allclose(*values, rtol=1e-12)


@every_metric
def test_values_keep_within_their_bounds(name):
    result = ran(name)["result"]
    for measure in result.measures:
        low, high = measure.bounds
        scores = result.item_scores(measure.name)
        values = [result.value(measure.name), *scores[~np.isnan(scores)].tolist()]
        assert all(low <= value <= high for value in values if not np.isnan(value))


@every_metric
def test_every_item_of_the_case_is_scored(name):
    result = ran(name)["result"]
    assert result.n_scored == size(name)
    for measure in result.measures:
        if measure.item_score is not None:
            assert not np.isnan(result.item_scores(measure.name)).any()


@every_metric
def test_an_item_without_input_changes_no_other(name):
    inputs = {socket: list(entries) for socket, entries in CASES[name].inputs.items()}
    for entries in inputs.values():
        entries[1] = None
    whole, holed = ran(name)["result"], made(name).run(**inputs)["result"]
    kept = [item for item in range(size(name)) if item != 1]
    assert holed.n_scored == size(name) - 1
    assert 1 in holed.reasons
    assert np.isnan(holed.item_scores()[1])
    assert_same(holed.take(kept), whole.take(kept))


@every_metric
def test_every_option_that_changes_the_number_changes_the_signature(name):
    plain = ran(name)["result"].measures[0].signature
    for option, value in CASES[name].changes.items():
        company = _company(name, {option: value})
        base = ran(name, **company)["result"].measures[0].signature if company else plain
        assert ran(name, **{option: value}, **company)["result"].measures[0].signature != base, option


@every_metric
def test_run_and_run_async_are_one(name):
    part = made(name)
    if not hasattr(part, "run_async"):
        pytest.skip("only what asks somebody has run_async")
    assert_same(asyncio.run(part.run_async(**CASES[name].inputs))["result"], ran(name)["result"])


@every_metric
def test_shards_together_are_the_whole(name):
    parts = [ran(name, picked(name, items))["result"] for items in ([0], [1, 2], range(3, size(name)), [])]
    assert_same(MetricResult.concatenate(parts), ran(name)["result"])


@every_metric
def test_a_slice_is_the_value_of_its_items(name):
    whole, part = ran(name)["result"], ran(name, picked(name, [0, 2]))["result"]
    weights = [1.0, 0.0, 1.0, *[0.0] * (size(name) - 3)]
    for measure in whole.measures:
        np.testing.assert_allclose(whole.value(measure.name, weights), part.value(measure.name), rtol=1e-12)


@every_metric
def test_drawn_twice_counts_twice(name):
    whole, twice = ran(name)["result"], ran(name, picked(name, [0, 0, 2]))["result"]
    weights = np.array([2.0, 0.0, 1.0, *[0.0] * (size(name) - 3)])
    for measure in whole.measures:
        np.testing.assert_allclose(whole.value(measure.name, weights), twice.value(measure.name), rtol=1e-12)
        drawn = measure.reduction.many(whole.statistics, weights[None])
        np.testing.assert_allclose(drawn[0], twice.value(measure.name), rtol=1e-12)


@every_metric
def test_a_component_survives_pickle_and_deepcopy(name):
    part = made(name)
    for again in (pickle.loads(pickle.dumps(part)), copy.deepcopy(part)):  # noqa: S301
        assert_same(again.run(**CASES[name].inputs)["result"], ran(name)["result"])


@every_metric
def test_results_survive_json_pickle_and_arrow(name):
    import pyarrow as pa

    from thresher.results.storage import describe, from_arrow, to_arrow

    result = ran(name)["result"]
    told = json.loads(json.dumps(to_dict(result), allow_nan=False))
    assert_same(from_dict(told), result)
    assert_same(pickle.loads(pickle.dumps(result)), result)  # noqa: S301
    columns = {key: pa.chunked_array([column]) for key, column in to_arrow(result).items()}
    assert_same(from_arrow(json.loads(json.dumps(describe(result))), columns), result)


@every_metric
def test_columns_and_lists_are_alike_and_stay_as_they_are(name):
    given = copy.deepcopy(CASES[name].inputs)
    frozen = {socket: FrozenColumn(entries) for socket, entries in given.items()}
    assert_same(made(name).run(**frozen)["result"], ran(name)["result"])
    assert given == CASES[name].inputs


@every_metric
def test_another_name_is_the_name_of_its_measures(name):
    result = ran(name, name="mine")["result"]
    assert all(measure.name.startswith("mine") for measure in result.measures)
    assert len({measure.name for measure in result.measures}) == len(result.measures)


@every_metric
def test_its_docstring_tells_formula_and_source(name):
    text = inspect.getdoc(metric_class(name))
    assert "\nFormula:" in text
    assert "\nSource:" in text


def _company(name, options):
    """What must stand beside an option for it to mean something."""
    return {key: value for option in options for key, value in CASES[name].without.get(option, {}).items()}
