"""Settings of a panel of judges from the command line."""

import argparse
from typing import Any

from thresher.errors import InputError

_SETTINGS = {
    "judge_pool": "pool",
    "judge_ties": "ties",
    "judge_votes": "min_votes",
    "judge_weights": "weights",
    "judge_extractor": "extractor",
}
"""Options of the command line and the settings of `JudgePanel` that they are."""


def panel_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a panel that the options give.

    Raises:
        InputError: for weights that are not numbers.
    """
    given = {setting: getattr(options, option, None) for option, setting in _SETTINGS.items()}
    known = {setting: value for setting, value in given.items() if value is not None}
    return known | ({"weights": _weights(known["weights"])} if "weights" in known else {})


def check_panel_options(options: argparse.Namespace) -> None:
    """Raise for settings of a panel without several judges.

    Raises:
        InputError: names the option.
    """
    several = len(options.judge_model or []) > 1
    option = next((name for name in _SETTINGS if getattr(options, name, None) is not None), None)
    if option is not None and not several:
        shown = option.replace("_", "-")
        raise InputError(f"--{shown} is for a panel of judges: repeat --judge-model, or remove the option")


def _weights(text: str | list[float]) -> list[float]:
    try:
        return [float(part) for part in (text.split(",") if isinstance(text, str) else text)]
    except ValueError:
        raise InputError(f"--judge-weights {text}: give one number per judge, e.g. 2,1,1") from None
