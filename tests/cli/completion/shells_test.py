"""Completion in bash, zsh and fish themselves, with the scripts where `cmake --install` puts them, and
a real daemon."""
import http.client
import json
import os
import pty
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

COMMAND = Path(os.environ["SLUICE_COMMAND"])
BUILD = os.environ["SLUICE_BUILD"]

CONFIG = """\
window: {law: rfc, initial: 20, minimum: 20, maximum: 20}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
          pids: off, starting: off, disk: off}
queues: {default: {}, nightly: {}}
resources: {db: {kind: quantity, total: 4}}
service: {listen: off}
"""

# An id that a shell would execute, and one with all that readline breaks words at. Keys may have blanks.
HOSTILE = "x$(touch${IFS}hacked)`touch${IFS}hacked`;\"'\\&"
HOSTILE_KEY = "k $(touch hacked) *"
BROKEN = "g++:t#_a.cpp=3"
IDS = ["build-4711", HOSTILE, BROKEN]


def ask(place, method, target, body=None):
    connection = http.client.HTTPConnection("sluice")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(place))
    connection.request(method, target, json.dumps(body) if body else None,
                       {"Content-Type": "application/json"} if body else {})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    assert answer.status < 300, text


class Terminal:
    """An interactive shell in which `show N WORDS...` stores its words, and a key inserts all that
    completion offers."""

    def __init__(self, words, folder, environment, settings, insert_all):
        self.folder, self.insert_all, self.calls, self.output = Path(folder), insert_all, 0, b""
        child, self.master = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        self.child = child
        self.send(settings + "\nshow() { printf '%s\\0' \"${@:2}\" >../part; mv ../part ../words.$1; }\nshow 0\n")
        self.wait_for(0)

    def send(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, call):
        file = self.folder.parent / f"words.{call}"
        os.set_blocking(self.master, False)
        until = time.monotonic() + 60
        while not file.exists():
            try:
                self.output += os.read(self.master, 4096)
            except BlockingIOError:
                time.sleep(0.01)
            assert time.monotonic() < until, self.output.decode(errors="replace")
        os.set_blocking(self.master, True)
        return [word.decode() for word in file.read_bytes().split(b"\0")[:-1]]

    def complete(self, line):
        """The words of the line with the last one completed in every way."""
        self.calls += 1
        self.send(f"{line}{self.insert_all}\x01show {self.calls} \n")
        return self.wait_for(self.calls)

    def close(self):
        os.close(self.master)
        os.waitpid(self.child, 0)


class Shell:
    """What every shell must offer; `offered(line)` is the set of words that may stand at the end of a
    line."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="sluice-complete-")))
        self.socket = self.folder / "run/sluice.sock"
        (self.folder / "run").mkdir(0o700)
        (self.folder / "here").mkdir()
        subprocess.run(["cmake", "--install", BUILD, "--component", "completions", "--prefix",
                        self.folder / "usr"], check=True, stdout=subprocess.DEVNULL, timeout=60)
        self.share = self.folder / "usr/share"
        keep = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS") if name in os.environ}
        self.environment = {
            **keep, "PATH": f"{COMMAND.parent}:/usr/bin:/bin", "HOME": str(self.folder), "TERM": "dumb",
            "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_DATA_DIRS": f"{self.share}:/usr/share", "SLUICE_SOCKET": str(self.socket)}

    def enterContext(self, context):  # Of unittest since Python 3.11.
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def start_daemon(self):
        config = self.folder / "sluice.yaml"
        config.write_text(CONFIG)
        daemon = subprocess.Popen([COMMAND, "serve", "--config", config, "--socket", self.socket],
                                  stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(daemon.stderr.close)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        self.assertTrue(any("serves on" in line for line in daemon.stderr))
        ask(self.socket, "POST", "/v1/pause")
        for number, name in enumerate(IDS):
            key = HOSTILE_KEY if name == HOSTILE else f"key-{number}"
            ask(self.socket, "POST", "/v1/jobs", {"id": name, "key": key, "heartbeat": "1h"})

    def test_offers_subcommands_options_and_their_words(self):
        self.assertEqual(self.offered("sluice exp"), {"explain"})
        self.assertEqual(self.offered("sluice config "), {"check", "show", "reference"})
        self.assertLessEqual({"--queue", "--on-failure"}, self.offered("sluice run --"))
        self.assertEqual(self.offered("sluice run --on-failure "), {"cancel", "run", "hold"})
        self.assertEqual(self.offered("sluice run --on-failure=ca"), {"--on-failure=cancel"})
        self.assertEqual(self.offered("sluice autoscale --rules "), {"window", "starcluster"})
        self.assertEqual(self.offered("sluice-autoscale --plot-as s"), {"svg"})

    def test_offers_keys_of_the_configuration(self):
        keys = self.offered("sluice config reference window.")
        self.assertLessEqual({"window.initial", "window.maximum"}, keys)
        self.assertTrue(all(key.startswith("window.") for key in keys), keys)

    def test_offers_files_and_folders(self):
        (self.folder / "here/sluice one.yaml").touch()
        (self.folder / "here/folder").mkdir()
        self.assertEqual({word.rstrip("/") for word in self.offered("sluice config check ")},
                         {"sluice one.yaml", "folder"})
        self.assertEqual({word.rstrip("/") for word in self.offered("sluice history --state-dir ")}, {"folder"})
        self.assertEqual(self.offered("sluice status --every "), set())

    def test_offers_the_words_of_a_command_that_it_runs(self):
        (self.folder / "here/file").touch()
        self.assertIn("sha256sum", self.offered("sluice run --key k -- sha256su"))
        self.assertEqual(self.offered("sluice run -- cat fi"), {"file"})
        self.assertIn("sha256sum", self.offered("sluice-launch sha256su"))

    def test_offers_ids_and_queues_of_the_daemon(self):
        self.start_daemon()
        self.assertEqual(self.offered("sluice explain "), set(IDS))
        self.assertEqual(self.offered("sluice explain g++:t"), {BROKEN})
        self.assertEqual(self.offered("sluice run --after=g++:t#_a.cpp="), {f"--after={BROKEN}"})
        self.assertLessEqual({"before:build-4711", f"after:{BROKEN}", "front"},
                             self.offered("sluice set 1 --position "))
        self.assertEqual(self.offered("sluice run --queue "), {"default", "nightly"})
        self.assertEqual(self.offered("sluice pause --queue=ni"), {"--queue=nightly"})
        self.assertEqual(self.offered("sluice run --key "), {"key-0", HOSTILE_KEY, "key-2"})
        self.assertEqual(self.offered("sluice run --resource d"), {"db="})
        self.assertEqual(list((self.folder / "here").glob("hacked*")), [])

    def test_offers_nothing_without_a_daemon_and_starts_none(self):
        self.assertEqual(self.offered("sluice explain "), set())
        self.assertEqual(self.offered("sluice run --queue "), set())
        self.assertEqual(list((self.folder / "run").iterdir()), [])

    def offered(self, line):
        before = re.split(r"(?<=\s)", line)[:-1]
        words = self.terminal().complete(line)
        typed = line[len("".join(before)):]
        offered = words[len(before):]
        return set() if offered == ([typed] if typed else []) else set(offered)

    def terminal(self):
        if not hasattr(self, "opened"):
            self.opened = Terminal(self.words, self.folder / "here", self.environment,
                                   self.settings.format(share=self.share), self.insert_all)
            self.addCleanup(self.opened.close)
        return self.opened


@unittest.skipUnless(shutil.which("bash"), "bash is not there")
class Bash(Shell, unittest.TestCase):
    words = ["bash", "--noprofile", "--norc", "-i"]
    settings = "source /usr/share/bash-completion/bash_completion"
    insert_all = "\x1b*"


class BashAlone(Bash):
    """Without the package bash-completion."""
    settings = "source <(sluice completion bash)"


@unittest.skipUnless(shutil.which("zsh"), "zsh is not there")
class Zsh(Shell, unittest.TestCase):
    words = ["zsh", "-f", "-i"]
    settings = """\
fpath=({share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; unsetopt zle_bracketed_paste; bindkey -e
zle -C all-matches complete-word _generic; bindkey '^Xa' all-matches
zstyle ':completion:all-matches::::' completer _all_matches _complete; zstyle ':completion:all-matches:*' insert true"""
    insert_all = "\x18a"


@unittest.skipUnless(shutil.which("fish"), "fish is not there")
class Fish(Shell, unittest.TestCase):
    def offered(self, line):
        done = subprocess.run(["fish", "-c", "complete -C $argv[1]", line], capture_output=True, text=True,
                              env=self.environment, cwd=self.folder / "here", timeout=60)
        self.assertEqual(done.stderr, "")
        return {each.split("\t")[0] for each in done.stdout.splitlines()}

    def test_passes_over_the_options_of_sluice_launch(self):
        (self.folder / "here/file").touch()
        self.assertIn("sha256sum", self.offered("sluice-launch --retry-killed sha256su"))
        self.assertEqual(self.offered("sluice-launch --retry-killed cat fi"), {"file"})
        self.assertLess(1, len(self.offered("sluice-launch --retry-killed ")))
        self.assertEqual(self.offered("sluice-launch --retry"), set())


class HiddenCall(unittest.TestCase):
    def call(self, *words):
        started = time.monotonic()
        done = subprocess.run([COMMAND, "__complete", *words], capture_output=True, text=True, timeout=60)
        return done.stdout, done.stderr, done.returncode, time.monotonic() - started

    def test_gives_up_soon_on_a_daemon_that_does_not_answer(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as silent:
            silent.bind(f"{folder}/s")
            silent.listen()
            output, problems, status, took = self.call("explain", "--socket", f"{folder}/s", "")
        self.assertEqual((output, problems, status), ("words\n", "", 0))
        # Half a second, and what a busy machine adds; others of its calls wait ten.
        self.assertLess(took, 8)

    def test_of_no_words_is_no_error(self):
        self.assertEqual(self.call()[:3], ("words\n", "", 0))
        self.assertEqual(self.call("autoscale", "--rul")[0].split("\t")[0], "words\n--rules")

    def test_prints_the_installed_scripts(self):
        source = Path(__file__).resolve().parents[3] / "cli/completion"
        for shell in ("bash", "zsh", "fish"):
            done = subprocess.run([COMMAND, "completion", shell], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, (source / f"sluice.{shell}").read_text())


if __name__ == "__main__":
    unittest.main()
