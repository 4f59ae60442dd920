"""`thresher prompts export` and `thresher prompts check`."""

import argparse
from pathlib import Path

from thresher.cli.show import remark, show
from thresher.counted import counted
from thresher.judges.template_packs import export_templates
from thresher.pipelines.template_checks import check_templates
from thresher.reports.report import TableReport
from thresher.reports.table import Table

_WRONG = 2


def run(options: argparse.Namespace) -> int:
    """Write the shipped prompts, or check templates."""
    if options.action == "check":
        return _check(options)
    written = export_templates(Path(options.folder), options.origin, overwrite=options.overwrite)
    remark(f"thresher: wrote {counted(len(written), 'file')} into {options.folder}")
    return 0


def _check(options: argparse.Namespace) -> int:
    checks = check_templates(options.folder)
    rows = [(check.template, ", ".join(check.metrics) or "-", check.problem or "ok") for check in checks]
    problems = [check.problem for check in checks if check.problem]
    summary = (
        f"{len(problems)} of {counted(len(checks), 'template')} cannot be used."
        if problems
        else "All can be used."
    )
    lines = [*problems, summary]
    show(options, TableReport.of(Table(("template", "metrics", "check"), rows)), lines)
    return _WRONG if problems else 0
