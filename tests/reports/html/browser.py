"""A headless Chromium that lets nothing out, for tests and benchmarks of HTML files."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import which
from typing import Any

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-prefers-reduced-motion",
)


def lacking() -> str:
    """What is not installed here; empty if a browser can be driven."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed"
    missing = [name for name in ("chromium", "chromedriver") if which(name) is None]
    return f"{' and '.join(missing)} not installed (Debian: chromium, chromium-driver)" if missing else ""


@contextmanager
def chromium(width: int = 1400, height: int = 900) -> Iterator[Any]:
    """A driver with a profile of its own, whose log of requests is kept."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        options = Options()
        options.binary_location = which("chromium")
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        options.add_experimental_option("prefs", {"download.default_directory": folder})
        for argument in (*ARGUMENTS, f"--user-data-dir={folder}/profile", f"--window-size={width},{height}"):
            options.add_argument(argument)
        driver = webdriver.Chrome(options=options, service=Service(which("chromedriver")))
        driver.downloads = folder
        try:
            yield driver
        finally:
            driver.quit()


def requested(driver: Any) -> list[str]:
    """Addresses that the pages shown so far have asked for."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
