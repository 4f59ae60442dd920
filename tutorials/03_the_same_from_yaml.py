# %% [markdown]
# # 3. The same from YAML
#
# **You learn** to write an evaluation pipeline by hand, to run it from the command line, to add a metric and to change the
# judge; and that what you build in Python is the very same pipeline.
# **Time**: 10 minutes to read, a minute to run. **You need** tutorial 1; no key, no network.
#
# An evaluation is a Haystack pipeline: metrics side by side, each connected to one collector. So it is a file that can be
# reviewed, kept under version control, and run by people who write no Python.
#
# ## By hand
#
# Name the parts, say what class each is, connect `result` to the collector. Options that are left out have their defaults.

# %%
import tempfile
from pathlib import Path

from shell import shell

folder = tempfile.TemporaryDirectory()
place = Path(folder.name)
(place / "answers.jsonl").write_bytes(Path("data/first_answers.jsonl").read_bytes())

by_hand = """\
components:
  token_f1:
    type: thresher.components.text.token_f1.TokenF1Evaluator
    init_parameters: {}
  recall:
    type: thresher.components.retrieval.recall.RecallEvaluator
    init_parameters: {}
  collector:
    type: thresher.reports.collector.EvaluationResultsCollector
    init_parameters: {}
connections:
- {sender: token_f1.result, receiver: collector.results}
- {sender: recall.result, receiver: collector.results}
"""
(place / "evaluation.yaml").write_text(by_hand, encoding="utf-8")
shell("thresher run evaluation.yaml --data answers.jsonl --name first --quiet", place)

# %% [markdown]
# ## Both are one
#
# The builder makes the same pipeline from Python. Not a similar one: loaded from the file and built here, both dump to the
# same text, and their signatures and values are equal.

# %%
from thresher import build, evaluate, load_pipeline, open_run, read_dataset

answers = read_dataset("data/first_answers.jsonl")
loaded = load_pipeline(place / "evaluation.yaml")
built = build(["token_f1", "recall"])
print("same text:", loaded.dumps() == built.dumps())

here = evaluate(built, answers, name="here")
there = open_run(place / "runs" / "first")
for name in ("token_f1", "recall"):
    ours, theirs = here.metric(name).result, there.metric(name).result
    print(
        name,
        "same value:",
        ours.value() == theirs.value(),
        "| same signature:",
        ours.measures[0].signature == theirs.measures[0].signature,
    )

# %% [markdown]
# ## A metric more, with a judge
#
# Two lines wire it in, and its options stand beside it: here a judged metric from a prompt of our own. `chat_generator` is left
# out, so whoever runs the file says who judges. `estimate` tells what that would cost before anybody is asked.

# %%
judged = (
    by_hand.replace(
        "  collector:\n",
        """\
  answer_correct:
    type: thresher.components.judged.custom.custom_judge.CustomJudgeEvaluator
    init_parameters:
      name: answer_correct
      template: |
        Does the answer give the reference's answer to the question? Other words and further detail do not matter;
        a fact that is wrong or lacking does.

        {{ questions }}

        {{ ground_truth_answers }}

        {{ predicted_answers }}
      reply: {reason: text, score: ['yes', 'no']}
  collector:
""",
    )
    + "- {sender: answer_correct.result, receiver: collector.results}\n"
)
(place / "judged.yaml").write_text(judged, encoding="utf-8")
shell("thresher estimate judged.yaml --data answers.jsonl --price in=0.15,out=0.6", place)

# %% [markdown]
# Now run it. The judge is a recording of a real one, so
# there is nothing to pay; with `--judge-model gpt-4.1-mini`, or `--judge-model my-model --judge-url http://127.0.0.1:8000/v1`,
# or `--judge-model gguf:model.gguf`, the same file asks another.

# %%
recording = Path("data/judgements.json.gz")
(place / recording.name).write_bytes(recording.read_bytes())
asked = f"--judge-model recorded:{recording.name}"
shell(f"thresher run judged.yaml --data answers.jsonl --name judged {asked} --quiet -o judged.txt", place)
shell("thresher report runs/judged --metric answer_correct", place)

# %% [markdown]
# ## Change the judge in the file
#
# A judge that belongs to the evaluation stands in the file, like any Haystack ChatGenerator. Python shows how it is written:
# put the generator in, and dump.

# %%
from thresher.components import CustomJudgeEvaluator
from thresher.judges import RecordedChatGenerator

correct = CustomJudgeEvaluator.from_file("data/answer_correct.yaml", RecordedChatGenerator(recording.name))
whole = build({"token_f1": "token_f1", "recall": "recall", "answer_correct": correct}).dumps()
start = whole.index("chat_generator")
print(whole[start : whole.index("direction", start)])

# %%
import yaml

# The same file with another judge: a server of your own. Nobody is asked by an estimate.
text = yaml.safe_load(whole)
text["components"]["answer_correct"]["init_parameters"]["chat_generator"] = {
    "type": "haystack.components.generators.chat.openai.OpenAIChatGenerator",
    "init_parameters": {"model": "my-model", "api_base_url": "http://127.0.0.1:8000/v1"},
}
(place / "other.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
shell("thresher estimate other.yaml --data answers.jsonl", place)

# %% [markdown]
# Two judges are two measurements. The signature says which one measured (`judge:...`) and which prompt (`template:...@...`); a comparison of
# runs that differ in it says so before anything else, and gives no verdict unless told to.

# %%
print(open_run(place / "runs" / "judged").metric("answer_correct").result.measures[0].signature)

# %% [markdown]
# ## The decision
#
# *Keep `judged.yaml` beside the code of the assistant and run it for every change.* The file, not a notebook, is what defines
# the evaluation: it is short enough to review, it says which prompt is judged, and the judge is the caller's choice until you
# decide that it should not be.
