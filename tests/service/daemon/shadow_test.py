"""A real daemon with `--shadow`: what the other configuration would do is told, and not done."""
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["SLUICE_COMMAND"]
SENSORS = """
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,
          cgroup: off, disk: off, pids: off, starting: off}
"""


def window(size, more=""):
    return f"window: {{law: rfc, initial: {size}, minimum: {size}, maximum: {size}}}\n{SENSORS}{more}"


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("sluice", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


def eventually(what):
    """What it returns once that is true; its last answer after half a minute."""
    until = time.monotonic() + 30
    while not (answer := what()) and time.monotonic() < until:
        time.sleep(0.02)
    return answer


class Shadow(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-shadow-")
        self.addCleanup(self.folder.cleanup)
        self.home = pathlib.Path(self.folder.name)
        self.socket = str(self.home / "socket")
        self.process = None

    def command(self):
        return [COMMAND, "serve", "--config", self.home / "now.yaml", "--shadow", self.home / "next.yaml",
                "--socket", self.socket, "--listen", "off"]

    def serve(self, now, following):
        (self.home / "now.yaml").write_text(now)
        (self.home / "next.yaml").write_text(following)
        self.log = open(self.home / "log", "w+", encoding="utf-8")
        self.addCleanup(self.log.close)
        self.process = subprocess.Popen(self.command(), stderr=self.log)
        self.addCleanup(self.end)
        self.assertTrue(eventually(lambda: os.path.exists(self.socket) and self.status()))

    def end(self):
        self.process.kill()
        self.process.wait()

    def ask(self, method, path, body=None):
        connection = Connection(self.socket)
        try:
            connection.request(method, path, body=json.dumps(body) if body else None)
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def status(self):
        try:
            return json.loads(self.ask("GET", "/v1/status")[1])
        except OSError:
            return None

    def shadow(self):
        return self.status()["shadow"]

    def submit(self, name, **more):
        status, body = self.ask("POST", "/v1/jobs", {"id": name, "cost": 10, **more})
        self.assertIn(status, (201, 202), body)

    def states(self):
        jobs = json.loads(self.ask("GET", "/v1/jobs")[1])["jobs"]
        return {job["id"]: job["state"] for job in jobs}

    def metric(self, name):
        page = self.ask("GET", "/metrics")[1]
        return [float(line.split()[1]) for line in page.splitlines() if line.startswith(name + " ")]

    def test_a_larger_window_would_start_waiting_jobs_and_none_starts(self):
        self.serve(window(20), window(40))
        for name in "abcde":
            self.submit(name)
        self.assertTrue(eventually(lambda: self.shadow()["would_start"] == ["c", "d"]), self.status())
        shadow = self.shadow()
        self.assertEqual((shadow["size"], shadow["usage"], shadow["held"]), (40, 20, 0))
        self.assertIn("would start 2 waiting jobs now, the first c", shadow["sentence"])
        self.assertEqual(self.metric("sluice_shadow_would_start_jobs"), [2])
        self.assertEqual(self.metric("sluice_shadow_window_points"), [40])
        self.assertEqual(self.states(), dict(zip("abcde", ["running"] * 2 + ["pending"] * 3)))
        self.assertEqual(self.status()["window"]["size"], 20)
        shown = subprocess.run([COMMAND, "status", "--socket", self.socket], capture_output=True, text=True,
                               timeout=60)
        self.assertIn("shadow   window 40 points (rfc), would start 2", shown.stdout)

    def test_a_smaller_window_would_have_let_jobs_wait_that_run(self):
        self.serve(window(40), window(20))
        self.assertTrue(eventually(lambda: self.shadow()["size"] == 20))
        for name in "abcd":
            self.submit(name)
        self.assertTrue(eventually(lambda: self.shadow()["began"] == 4), self.status())
        shadow = self.shadow()
        self.assertEqual((shadow["held"], shadow["last_held"], shadow["usage"]), (2, "d", 40))
        self.assertEqual(self.metric("sluice_shadow_held_jobs_total"), [2])
        self.assertEqual(set(self.states().values()), {"running"})

    def test_an_ended_job_makes_room_in_it(self):
        self.serve(window(20), window(20))
        for name in "abc":
            self.submit(name)
        self.assertTrue(eventually(lambda: self.shadow()["usage"] == 20), self.status())
        self.ask("DELETE", "/v1/jobs/a")
        self.assertTrue(eventually(lambda: self.states().get("c") == "running"))
        self.ask("DELETE", "/v1/jobs/b")
        self.assertTrue(eventually(lambda: self.shadow()["usage"] == 10), self.status())
        self.assertEqual(self.shadow()["would_start"], [])

    def test_a_broken_file_is_refused_with_its_field(self):
        (self.home / "now.yaml").write_text(window(20))
        (self.home / "next.yaml").write_text("window:\n  initail: 5\n")
        done = subprocess.run(self.command(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"next\.yaml:2:3: .*initail")

    def test_a_reload_reads_it_again_and_a_broken_one_changes_nothing(self):
        self.serve(window(20), window(40))
        (self.home / "next.yaml").write_text("window:\n  initail: 5\n")
        (self.home / "now.yaml").write_text(window(30))
        status, body = self.ask("POST", "/v1/reload")
        self.assertEqual(status, 422, body)
        self.assertIn("initail", body)
        self.assertTrue(eventually(lambda: self.shadow()["size"] == 40))
        self.assertEqual(self.status()["window"]["size"], 20)
        self.assertIn("the old configuration stays in force", (self.home / "log").read_text())
        (self.home / "next.yaml").write_text(window(50))
        self.process.send_signal(signal.SIGHUP)
        self.assertTrue(eventually(lambda: self.shadow()["size"] == 50), self.status())
        self.assertEqual(self.status()["window"]["size"], 30)

    def test_what_it_cannot_compare_is_said(self):
        self.serve(window(20, "queues: {default: {}, nightly: {}}\n"),
                   window(40, "\n").replace("starting: off}", "starting: off,\n"
                                            "          spool: {kind: command, command: [false]}}"))
        self.submit("a", queue="nightly")
        self.submit("b", queue="nightly")
        self.submit("c", queue="nightly")
        self.assertTrue(eventually(lambda: self.shadow()["would_refuse"] == 1), self.status())
        shadow = self.shadow()
        self.assertIn("queue", shadow["refusal"])
        self.assertTrue(any("queue" in each for each in shadow["differences"]), shadow)
        self.assertTrue(any("spool" in each for each in shadow["differences"]), shadow)

    def test_without_one_there_is_none(self):
        (self.home / "now.yaml").write_text(window(20))
        self.log = open(self.home / "log", "w+", encoding="utf-8")
        self.addCleanup(self.log.close)
        self.process = subprocess.Popen([COMMAND, "serve", "--config", self.home / "now.yaml", "--socket",
                                         self.socket, "--listen", "off"], stderr=self.log)
        self.addCleanup(self.end)
        self.assertTrue(eventually(lambda: os.path.exists(self.socket) and self.status()))
        self.assertIsNone(self.status()["shadow"])
        self.assertEqual(self.metric("sluice_shadow_window_points"), [])


if __name__ == "__main__":
    unittest.main()
