"""Starts a contender in its group, ends it, and ends this program without leaving anything."""

import os
import signal
import subprocess


def clean_environment():
    """Neither an outer make nor an outer Sluice may speak to the contender."""
    dropped = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "SLUICE_SOCKET", "STATE_DIRECTORY")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return dict(kept, LC_ALL="C")


def start(command, folder, group, log, **leads):
    # A session of its own: an interrupt from the terminal is for this program, which then ends all.
    return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                            env=clean_environment(), preexec_fn=group.enter,
                            **(leads or {"start_new_session": True}))


def end(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def resource_cpu():
    """CPU seconds of the children that this program has waited for."""
    times = os.times()
    return times.children_user + times.children_system


def cpu_of(group, before):
    """CPU seconds of the group, else of the children since `before`, a resource_cpu()."""
    counted = group.cpu_seconds()
    return counted if counted is not None else resource_cpu() - before


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_once(*_):
    # A second signal must not interrupt the clean-up that the first one caused.
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def catch_signals():
    for each in SIGNALS:
        signal.signal(each, interrupt_once)
