#!/usr/bin/env python3
"""Presses Ctrl-C on a terminal while `sluice build` asks its daemon, before its command starts.

  interrupted_start.py SLUICE    in an empty folder

The daemon is a fake one, which gives its last answer once the signal has come. Exits with 1 where the
command runs all the same, or something else than the signal ends `sluice build`.
"""

import os
import pathlib
import pty
import signal
import socket
import sys
import time

PATIENCE = 60
REPLY = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"


def next_request(listener):
    connection = listener.accept()[0]
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(4096)
        if not part:
            sys.exit(f"sluice build asks nothing: {text}")
        text += part
    return connection


def wait_for_pending(process, number):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in ("SigPnd", "ShdPnd") and int(value, 16) >> (number - 1) & 1:
                return
        time.sleep(0.01)
    sys.exit("the signal did not come")


def main():
    signal.alarm(2 * PATIENCE)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("fake.sock")
    listener.listen(9)
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.argv[1], [sys.argv[1], "build", "--socket", "fake.sock", "--", "touch", "ran"])
    first = next_request(listener)
    first.sendall(REPLY)
    second = next_request(listener)
    os.write(terminal, b"\x03")
    wait_for_pending(process, signal.SIGINT)
    second.sendall(REPLY)
    status = os.waitpid(process, 0)[1]
    if os.path.exists("ran"):
        sys.exit("the command ran")
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        sys.exit(f"it ended with {status}")


if __name__ == "__main__":
    main()
