"""The catalogue shows every option of every metric with its default."""

import json

import pytest
from haystack.core.serialization import component_to_dict

from laws.cases import CASES, made
from thresher.components import metric_names
from thresher.components.catalogue import REQUIRED, default_options, entry


@pytest.mark.parametrize("name", metric_names())
def test_every_option_is_listed_with_the_default_that_a_component_has(name):
    options = default_options(name)
    stored = component_to_dict(made(name), name)["init_parameters"]
    assert list(options) == list(stored)
    given = CASES[name].required
    for option, default in options.items():
        if default not in (REQUIRED, None) and option not in given:  # None: resolved by the component
            assert plain(stored[option]) == plain(default), option


def plain(value):
    """A tuple is a list, as in YAML."""
    return json.loads(json.dumps(value))


def test_an_entry_holds_them():
    assert entry("token_f1").options == {"normalization": "squad", "undefined": "zero", "name": "token_f1"}
    assert entry("recorded_scores").options["column"] is REQUIRED
