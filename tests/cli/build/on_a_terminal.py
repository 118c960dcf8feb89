#!/usr/bin/env python3
"""Runs a command line in an interactive shell on a terminal and presses Ctrl-Z, `fg` and Ctrl-C.

  on_a_terminal.py HELD LINE    in the folder to build in

Waits until HELD processes of ./cc1 stand still, then after each key for what must follow. Exits with 1
and the terminal's text where it does not.
"""

import os
import pathlib
import pty
import select
import sys
import time

PATIENCE = 60


class Terminal:
    def __init__(self):
        pid, self.descriptor = pty.fork()
        if pid == 0:
            os.environ["PS1"] = "$ "
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.text = ""

    def read(self):
        while select.select([self.descriptor], [], [], 0.05)[0]:
            try:
                self.text += os.read(self.descriptor, 65536).decode(errors="replace")
            except OSError:
                return

    def press(self, keys):
        os.write(self.descriptor, keys.encode())

    def expect(self, what, holds):
        until = time.monotonic() + PATIENCE
        while not holds():
            self.read()
            if time.monotonic() > until:
                sys.exit(f"not seen in {PATIENCE} s: {what}\n{self.text}")


def states(program):
    """The states of the processes of this folder whose command has the program as a word."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            here = os.readlink(folder / "cwd") == os.getcwd()
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if here and program.encode() in words and state not in "ZX":
            found.append(state)
    return found


def held():
    return sum(1 for state in states("./cc1") if state in "tT")


def ended():
    log = pathlib.Path("log")
    return log.read_text().count("end") if log.exists() else 0


def main():
    wanted, line = int(sys.argv[1]), sys.argv[2]
    terminal = Terminal()
    terminal.press(line + "\n")
    terminal.expect(f"{wanted} held", lambda: held() >= wanted)
    terminal.press("\x1a")
    terminal.expect("the shell's word that the job has stopped", lambda: "Stopped" in terminal.text)
    terminal.expect("make stopped", lambda: set(states("make")) == {"T"})
    if held() < wanted:
        sys.exit(f"after Ctrl-Z only {held()} of {wanted} are held\n{terminal.text}")
    before = ended()
    terminal.press("fg\n")
    terminal.expect("two more jobs done after fg", lambda: ended() >= before + 2)
    terminal.press("\x03")
    terminal.expect("nothing left after Ctrl-C", lambda: not states("./cc1") and not states("make"))
    terminal.press("exit\n")


if __name__ == "__main__":
    main()
