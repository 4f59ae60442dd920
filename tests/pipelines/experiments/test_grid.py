"""Grids: levels, names, coupled levels, exclusions, named configurations."""

import json

import pytest

from thresher import InputError
from thresher.pipelines.experiments.grid import GridReader, short_names
from thresher.pipelines.experiments.levels import labels_of, read_level, split_values

READER = GridReader({"retriever", "ranker", "llm"}.__contains__, ["retriever", "ranker", "llm"])
GENERATOR = {"type": "haystack.components.generators.chat.openai.OpenAIChatGenerator"}
LONG = "Answer in one short sentence."

NAMES = [
    ({"retriever.top_k": [3, 5]}, ["top_k=3", "top_k=5"]),
    (
        {"retriever.top_k": [3], "ranker.top_k": [1], "llm.model": ["gpt-4o", "Qwen/Qwen3"]},
        [
            "retriever.top_k=3,ranker.top_k=1,model=gpt-4o",
            "retriever.top_k=3,ranker.top_k=1,model=Qwen/Qwen3",
        ],
    ),
    ({"llm.generation_kwargs.temperature": [0, 0.5]}, ["temperature=0", "temperature=0.5"]),
    ({"a.scale": [True, False, None]}, ["scale=true", "scale=false", "scale=null"]),
    ({"a.b": ["3", 3, "true"]}, ['b="3"', "b=3", 'b="true"']),
    ({"prompt.template": [LONG, LONG + "!"]}, ["template=228e", "template=ac94"]),
    ({"prompt.template": {"short": LONG, "long": LONG + "!"}}, ["template=short", "template=long"]),
    ({"llm": [GENERATOR]}, ["llm=OpenAIChatGenerator"]),
    ({"llm": [GENERATOR, {**GENERATOR, "init_parameters": {"model": "b"}}]}, None),
    ({"pair": [{"retriever.top_k": 3, "ranker.top_k": 1}]}, ["retriever.top_k=3,ranker.top_k=1"]),
    ({"size": {"small": {"a.x": 1, "b.y": 2}, "large": {"a.x": 9}}}, ["size=small", "size=large"]),
    ({"indexing:splitter.split_length": [25]}, ["split_length=25"]),
]


@pytest.mark.parametrize(("vary", "names"), NAMES)
def test_names_are_short_and_unique(vary, names):
    cells = READER.configurations(vary)
    assert len({cell.name for cell in cells}) == len(cells)
    if names is not None:
        assert [cell.name for cell in cells] == names


def test_the_last_factor_varies_fastest_and_settings_have_whole_values():
    cells = READER.configurations({"retriever.top_k": [1, 3], "prompt.template": [LONG, "short"]})
    assert [cell.settings for cell in cells] == [
        {"retriever.top_k": k, "prompt.template": text} for k in (1, 3) for text in (LONG, "short")
    ]


def test_values_with_one_label_get_digits():
    labels = labels_of(["@a/prompt.txt", "@b/prompt.txt"])
    assert len(set(labels)) == 2
    assert all(label.startswith("prompt-") for label in labels)


def test_coupled_levels_set_several_paths():
    cells = READER.configurations({"size": {"small": {"a.x": 1, "b.y": 2}, "large": {"a.x": 9, "b.y": 8}}})
    assert [cell.settings for cell in cells] == [{"a.x": 1, "b.y": 2}, {"a.x": 9, "b.y": 8}]


@pytest.mark.parametrize(
    "exclude",
    [
        ["ranker.top_k > retriever.top_k"],
        "ranker.top_k > retriever.top_k",
        [{"retriever.top_k": 1, "ranker.top_k": 3}],
        {"retriever.top_k": [1, 7], "ranker.top_k": [3]},
    ],
)
def test_exclude_removes_what_meets_a_condition(exclude):
    cells = READER.configurations({"retriever.top_k": [1, 3], "ranker.top_k": [1, 3]}, exclude)
    assert [tuple(cell.settings.values()) for cell in cells] == [(1, 1), (3, 1), (3, 3)]


def test_exclude_compares_labels_of_coupled_levels_and_distinguishes_true_from_one():
    vary = {"size": {"small": {"a.x": 1}, "large": {"a.x": 9}}, "b.on": [True, False]}
    cells = READER.configurations(vary, ["size == 'small' and b.on", {"b.on": 0}])
    names = ["size=small,on=false", "size=large,on=true", "size=large,on=false"]
    assert [cell.name for cell in cells] == names


def test_named_configurations_come_after_the_grid(tmp_path):
    file = tmp_path / "named.yaml"
    file.write_text("as is: {}\nbig: {retriever.top_k: 50}\n", encoding="utf-8")
    cells = READER.configurations({"retriever.top_k": [1]}, named=file)
    assert [(cell.name, cell.settings) for cell in cells] == [
        ("top_k=1", {"retriever.top_k": 1}),
        ("as is", {}),
        ("big", {"retriever.top_k": 50}),
    ]
    listed = READER.configurations(named=[{}, {"retriever.top_k": 3}, {"retriever.top_k": 3, "llm.seed": 1}])
    assert [cell.name for cell in listed] == ["unchanged", "top_k=3", "top_k=3,seed=1"]
    (tmp_path / "named.json").write_text(json.dumps([{"a.b": 1}]), encoding="utf-8")
    assert READER.configurations(named=str(tmp_path / "named.json"))[0].name == "b=1"


def test_levels_are_read_from_files(tmp_path):
    (tmp_path / "short.jinja").write_text("Be brief: {{ query }}", encoding="utf-8")
    (tmp_path / "llm.yaml").write_text("type: a.B\ninit_parameters: {x: 1}\n", encoding="utf-8")
    reader = GridReader({"llm"}.__contains__, folder=tmp_path)
    cells = reader.configurations({"prompt.template": ["@short.jinja", "@@home"], "llm": ["@llm.yaml"]})
    assert [(cell.name, cell.settings) for cell in cells] == [
        (
            "template=short,llm=llm",
            {"prompt.template": "Be brief: {{ query }}", "llm": {"type": "a.B", "init_parameters": {"x": 1}}},
        ),
        (
            "template=@@home,llm=llm",
            {"prompt.template": "@home", "llm": {"type": "a.B", "init_parameters": {"x": 1}}},
        ),
    ]
    with pytest.raises(InputError, match=r"@no\.txt: the file .* does not exist"):
        read_level("@no.txt", tmp_path)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3,5,10", [3, 5, 10]),
        ("gpt-4o, Qwen/Qwen3:8b", ["gpt-4o", "Qwen/Qwen3:8b"]),
        ("1e-3,.5,-2", [0.001, 0.5, -2]),
        ("true,null,off", [True, None, False]),
        ("2024-05-01,1:30", ["2024-05-01", "1:30"]),
        ("'a, b',\"3\"", ["a, b", "3"]),
        ("[1, 2],{a: 1, b: 2}", [[1, 2], {"a": 1, "b": 2}]),
        ("@short.jinja,@long.jinja", ["@short.jinja", "@long.jinja"]),
        ("a: b,*x,&y", ["a: b", "*x", "&y"]),
    ],
)
def test_values_of_the_command_line_are_yaml_scalars(text, values):
    assert split_values(text) == values


@pytest.mark.parametrize("text", ["[1,2", "{a: 1,b", '"a, b', "x,[1"])
def test_what_is_not_closed_is_refused_and_no_list_of_pieces(text):
    with pytest.raises(InputError, match="not YAML"):
        split_values(text)


def test_an_apostrophe_belongs_to_its_value():
    assert split_values("don't") == ["don't"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"retriever.top_k": 3},), "give a list of values, not 3"),
        (({"retriever.top_k": "3,5"},), "give a list of values"),
        (({"retriever.top_k": []},), "give a list of values"),
        (({"retriever.top_k": [3, 3]},), "3 is given twice"),
        (({"retreiver": [3]},), "no component has this name \\(did you mean 'retriever'"),
        (({"retriever.": [3]},), "not the path of a setting"),
        (({"index:splitter.by": [3]},), "not the path of a setting"),
        (({"retriever.top_k": [3], "x": [{"retriever.top_k": 1}]},), "set by another factor too"),
        (({"retriever.top_k": [3]}, ["retriever.top_k == 3"]), "`exclude` matches all"),
        (({"retriever.top_k": [3]}, ["top_k == 3"]), "exclude: condition 'top_k == 3': no column 'top_k'"),
        (({"retriever.top_k": [3]}, [{"top_k": 3}]), "top_k does not vary; retriever.top_k do"),
        (({"retriever.top_k": [3]}, [7]), "7 is not a condition"),
        (({"retriever.top_k": [3]}, 7), "exclude is 7; give a list of conditions"),
        (({"a.b": range(200), "a.c": range(200)},), "40,000 configurations"),
        (({"retriever.top_k": [3]}, [], {"top_k=3": {}}), "two configurations are called 'top_k=3'"),
        (({"retriever.top_k": [3]}, [], {"x": {"retriever.top_k": 3}}), "have the same settings"),
        ((None, [], "missing.yaml"), "missing.yaml does not exist"),
        ((None, [], 7), "configurations are int"),
        ((None, [], [7]), "a configuration is 7"),
        ((["a.b"],), "vary is list"),
    ],
)
def test_an_unusable_grid_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        READER.configurations(*arguments)


def test_an_object_is_described_by_the_name_of_its_level():
    reader = GridReader({"store"}.__contains__)
    first, second = object(), object()
    cells = reader.configurations({"store": {"small": first, "large": second}})
    assert [(cell.name, cell.described) for cell in cells] == [
        ("store=small", {"store": "small"}),
        ("store=large", {"store": "large"}),
    ]
    assert cells[0].settings["store"] is first
    with pytest.raises(InputError, match="is not plain data; name the values"):
        reader.configurations({"store": [first]})


@pytest.mark.parametrize("value", ["sk-planted-secret-0123456789", {"type": "token", "token": "planted"}])
def test_a_credential_is_not_a_level(value):
    with pytest.raises(InputError, match="is a credential, which would be stored") as error:
        READER.configurations({"llm.api_key": [value]})
    assert "planted" not in str(error.value)
    variable = {"type": "env_var", "env_vars": ["OTHER_KEY"], "strict": True}
    assert READER.configurations({"llm.api_key": [variable]})[0].settings == {"llm.api_key": variable}


def test_short_names_use_the_whole_path_where_the_last_part_is_ambiguous():
    assert short_names(["a.k", "b.k", "b.model"]) == {"a.k": "a.k", "b.k": "b.k", "b.model": "model"}
