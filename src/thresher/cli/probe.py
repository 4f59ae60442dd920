"""`thresher probe`."""

import argparse
from typing import Any

from thresher.cli import asking
from thresher.cli.gate import required
from thresher.cli.judge_options import judge_options, with_settings
from thresher.cli.lost_metrics import lost_metrics, lost_sentence
from thresher.cli.show import remark, show
from thresher.cli.signals import stopped_by_signals
from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges import JudgePanel, ProbeReport, default_judge, probe
from thresher.judges import asking as session
from thresher.judges.engine.account import Account
from thresher.judges.probe_scores import MEASURES
from thresher.reports.analysis import Analysis
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.gates import GateOutcome, gate, parse
from thresher.reports.gates.gate import check_choose_on
from thresher.reports.judge_cards import judge_card
from thresher.reports.runs.results_file import is_results_path
from thresher.reports.runs.run_report import RunReport
from thresher.results.suggestions import suggest
from thresher.surface import written_in

_INCOMPLETE = 3


def run(options: argparse.Namespace) -> int:
    """Probe a judge, show and store its card, and check it against requirements."""
    requirements, settings = _requirements(options)
    if options.out is not None and not is_results_path(options.out):
        raise InputError(f"--out {options.out}: a card is a file; give a name that ends in .json or .json.gz")
    judge = _judge(options)
    budget = {"max_calls": options.max_calls, "prices": asking.prices(options)}
    limited = session(limits=asking.limits(options), cache=False, **budget)
    with stopped_by_signals(), asking.explain_missing_key(options), limited as account:
        report = probe(judge, options.ask_again)
    card = judge_card(report)
    if options.out is not None:
        card.save(options.out)
        remark(f"thresher: wrote {options.out}")
    return _show(options, card, report, account, _outcome(options, card, requirements, settings))


def _outcome(
    options: argparse.Namespace, card: EvaluationResults, requirements: list[str], settings: dict[str, Any]
) -> GateOutcome | None:
    if not requirements:
        return None
    return gate(card, requirements, decide_by=options.decide, level=options.level, **settings)


def _show(
    options: argparse.Namespace,
    card: EvaluationResults,
    report: ProbeReport,
    account: Account,
    outcome: GateOutcome | None,
) -> int:
    """Show the card with what the gate concludes; return the exit code."""
    decided = [] if outcome is None else [*(one.sentence for one in outcome.decisions), outcome.summary]
    lines = [
        f"judge {card.name}: {counted(report.verdicts, 'verdict')}",
        *asking.usage(account, cached=True),
        *decided,
    ]
    show(options, RunReport(card, Analysis(level=options.level)), lines)
    lost = lost_metrics(card.results)
    if lost:
        remark(lost_sentence(lost))
    if outcome is not None:
        return outcome.exit_code
    return _INCOMPLETE if lost or account.lost or account.spent else 0


def _judge(options: argparse.Namespace) -> Any:
    named = options.judge_model is not None or options.judge_url is not None
    judge = asking.named_judge(options) if named else default_judge()
    if isinstance(judge, JudgePanel):
        raise InputError("a probe tests one judge: give --judge-model once")
    settings = judge_options(options.judge_option)
    return with_settings(judge, settings) if settings else judge


def _requirements(options: argparse.Namespace) -> tuple[list[str], dict[str, Any]]:
    """Return the requirements, checked before the judge is called, and the settings of files."""
    texts, settings, places = required(options)
    bars = [_bar(option, text) for option in ("min", "max") for text in getattr(options, option)]
    parsed = [parse(text) for text in (*bars, *texts)]
    with written_in(places):
        check_choose_on(settings["choose_on"], parsed)
    for requirement in parsed:
        text = requirement.text
        if requirement.threshold.baseline:
            raise InputError(f"requirement {text!r}: a probe has no baseline; give a number")
        for name in requirement.quantity.metrics:
            if name not in MEASURES:
                known = ", ".join(MEASURES)
                raise InputError(
                    f"requirement {text!r}: a probe has no measure {name!r}{suggest(name, MEASURES)}; "
                    f"there are {known}"
                )
    return [*bars, *texts], settings


def _bar(option: str, text: str) -> str:
    """Return MEASURE=BAR in the language of gates."""
    name, equals, bar = text.partition("=")
    if not equals:
        raise InputError(f"--{option} {text}: write MEASURE=BAR, e.g. agreement=0.8")
    return f"{name.strip()} {'>=' if option == 'min' else '<='} {bar.strip()}"
