import pytest

from reports.html.browser import chromium, lacking


@pytest.fixture(scope="session")
def browser():
    """One headless browser for all tests of a worker; skips where there is none."""
    if lacking():
        pytest.skip(lacking())
    with chromium() as driver:
        yield driver


@pytest.fixture
def opened(browser, tmp_path):
    """Open the text of a report in the browser and wait until its items can be used."""

    def show(text, fragment=""):
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        browser.get("about:blank")
        browser.get(path.as_uri() + fragment)
        browser.execute_async_script(
            "const done = arguments[0]; (function look() {"
            "performance.getEntriesByName('ready').length ? done() : setTimeout(look, 5); })();"
        )
        return browser

    return show
