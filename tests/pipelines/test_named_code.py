"""A pipeline file names classes of components, and no code."""

import functools
import os
import pkgutil
import sys
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from haystack import Pipeline
from haystack.core import serialization_security
from haystack.core.serialization import allow_deserialization_module
from haystack.utils.callable_serialization import deserialize_callable

import thresher
from thresher import InputError, load_pipeline
from thresher.cli import main
from thresher.components import metric_class, metric_names
from thresher.pipelines import named_code
from thresher.pipelines.named_code import check_names
from thresher.plugins import LOADED, load_plugin
from thresher.version import COMPONENT_MODULES

MOCK = "haystack.components.generators.chat.mock.MockChatGenerator"
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
CODE = "open('PWNED', 'w').close()"


PARTS = "haystack.components"
ADAPTER = f"{PARTS}.converters.output_adapter.OutputAdapter"
MERGE = f"{PARTS}.agents.state.state_utils.merge_lists"


def nested(kind, **options):
    return {"type": kind, "init_parameters": options}


def tool(function, **more):
    data = {"name": "t", "description": "d", "parameters": PARAMETERS, "function": function, **more}
    return {"type": "haystack.tools.tool.Tool", "data": data}


def agent(**options):
    options = {"chat_generator": nested(MOCK, responses=["done"]), **options}
    return with_query(
        {"agent": nested("haystack.components.agents.agent.Agent", **options)}, "agent.messages"
    )


def calling(function, arguments):
    """A query pipeline whose agent calls a function as a tool, without a model."""
    call = {"tool_call": {"tool_name": "t", "arguments": arguments, "id": "1", "extra": None}}
    replies = [
        {"role": "assistant", "meta": {}, "name": None, "content": [call]},
        {"role": "assistant", "meta": {}, "name": None, "content": [{"text": "done"}]},
    ]
    return agent(chat_generator=nested(MOCK, responses=replies), tools=[tool(function)])


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
    init = {"template": "{{ messages | f }}", "output_type": "str", **options}
    return with_query({"adapter": nested(ADAPTER, **init)}, "adapter.messages")


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
    "a class as a tool": calling(ADAPTER, {"template": "{{ x }}", "output_type": "str", "unsafe": True}),
    "a component's other class": calling(
        "haystack.components.converters.output_adapter.NativeEnvironment", {}
    ),
    "a secret as a tool": calling("haystack.utils.auth.EnvVarSecret", {"_env_vars": ["MY_SECRET"]}),
    "a handler of a state": agent(state_schema={"x": {"type": "list", "handler": ADAPTER}}),
    "a handler of a tool": agent(tools=[tool(MERGE, outputs_to_state={"x": {"handler": "builtins.print"}})]),
    "a text of a tool": agent(tools=[tool(MERGE, outputs_to_string={"handler": "builtins.open"})]),
    "an asynchronous tool": agent(
        tools=[
            tool(None, async_function="asyncio.create_subprocess_shell"),
            tool(None, async_function="haystack.Pipeline.load"),
        ]
    ),
    "a hook": agent(
        hooks={
            "on_exit": [
                nested("haystack.hooks.from_function.FunctionHook", function="os.system"),
                nested("haystack.hooks.FunctionHook", function="haystack.Pipeline.load"),
            ]
        }
    ),
    "a hook that writes": agent(
        hooks={
            "after_tool": [
                nested(
                    "haystack.hooks.tool_result_offloading.hooks.ToolResultOffloadHook",
                    store=nested("haystack.hooks.tool_result_offloading.FileSystemToolResultStore", root="."),
                )
            ]
        }
    ),
    "an agent's callback": agent(streaming_callback="thresher.plugins.load_plugin"),
    "a toolset": agent(
        tools={
            "type": "haystack.tools.toolset.Toolset",
            "data": {"tools": [tool("thresher.plugins.load_plugin")]},
        }
    ),
    "a pipeline within": component_of(
        "haystack.core.super_component.super_component.SuperComponent",
        pipeline=calling("thresher.plugins.load_plugin", {}),
    ),
    "a pipeline as a tool": agent(
        tools=[
            {
                "type": "haystack.tools.pipeline_tool.PipelineTool",
                "data": {
                    "name": "p",
                    "description": "d",
                    "pipeline": calling("thresher.plugins.load_plugin", {}),
                },
            }
        ]
    ),
    "a component as a tool": agent(
        tools=[
            {
                "type": "haystack.tools.component_tool.ComponentTool",
                "data": {
                    "name": "p",
                    "description": "d",
                    "component": nested(MOCK, response_fn="thresher.plugins.load_plugin"),
                },
            }
        ]
    ),
    "a splitting function": component_of(
        f"{PARTS}.preprocessors.document_splitter.DocumentSplitter",
        split_by="function",
        splitting_function="thresher.plugins.load_plugin",
    ),
    "a token": component_of(
        f"{PARTS}.generators.chat.azure.AzureOpenAIChatGenerator",
        azure_endpoint="https://x.openai.azure.com",
        azure_ad_token_provider="thresher.plugins.load_plugin",  # noqa: S106
    ),
    "telemetry": component_of(MOCK, responses=nested("haystack.telemetry._telemetry.Telemetry")),
    "code of a model": component_of(
        f"{PARTS}.evaluators.sas_evaluator.SASEvaluator", model="m", model_kwargs={"trust_remote_code": True}
    ),
    "a helper of a sandbox": calling("typing.get_type_hints", {"obj": "x"}),
    "collections": calling("collections.namedtuple", {"typename": "x"}),
    "a module's dictionary": calling("thresher.plugins.LOADED.update", {"a": "b"}),
    "known secrets": calling("thresher.known_secrets._known.clear", {}),
    "a filter of a route": component_of(
        f"{PARTS}.routers.conditional_router.ConditionalRouter",
        routes=[],
        custom_filters={"f": "thresher.plugins.load_plugin"},
    ),
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


def attributes(value, name, depth):
    """What a dotted name reaches within something: methods, nested classes, methods of objects."""
    for attribute in dir(value):
        if attribute.startswith("__"):
            continue
        try:
            inner = getattr(value, attribute)
        except Exception:  # noqa: BLE001, S112  # a property without a value
            continue
        yield f"{name}.{attribute}", inner
        if depth and isinstance(inner, type) and inner.__module__.startswith("thresher."):
            yield from attributes(inner, f"{name}.{attribute}", depth - 1)


@functools.cache
def callables():
    """Every public and private callable of the package, by each name that reaches it."""
    found = {}
    for info in pkgutil.walk_packages(thresher.__path__, "thresher."):
        if info.name.endswith(("__main__", "._kernels")):
            continue
        module = import_module(info.name)
        for name, value in attributes(module, info.name, 0):
            found[name] = value
            ours = getattr(value, "__module__", info.name) == info.name or isinstance(
                value, functools.partial
            )
            if ours and not isinstance(value, ModuleType | str | int | float | tuple):
                found |= dict(attributes(value, name, 2))
    return {name: value for name, value in found.items() if callable(value)}


def may_be_named(name, option):
    try:
        check_names({"part": {"init_parameters": {option: name}}}, "f")
    except InputError:
        return False
    return True


@pytest.fixture
def no_plugins(monkeypatch):
    """Looking them up for each name takes most of the time."""
    monkeypatch.setattr(named_code, "trusted_packages", set)


def test_no_callable_of_the_package_can_be_chosen_by_a_file(no_plugins):
    allowed = {name: value for name, value in callables().items() if may_be_named(name, "function")}
    assert len(callables()) - len(allowed) > 10_000
    harmless = ("builtins", "typing", "collections", "haystack.dataclasses")
    for name, value in allowed.items():
        is_enum = isinstance(value, type) and issubclass(value, Enum)
        assert is_enum or value.__module__.startswith(harmless), name


def test_classes_of_the_package_that_a_file_may_name_are_components_and_results(no_plugins):
    classes = {name: value for name, value in callables().items() if isinstance(value, type)}
    for name, value in classes.items():
        if value.__module__.startswith("thresher.") and may_be_named(name, "type"):
            is_data = value.__module__.startswith("thresher.results.") or issubclass(value, Enum)
            assert is_data or callable(getattr(value, "run", None)), name


def test_haystack_resolves_no_function_of_the_package_outside_of_its_components():
    resolved = set()
    for name, value in callables().items():
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


BY_HAYSTACK = {
    "an adapter without sandbox": adapter(unsafe=True),
    "a router without sandbox": component_of(
        f"{PARTS}.routers.conditional_router.ConditionalRouter", routes=[], unsafe=True
    ),
    "a class of another package": component_of("subprocess.Popen", args=["touch", "PWNED"]),
    "a class of a loaded module": component_of("haystack.utils.auth.os.PathLike"),
    "a function of another package": calling("os.system", {"command": "touch PWNED"}),
    "a module of Haystack's": calling("haystack.utils.auth.os.system", {"command": "touch PWNED"}),
    "a builtin in a dictionary": calling("builtins.__dict__.get", {"a": "b"}),
    "an unknown parameter": component_of(MOCK, x=nested("haystack.telemetry._telemetry.Telemetry")),
}


@pytest.mark.parametrize("case", BY_HAYSTACK)
def test_what_haystack_refuses_ends_in_one_line(case, folder, capsys):
    Path("p.yaml").write_text(yaml.safe_dump(BY_HAYSTACK[case]))
    assert main(["run", "p.yaml", "--data", "q.jsonl", "--out", "r", "--trust"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not {"PWNED", "r"} & {path.name for path in folder.iterdir()}


TEXTS = {
    "an object": "components: !!python/object/apply:os.system ['touch PWNED']",
    "a name": "components: {part: {type: !!python/name:os.system }}",
    "a module": "components: !!python/module:code",
    "a new object": "components: !!python/object/new:os.system ['touch PWNED']",
    "aliases": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "components: {part: {type: a.B, init_parameters: {x: *i}}}",
    "a loop": "components: &a {part: *a}",
    "depth": "components: " + "[" * 5_000 + "]" * 5_000,
}


@pytest.mark.parametrize("case", TEXTS)
def test_yaml_that_makes_objects_or_expands_is_refused_in_one_line(case, folder, capsys):
    Path("p.yaml").write_text(TEXTS[case])
    Path("e.yaml").write_text("pipeline: p.yaml\nquestions: q.jsonl\nvary: {a.b: [1, 2]}\n")
    for words in (("run", "p.yaml", "--data", "q.jsonl", "--out", "r"), ("experiment", "e.yaml")):
        assert main([*words]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not {"PWNED", "r"} & {path.name for path in folder.iterdir()}


def test_a_file_that_names_code_is_refused_wherever_a_pipeline_is_named(folder, capsys):
    for name in ("good", "bad"):
        Path(f"{name}.yaml").write_text(
            yaml.safe_dump(agent() if name == "good" else RELATIVES["import a file"])
        )
    Path("e.yaml").write_text(
        "pipeline: bad.yaml\nquestions: q.jsonl\nmetrics: [exact_match]\nvary: {prompt.variables: [null]}\n"
    )
    Path("d.jsonl").write_text('{"id": "1", "content": "x"}\n')
    asked = ("--questions", "q.jsonl", "--vary", "prompt.variables=null")
    for words in (
        ("experiment", "e.yaml"),
        ("experiment", "good.yaml", *asked, "--recipe", "bad.yaml"),
        (
            "experiment",
            "good.yaml",
            "--questions",
            "q.jsonl",
            "--vary",
            "query:prompt.variables=null",
            "--metrics",
            "exact_match",
            "--indexing",
            "bad.yaml",
            "--documents",
            "d.jsonl",
        ),
        ("list", "bad.yaml"),
    ):
        assert main([*words]) == 2, words
        line = capsys.readouterr().err
        assert line.count("\n") == 1
        assert words[0] == "list" or "code that a file may not choose" in line, words
    assert main(["experiment", "e.yaml", "--dry-run"]) == 3
    assert "code that a file may not choose" in capsys.readouterr().out
    varied = {"vary": {"prompt.variables": [None]}, "metrics": ["exact_match"]}
    for call in (
        lambda: thresher.evaluate("bad.yaml", "q.jsonl"),
        lambda: thresher.evaluate_pipeline("bad.yaml", "q.jsonl", metrics=["exact_match"]),
        lambda: thresher.experiment("bad.yaml", "q.jsonl", out="ex", **varied),
        lambda: thresher.experiment(Path("bad.yaml").read_text(), "q.jsonl", out="ex", **varied),
    ):
        with pytest.raises(InputError, match="code that a file may not choose"):
            call()
    assert not {"PWNED", "experiments", "ex"} & {path.name for path in folder.iterdir()}


OWN_TOOLS = '''
from haystack import Pipeline, component
from haystack.tools import tool

from thresher.plugins import load_plugin


def shout(path: str, content: str) -> str:
    return f"{path} {content}".upper()


@tool
def whisper(path: str, content: str) -> str:
    """Say it softly."""
    return f"{path} {content}".lower()


@component
class Own:
    @component.output_types(messages=list)
    def run(self, messages: list):
        return {"messages": messages}
'''


@pytest.fixture
def own_tools(folder, monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", os.environ["HAYSTACK_DESERIALIZATION_ALLOWLIST"])
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("own_tools.py").write_text(OWN_TOOLS)
    load_plugin("own_tools.py")
    yield
    sys.modules.pop("own_tools", None)
    LOADED.pop("own_tools.py", None)


def answered(function):
    Path("p.yaml").write_text(yaml.safe_dump(calling(function, {"path": "One", "content": "Two"})))
    messages = load_pipeline("p.yaml").run({"prompt": {"query": "x"}})["agent"]["messages"]
    return [message.tool_call_result.result for message in messages if message.tool_call_result]


def test_functions_of_a_plugin_may_be_tools(own_tools):
    assert answered("own_tools.shout") == ["ONE TWO"]
    assert answered("own_tools.whisper") == ["one two"]
    Path("p.yaml").write_text(yaml.safe_dump(component_of("own_tools.Own")))
    assert load_pipeline("p.yaml").run({"prompt": {"query": "x"}})["part"]["messages"][0].text == "x"


@pytest.mark.parametrize(
    "name",
    [
        "own_tools.Pipeline.loads",
        "own_tools.load_plugin",
        "own_tools.component.registry.clear",
        "own_tools.Pipeline",
    ],
)
def test_what_a_plugin_has_imported_is_not_its_own(own_tools, name):
    with pytest.raises(InputError, match=f"is {name}, which is code that a file may not choose"):
        answered(name)


def test_the_same_holds_for_a_package_that_is_allowed_in_haystack(own_tools, monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "")
    monkeypatch.setattr(serialization_security, "_extra_allowed_modules", [])
    allow_deserialization_module("own_tools")
    assert answered("own_tools.shout") == ["ONE TWO"]
    with pytest.raises(InputError, match="code that a file may not choose"):
        answered("own_tools.component.registry.clear")


def test_haystack_s_own_functions_stay_refused_where_its_packages_are_listed(own_tools, monkeypatch):
    monkeypatch.setenv(
        "HAYSTACK_DESERIALIZATION_ALLOWLIST", "haystack,haystack_integrations.x,thresher,builtins"
    )
    for name in ("haystack.Pipeline.loads", "thresher.plugins.load_plugin", "builtins.print"):
        with pytest.raises(InputError, match="code that a file may not choose"):
            answered(name)


def test_a_server_of_tools_that_is_a_program_is_refused(folder, monkeypatch):
    module = ModuleType("haystack_integrations.tools.mcp")
    module.StdioServerInfo = type("StdioServerInfo", (), {"from_dict": print, "__module__": module.__name__})
    for name in ("haystack_integrations", "haystack_integrations.tools", module.__name__):
        monkeypatch.setitem(sys.modules, name, module)
    server = {"type": f"{module.__name__}.StdioServerInfo", "command": "touch", "args": ["PWNED"]}
    tools = {"type": f"{module.__name__}.MCPToolset", "data": {"server_info": server}}
    Path("p.yaml").write_text(yaml.safe_dump(agent(tools=tools)))
    with pytest.raises(InputError, match="StdioServerInfo, which is code that a file may not choose"):
        load_pipeline("p.yaml", trust=True)
