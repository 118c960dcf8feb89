"""pytest --sluice: each test waits until the machine has room for it; see docs/python.md."""
from __future__ import annotations

import os
import re

from typing import Any, Callable, Dict, Generator, List, Optional, Set, Tuple, TypeVar, cast

import pytest

from . import _memory
from ._client import Client
from ._errors import SluiceError
from ._test_permit import TestPermit, body_of, program_of

Function = TypeVar("Function", bound=Callable[..., object])

_RESTARTED = "restarted"
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def _hook(**options: bool) -> Callable[[Function], Function]:
    """`pytest.hookimpl`, which has no types in pytest 7."""
    return cast("Callable[[Function], Function]", pytest.hookimpl(**options))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sluice", "Sluice: tests that wait until the machine has room for them")
    group.addoption("--sluice", action="store_true", default=None,
                    help="Run each test on a permit of the sluice daemon; -n auto: as many workers as fit.")
    group.addoption("--no-sluice", dest="sluice", action="store_false", help="Not, whatever the ini-file says.")
    parser.addini("sluice", "Run each test on a permit of the sluice daemon: true or false (default).",
                  type="bool", default=False)
    parser.addini("sluice_restart", "Restart a worker of pytest-xdist that holds this much more memory between "
                  "tests than before its first one, such as 256MiB (default); 0: never.", default="256MiB")


def is_asked_for(config: pytest.Config) -> bool:
    option = config.getoption("sluice")
    return bool(config.getini("sluice") if option is None else option)


def bytes_of(text: str) -> int:
    parts = re.fullmatch(r"\s*(\d+)\s*([KMG]iB|B|)\s*", text)
    if not parts:
        raise pytest.UsageError(f"sluice_restart: {text!r} is no size such as 256MiB or 0")
    return int(parts[1]) * _UNITS[parts[2]]


def _project(config: pytest.Config) -> str:
    # Not the whole path: CI checks out the same project into other folders.
    return config.rootpath.name


@_hook(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Optional[int]:
    """As many workers as tests of this project fit now; xdist's own number without a daemon."""
    if not is_asked_for(config) or os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None
    from urllib.parse import quote
    try:
        with Client() as client:
            answer = client.ask("GET", f"/v1/fit?program={quote(program_of(_project(config)), safe='')}")
        return max(1, int(answer["jobs"]))
    except (SluiceError, KeyError, TypeError, ValueError):
        return None  # The summary says why tests run without permits.


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sluice(memory, cost, queue, priority, locks, resources): what the test "
                            "needs, as arguments of sluice.permit.")
    if not is_asked_for(config):
        return
    restart = bytes_of(str(config.getini("sluice_restart")))
    config.pluginmanager.register(Summary(restart), "sluice-summary")
    config.pluginmanager.register(Gate(config, restart), "sluice-gate")


class Gate:
    """In the process that runs tests: a worker of xdist's, or the only one."""

    def __init__(self, config: pytest.Config, restart: int) -> None:
        self._client = Client()
        self._project = _project(config)
        self._is_worker = hasattr(config, "workerinput")
        self._wrong_markers: Dict[pytest.Item, str] = {}
        worker: Dict[str, Any] = getattr(config, "workerinput", {})
        self._restart = restart if worker.get("sluice_may_restart") else 0
        self._first_level: Optional[int] = None
        self._is_leaving = False
        self._permit: Optional[TestPermit] = None
        self._outcome = "cancelled"

    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        for item in items:
            try:
                self._body(item)
            except (TypeError, ValueError) as error:
                if not self._is_worker:
                    raise pytest.UsageError(f"{item.nodeid}: {error}") from error
                # xdist would report an internal error without these words.
                self._wrong_markers[item] = str(error)

    @_hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, None]:
        if self._level_stays_high():
            self._is_leaving = True
            item.ihook.pytest_runtest_logreport(report=pytest.TestReport(
                item.nodeid, item.location, {}, _RESTARTED, None, "setup"))  # type: ignore[arg-type]
            pytest.exit("this worker holds too much memory")
        if item in self._wrong_markers:
            yield
            return
        self._permit, self._outcome = TestPermit(), "cancelled"
        self._permit.take(self._client, self._body(item), self._first_level or 0)
        try:
            yield
        finally:
            self._permit.give_back(self._client, self._outcome)
            self._permit = None

    @_hook(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item in self._wrong_markers:
            pytest.fail(self._wrong_markers[item], pytrace=False)

    @_hook(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, None]:
        result = yield
        report = result.get_result()
        if report.failed:
            self._outcome = "failed"
        elif report.when == "teardown" and self._outcome == "cancelled":
            self._outcome = "ok"
        if report.when == "setup" and self._permit is not None:
            report.sluice = {"governed": self._permit.is_governed, "waited": self._permit.waited,
                             "reason": self._permit.reason}

    @_hook(hookwrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, Any, None]:
        yield
        self._client.close()
        if self._is_leaving:
            # After fixtures are torn down, and before xdist's worker says that it has run all its tests.
            os._exit(0)

    def _body(self, item: pytest.Item) -> Dict[str, Any]:
        marker = item.get_closest_marker("sluice")
        if marker and marker.args:
            raise TypeError("the marker sluice takes keywords alone, such as memory=\"2GiB\"")
        return body_of(self._project, item.nodeid, marker.kwargs if marker else {})

    def _level_stays_high(self) -> bool:
        level = _memory.resident()
        if self._first_level is None:
            self._first_level = level
        if not self._restart or level - self._first_level < self._restart:
            return False
        _memory.give_back()
        return _memory.resident() - self._first_level >= self._restart


class Summary:
    """In the process that reports: what tests waited for, or why they did not."""

    def __init__(self, restart: int) -> None:
        self._restart = restart
        self._nodes = 0
        self._leaving: Set[Tuple[object, str]] = set()
        self._restarts = 0
        self._governed = 0
        self._waited = 0.0
        self._alone = 0
        self._reasons: List[str] = []

    @_hook(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """xdist replaces at most four times as many workers as there are; half of them are for crashes."""
        self._nodes += 1
        first = len(node.config.option.tx)
        given: Optional[str] = node.config.getoption("maxworkerrestart")
        most = 4 * first if given is None else int(given)
        is_load = node.config.getoption("dist") == "load"
        node.workerinput["sluice_may_restart"] = bool(self._restart and is_load and self._nodes <= most // 2)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == _RESTARTED and report.when == "setup":
            self._leaving.add((getattr(report, "node", None), report.nodeid))
        told: Optional[Dict[str, Any]] = getattr(report, "sluice", None)
        if not told:
            return
        if told["governed"]:
            self._governed += 1
            self._waited += told["waited"]
            return
        self._alone += 1
        if told["reason"] not in self._reasons:
            self._reasons.append(told["reason"])

    @_hook(optionalhook=True, tryfirst=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> Optional[bool]:
        """The test at which a worker left runs in the one that replaces it."""
        if (report.node, crashitem) not in self._leaving:
            return None
        self._leaving.discard((report.node, crashitem))
        self._restarts += 1
        sched.mark_test_pending(crashitem)
        report.outcome = _RESTARTED
        return True

    @_hook(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> Optional[Tuple[str, str, str]]:
        return ("", "", "") if report.outcome == _RESTARTED else None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._governed:
            restarts = f", {self._restarts} workers restarted for their memory" if self._restarts else ""
            terminalreporter.write_line(f"sluice: {self._governed} tests on permits, waited {self._waited:.1f} s "
                                        f"in all{restarts}")
        if self._alone:
            terminalreporter.write_line(f"sluice: {self._alone} tests without a permit: {'; '.join(self._reasons)}")
