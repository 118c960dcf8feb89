#!/usr/bin/env python3
"""Runs a command beside a private daemon of its own, which serves nobody else and ends with it.

served.py SLUICE STATE_FOLDER COMMAND [ARGUMENT...]   the exit status is the command's

SERVED_CONFIG names a configuration for the daemon.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

START_S = 20.0


def wait_for(socket, daemon):
    deadline = time.monotonic() + START_S
    while not socket.exists():
        if daemon.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the daemon does not serve {socket}; status {daemon.poll()}")
        time.sleep(0.01)


def main(words):
    sluice, state, *command = words
    with tempfile.TemporaryDirectory(prefix="sluice-served-") as folder:
        socket = pathlib.Path(folder, "sluice.sock")
        serve = [sluice, "serve", "--private", "--socket", str(socket), "--state-dir", state]
        if configuration := os.environ.get("SERVED_CONFIG"):
            serve += ["--config", configuration]
        daemon = subprocess.Popen(serve)
        try:
            wait_for(socket, daemon)
            environment = dict(os.environ, SLUICE_SOCKET=str(socket), XDG_RUNTIME_DIR=folder)
            return subprocess.run(command, env=environment, check=False).returncode
        finally:
            # An orderly end: it writes what it has learned.
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
