#!/usr/bin/env python3
"""Presses Ctrl-C on a terminal while `sluice build` or `sluice jobserver` asks its daemon, before its
command starts.

  interrupted_start.py SLUICE build|jobserver    in an empty folder

The daemon is a fake one. It gives `sluice build` its last answer once the signal has come, and `sluice
jobserver` none. Exits with 1 where the command runs all the same, or something else than the signal ends
Sluice.
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
JOB = b'{"number": 1, "state": "running"}'
ADMITTED = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(JOB), JOB)


def wait_for_text(connection, wanted):
    text = b""
    while wanted not in text:
        part = connection.recv(4096)
        if not part:
            sys.exit(f"it asks nothing: {text}")
        text += part


def next_request(listener):
    connection = listener.accept()[0]
    wait_for_text(connection, b"\r\n\r\n")
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


def interrupt_build(listener, process, terminal):
    first = next_request(listener)
    first.sendall(REPLY)
    second = next_request(listener)
    os.write(terminal, b"\x03")
    wait_for_pending(process, signal.SIGINT)
    second.sendall(REPLY)
    return [first, second]


def interrupt_jobserver(listener, terminal):
    connection = next_request(listener)
    connection.sendall(ADMITTED)
    wait_for_text(connection, b"GET /v1/jobservers/1 ")
    os.write(terminal, b"\x03")
    return [connection]


def main():
    sluice, subcommand = sys.argv[1:]
    signal.alarm(2 * PATIENCE)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("fake.sock")
    listener.listen(9)
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sluice, [sluice, subcommand, "--socket", "fake.sock", "--", "touch", "ran"])
    if subcommand == "build":
        connections = interrupt_build(listener, process, terminal)
    else:
        connections = interrupt_jobserver(listener, terminal)
    status = os.waitpid(process, 0)[1]
    for connection in connections:
        connection.close()
    if os.path.exists("ran"):
        sys.exit("the command ran")
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        sys.exit(f"it ended with {status}")


if __name__ == "__main__":
    main()
