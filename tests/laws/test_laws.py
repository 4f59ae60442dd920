"""Laws of every metric component; `thresher.testing` has most of them."""

import inspect
import re
from functools import partial
from typing import get_type_hints

import pytest
from haystack import Pipeline
from pydantic import TypeAdapter

from laws.cases import CASES, made
from laws.wrong import wrong_values
from thresher.components import metric_class, metric_names
from thresher.errors import InputError
from thresher.judges import estimating
from thresher.results import VOCABULARY, Status
from thresher.testing import check_metric

every_metric = pytest.mark.parametrize("name", metric_names())
OVERLAP = re.compile(r", (IoU|OKS) (> )?0\.\d+")
SHARED = {"name", "chat_generator"}
OWN_WORDS = {"templates", "labels"}
"""Options of every judged metric; `labels` of other metrics are something else."""


@pytest.fixture(autouse=True)
def _nobody_is_asked():
    """Judged metrics get imagined replies: every judge says yes."""
    with estimating():
        yield


@pytest.fixture(autouse=True)
def _models_may_be_loaded(monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "thresher,laws")


def test_every_component_has_a_case_and_every_case_a_component():
    assert sorted(CASES) == metric_names()


@every_metric
def test_its_case_covers_every_option(name):
    options = set(inspect.signature(metric_class(name).__init__).parameters) - {"self"} - SHARED
    options -= OWN_WORDS if "templates" in options else set()
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
def test_its_sockets_are_words_of_the_vocabulary(name):
    sockets = made(name).__haystack_input__._sockets_dict
    own = {CASES[name].required.get("column")}
    assert set(sockets) <= set(VOCABULARY) | own


@every_metric
def test_any_entry_of_any_input_may_be_missing_in_a_pipeline(name):
    case = CASES[name]
    for socket, column in case.inputs.items():
        part = made(name)
        lacking = [None if item == 1 else entry for item, entry in enumerate(column)]
        declared = part.__haystack_input__._sockets_dict[socket].type
        for_checkers = get_type_hints(part.run).get(socket, declared)
        for kind in (declared, declared if socket == "matches" else for_checkers):  # a matcher makes matches
            TypeAdapter(kind, config={"arbitrary_types_allowed": True}).validate_python([None, None])
        pipeline = Pipeline()
        pipeline.add_component("metric", part)
        result = pipeline.run({"metric": {**case.inputs, socket: lacking}})["metric"]["result"]
        assert result.status[1] == (Status.UNDEFINED if socket == "conditions" else Status.MISSING), socket


@every_metric
def test_its_docstring_tells_formula_and_source(name):
    text = inspect.getdoc(metric_class(name))
    assert "\nFormula:" in text
    assert "\nSource:" in text


@every_metric
def test_the_laws_hold(name):
    case = CASES[name]
    check_metric(partial(made, name), case.inputs, changes=case.changes, together=case.without)


@pytest.mark.parametrize(
    "name",
    [name for name, case in CASES.items() if "matches" in case.inputs or "panoptic" in name],
)
def test_what_depends_on_matching_names_its_rule_and_overlap(name):
    measures = made(name).run(**CASES[name].inputs)["result"].measures
    assert [measure.name for measure in measures if not OVERLAP.search(measure.rule)] == []
