"""Entry points of installed packages."""

from importlib.metadata import entry_points

import pytest

from thresher import plugins
from thresher.plugins import installed_plugins


@pytest.fixture
def searches(monkeypatch):
    """The searches of all installed packages, from none on."""
    calls = []
    monkeypatch.setattr(plugins, "entry_points", lambda: calls.append("search") or entry_points())
    plugins._installed.cache_clear()
    yield calls
    plugins._installed.cache_clear()


def test_packages_are_searched_once_for_all_groups(searches):
    groups = ("pytest11", "console_scripts", "thresher.metrics")
    for group in (*groups, *groups):
        assert installed_plugins(group) == tuple(entry_points(group=group))
    assert installed_plugins("pytest11")
    assert searches == ["search"]


def test_packages_are_searched_again_where_the_path_changed(searches, monkeypatch, tmp_path):
    info = tmp_path / "added-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[thresher.metrics]\nadded = added:Metric\n")
    before = installed_plugins()
    monkeypatch.syspath_prepend(tmp_path)
    assert {plugin.name for plugin in installed_plugins()} == {*(plugin.name for plugin in before), "added"}
