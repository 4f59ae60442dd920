"""A pipeline file names classes of components, and no code."""

import inspect
import os
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from haystack import Pipeline
from haystack.utils.callable_serialization import deserialize_callable

import thresher
from thresher import InputError, load_pipeline
from thresher.cli import main
from thresher.components import metric_class, metric_names
from thresher.pipelines.named_code import check_names
from thresher.version import COMPONENT_MODULES

MOCK = "haystack.components.generators.chat.mock.MockChatGenerator"
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
CODE = "open('PWNED', 'w').close()"


def calling(function, arguments):
    """A query pipeline whose agent calls a function as a tool, without a model."""
    call = {"tool_call": {"tool_name": "t", "arguments": arguments, "id": "1", "extra": None}}
    replies = [
        {"role": "assistant", "meta": {}, "name": None, "content": [call]},
        {"role": "assistant", "meta": {}, "name": None, "content": [{"text": "done"}]},
    ]
    tool = {
        "type": "haystack.tools.tool.Tool",
        "data": {"name": "t", "description": "d", "parameters": PARAMETERS, "function": function},
    }
    agent = {
        "type": "haystack.components.agents.agent.Agent",
        "init_parameters": {
            "chat_generator": {"type": MOCK, "init_parameters": {"responses": replies}},
            "tools": [tool],
        },
    }
    return with_query({"agent": agent}, "agent.messages")


def with_query(components, receiver):
    template = [{"role": "user", "meta": {}, "name": None, "content": [{"text": "{{query}}"}]}]
    prompt = {
        "type": "haystack.components.builders.chat_prompt_builder.ChatPromptBuilder",
        "init_parameters": {"template": template, "required_variables": "*"},
    }
    connections = [{"sender": "prompt.prompt", "receiver": receiver}]
    return {"components": {"prompt": prompt, **components}, "connections": connections}


def generator(**options):
    kind = "haystack.components.generators.chat.openai.OpenAIChatGenerator"
    return with_query({"llm": {"type": kind, "init_parameters": {"model": "m", **options}}}, "llm.messages")


def adapter(**options):
    kind = "haystack.components.converters.output_adapter.OutputAdapter"
    init = {"template": "{{ messages | f }}", "output_type": "str", **options}
    return with_query({"adapter": {"type": kind, "init_parameters": init}}, "adapter.messages")


def component_of(kind, **options):
    return with_query({"part": {"type": kind, "init_parameters": options}}, "part.messages")


RELATIVES = {
    "write a file": calling("thresher.files.writing.replace_file", {"path": "PWNED", "content": CODE}),
    "import a file": calling("thresher.plugins.load_plugin", {"place": "code.py"}),
    "import through a module": calling("thresher.plugins.import_module", {"name": "code"}),
    "a module of a module": calling("thresher.plugins.os.system", {"command": "touch PWNED"}),
    "load without checks": calling(
        "haystack.core.pipeline.pipeline.Pipeline.loads", {"data": "", "unsafe": True}
    ),
    "load from the package": calling("haystack.Pipeline.load", {"fp": "x", "unsafe": True}),
    "a method of a class": calling("thresher.judges.recorded.Recording.save", {"path": "PWNED"}),
    "a class that writes": calling("thresher.judges.engine.file_answers.FileAnswers", {"path": "PWNED"}),
    "a lazy export": calling("thresher.save_run", {"out": "PWNED"}),
    "a helper of a component": calling("thresher.components.metric_class", {"name": "bleu"}),
    "a builtin": calling("builtins.print", {"a": "b"}),
    "a callback": generator(streaming_callback="thresher.files.writing.append_text"),
    "a filter": adapter(custom_filters={"f": "thresher.plugins.load_plugin"}),
    "a component that is none": component_of("thresher.judges.engine.file_answers.FileAnswers", path="PWNED"),
    "a function as component": component_of("thresher.plugins.load_plugin", place="code.py"),
    "a nested object": component_of(
        MOCK, responses={"type": "thresher.plugins.load_plugin", "init_parameters": {"place": "code.py"}}
    ),
    "within a type": adapter(output_type="list[thresher.plugins.load_plugin]"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-at-all")
    Path("code.py").write_text(CODE)
    Path("q.jsonl").write_text('{"question": "x", "answer": "y", "reference": "y"}\n')
    return tmp_path


@pytest.mark.parametrize("case", RELATIVES)
def test_a_file_that_names_code_is_refused_in_one_line_by_every_way_in(case, folder, capsys):
    Path("p.yaml").write_text(yaml.safe_dump(RELATIVES[case]))
    before = sorted(path.name for path in folder.iterdir())
    words = {
        "experiment": (
            "--questions",
            "q.jsonl",
            "--metrics",
            "exact_match",
            "--vary",
            "prompt.variables=null",
            "--out",
            "ex",
        ),
        "run": ("--data", "q.jsonl", "--out", "r"),
        "estimate": ("--data", "q.jsonl"),
    }
    for command, options in words.items():
        for more in ((), ("--trust",)):
            assert main([command, "p.yaml", *options, *more]) == 2, (command, more)
            line = capsys.readouterr().err
            assert line.count("\n") == 1
            assert "which is code that a file may not choose" in line
    with pytest.raises(InputError, match="code that a file may not choose"):
        load_pipeline("p.yaml", trust=True)
    assert sorted(path.name for path in folder.iterdir()) == before


OWN = (
    *(
        "write a file",
        "import a file",
        "import through a module",
        "a module of a module",
        "a class that writes",
    ),
    *("a lazy export", "a callback", "a filter", "a component that is none", "a function as component"),
)


@pytest.mark.parametrize("case", OWN)
def test_haystack_itself_refuses_what_is_no_component_of_ours(case, folder):
    with pytest.raises(Exception, match=r"(?i)refusing|couldn't deserialize|could not be deserialized"):
        Pipeline.loads(yaml.safe_dump(RELATIVES[case]))
    assert not Path("PWNED").exists()


def callables():
    """Every public and private callable of the package, by each name under which a module has it."""
    for info in pkgutil.walk_packages(thresher.__path__, "thresher."):
        if info.name.endswith(("__main__", "._kernels")):
            continue
        for name, value in vars(import_module(info.name)).items():
            if callable(value) and not name.startswith("__"):
                yield f"{info.name}.{name}", value
                if isinstance(value, type):
                    for method, function in inspect.getmembers(value, callable):
                        if not method.startswith("__"):
                            yield f"{info.name}.{name}.{method}", function


def test_no_callable_of_the_package_can_be_chosen_by_a_file():
    allowed, refused = set(), 0
    for name, value in callables():
        try:
            check_names({"part": {"init_parameters": {"function": name}}}, "f")
        except InputError:
            refused += 1
        else:
            assert isinstance(value, type), name
            if value.__module__.startswith("thresher.") and not value.__module__.startswith(
                "thresher.results."
            ):
                allowed.add(value)
    assert refused > 10_000
    assert all(callable(getattr(value, "run", None)) for value in allowed)


def test_haystack_resolves_no_function_of_the_package_outside_of_its_components():
    resolved = set()
    for name, value in callables():
        if isinstance(value, type) or name.startswith(COMPONENT_MODULES):
            continue
        try:
            resolved.add(deserialize_callable(name))
        except Exception:  # noqa: BLE001, S112  # refused
            continue
    outside = {value for value in resolved if getattr(value, "__module__", "").startswith("thresher.")}
    assert {value for value in outside if not value.__module__.startswith(COMPONENT_MODULES)} == set()


def test_every_metric_is_loaded_from_a_file(tmp_path):
    for name in metric_names():
        kind = metric_class(name)
        check_names(
            {
                "part": {"type": f"{kind.__module__}.{kind.__name__}"},
                "short": {"type": f"thresher.components.{kind.__name__}"},
            },
            "f",
        )


def test_functions_that_do_no_harm_may_be_named(folder):
    options = {"streaming_callback": "haystack.components.generators.utils.print_streaming_chunk"}
    Path("p.yaml").write_text(yaml.safe_dump(generator(**options)))
    assert load_pipeline("p.yaml", trust=True)


def test_the_allowlist_has_modules_of_components_alone():
    listed = os.environ["HAYSTACK_DESERIALIZATION_ALLOWLIST"].split(",")
    assert {entry for entry in listed if entry.startswith("thresher")} == set(COMPONENT_MODULES)
