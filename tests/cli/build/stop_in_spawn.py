#!/usr/bin/env python3
"""Presses Ctrl-Z on a command line while its command stands between vfork() and exec().

  stop_in_spawn.py LINE    as it is to be typed; it is given the command `./spawn`

Then `fg`, and expects the command's last word. Then gives the line another command and presses Ctrl-C. Exits
with 1 and the terminal's text where a step does not follow.
"""

import pathlib
import stat
import sys

from on_a_terminal import Terminal, states

SPAWN = """#!/usr/bin/env python3
import ctypes, os, signal
CLONE_VFORK, SYS_CLONE = 0x4000, {"x86_64": 56, "aarch64": 220}[os.uname().machine]
if ctypes.CDLL(None).syscall(SYS_CLONE, CLONE_VFORK | signal.SIGCHLD, 0, 0, 0, 0) == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os.execlp("sleep", "sleep", "0.1")
os.wait()
print("all " + "done", flush=True)
"""


def main():
    script = pathlib.Path("spawn")
    script.write_text(SPAWN)
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    terminal = Terminal()
    terminal.press(sys.argv[1] + " ./spawn\n")
    terminal.expect("it waits for its exec", lambda: {"D", "T"} <= set(states("./spawn")))
    terminal.press("\x1a")
    terminal.expect("the shell's word that the job has stopped", lambda: "Stopped" in terminal.text)
    terminal.press("fg\n")
    terminal.expect("its last word after fg", lambda: "all done" in terminal.text)
    terminal.press(sys.argv[1] + " sleep 1000\n")
    terminal.expect("a command and what runs it", lambda: len(states("1000")) > 1)
    terminal.press("\x03")
    terminal.expect("nothing left after Ctrl-C", lambda: not states("1000"))
    terminal.press("echo ended by $?\n")
    terminal.expect("the shell's word that SIGINT ended it", lambda: "ended by 130" in terminal.text)
    terminal.press("exit\n")


if __name__ == "__main__":
    main()
