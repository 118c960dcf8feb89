"""All clients at a daemon of 19c42fc, for which a stand-in gives the answers that were recorded from it. So it
runs no job and keeps no state: what it shows is that the clients send what that daemon knows, and understand
what it says."""
import asyncio
import http.server
import importlib.util
import json
import os
import socketserver
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

from world import COMMAND, LAUNCH, SOURCE, exchanges, route_of

sys.path.insert(0, str(SOURCE / "bindings/python"))
import sluice  # noqa: E402
import sluice.aio  # noqa: E402

NEW = ("parent", "variant", "batch", "batch_waiting", "batch_unfinished")


class OldDaemon(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, place):
        super().__init__(place, Handler)
        self.asked = []  # Each: method, target, body and status.
        self._recorded = exchanges()
        self.fields = {path: {field for each in self._recorded
                              if each["method"] == "POST" and route_of(each["target"]) == path and each["status"] < 300
                              for field in each["body"] or {}}
                       for path in ("/v1/jobs", "/v1/jobservers")}
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def _first(self, method, route, is_meant):
        for each in self._recorded:
            if each["method"] == method and route_of(each["target"]) == route and is_meant(each):
                return each["status"], each["answer"]
        return None

    def answer(self, method, target, body):
        route = route_of(target)
        unknown = sorted(set(body or {}) - self.fields.get(route, set(body or {})))
        if unknown:
            status, answer = (self._first(method, route, lambda each: unknown[0] in (each["body"] or {})) or
                              self._refusal_of(unknown[0]))
        else:
            status, answer = (
                self._first(method, route, lambda each: isinstance(each["answer"], dict) and
                            each["answer"].get("state") == ("cancelled" if method == "DELETE" else "running")) or
                self._first(method, route, lambda each: each["status"] < 300) or
                self._first(method, route, lambda each: True) or
                (404, {"error": {"code": "not_found", "message": "there is no such route", "field": None}}))
        self.asked.append((method, target, body, status))
        return status, answer

    def _refusal_of(self, field):
        """That of `prio` was recorded, which that daemon did not know either: any field gets the like."""
        status, answer = self._first("POST", "/v1/jobs", lambda each: "prio" in (each["body"] or {}))
        return status, json.loads(json.dumps(answer).replace("`prio`", f"`{field}`").replace('"prio"', f'"{field}"'))

    def submits(self):
        return [(body, status) for method, target, body, status in self.asked
                if method == "POST" and route_of(target) == "/v1/jobs"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def respond(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        status, answer = self.server.answer(self.command, self.path, body)
        text = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_DELETE = respond

    def log_message(self, *_):
        pass


class Clients(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-compatibility-")
        self.addCleanup(folder.cleanup)
        self.place = folder.name + "/socket"
        self.daemon = OldDaemon(self.place)
        self.addCleanup(self.daemon.server_close)
        self.addCleanup(self.daemon.shutdown)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLUICE_")}
        self.environment.update(SLUICE_SOCKET=self.place, XDG_RUNTIME_DIR=folder.name, XDG_STATE_HOME=folder.name)
        permit = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("SLUICE_PERMIT")}
        self.addCleanup(os.environ.update, permit)

    def run_command(self, *words):
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def succeed(self, *words):
        status, output, errors = self.run_command(*words)
        self.assertEqual((status, errors), (0, ""), output)
        return output

    def assert_ran_under_permits(self, count):
        """Each refused once, for a field that is newer, and then granted without these."""
        submits = self.daemon.submits()
        granted = [body for body, status in submits if status == 201]
        self.assertEqual(len(granted), count, self.daemon.asked)
        for body in granted:
            self.assertFalse(set(NEW) & set(body), body)
        self.assertEqual([method for method, *_ in self.daemon.asked].count("DELETE"), count, self.daemon.asked)
        return len(submits) - count

    def test_sluice_run(self):
        self.assertEqual(self.succeed(COMMAND, "run", "--", "echo", "x"), "x\n")
        self.assertEqual(self.assert_ran_under_permits(1), 1)

    def test_sluice_run_with_all_that_it_can_ask_for(self):
        self.succeed(COMMAND, "run", "--key", "k", "--queue", "nightly", "--priority", "2", "--cost", "3", "--lock",
                     "node=shared:a", "--resource", "db=1", "--", "true")
        self.assert_ran_under_permits(1)

    def test_sluice_run_passes_on_how_its_command_ends(self):
        self.assertEqual(self.run_command(COMMAND, "run", "--", "sh", "-c", "exit 3")[0], 3)
        self.assert_ran_under_permits(1)

    def test_sluice_run_in_sluice_run(self):
        self.succeed(COMMAND, "run", "--", COMMAND, "run", "--", "true")
        self.assertEqual(self.assert_ran_under_permits(2), 2)

    def test_sluice_batch(self):
        status, output, errors = self.run_command(COMMAND, "batch", "--daemon", "echo {}", ":::", "a", "b")
        self.assertEqual(status, 0, errors)
        self.assertEqual(sorted(output.split()), ["a", "b"])
        self.assert_ran_under_permits(2)

    def test_the_launcher(self):
        self.assertEqual(self.succeed(LAUNCH, "echo", "x"), "x\n")
        self.assertEqual(self.assert_ran_under_permits(1), 1)

    def test_commands_that_ask_and_set(self):
        self.assertIn("window", self.succeed(COMMAND, "status"))
        json.loads(self.succeed(COMMAND, "status", "--json"))
        for words in (["explain", "1"], ["set", "1", "--priority", "3"], ["pause"], ["resume"],
                      ["pause", "--queue", "nightly"]):
            with self.subTest(words):
                self.succeed(COMMAND, *words)

    def test_sluice_nproc_says_that_this_daemon_cannot_say(self):
        status, output, errors = self.run_command(COMMAND, "nproc")
        self.assertEqual((status, output), (2, ""))
        self.assertIn("it is another version", errors)

    def test_sluice_cancel_says_that_this_daemon_is_older(self):
        self.daemon.answer = lambda *_: (400, {"error": {
            "code": "unknown_parameter", "message": "unknown parameter `state`", "field": "state"}})
        status, output, errors = self.run_command(COMMAND, "cancel", "1")
        self.assertEqual((status, output), (2, ""))
        self.assertEqual(errors, f"sluice cancel: the daemon at {self.place} is older than this command and does "
                                 "not know the parameter `state`: restart the daemon with this version of Sluice\n")

    def test_python(self):
        with sluice.Client(self.place) as client, warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                with client.permit(key="lint", memory="1MiB") as permit:
                    self.assertTrue(permit.is_governed)
            self.assertEqual(self.assert_ran_under_permits(3), 1, "one refusal for each connection")
            self.assertEqual(client.run(["echo", "x"], capture_output=True, text=True).stdout, "x\n")
            self.assertIn("window", client.status())
        self.assert_ran_under_permits(4)

    def test_python_with_asyncio(self):
        async def work():
            async with sluice.aio.Client(self.place) as client:
                async with client.permit(key="lint") as permit:
                    self.assertTrue(permit.is_governed)
                await client.run(["true"], check=True)

        asyncio.run(work())
        self.assertEqual(self.assert_ran_under_permits(2), 1)

    def test_hooks_of_runners(self):
        hook = [sys.executable, "-B", str(SOURCE / "integrations/job_permit.py")]
        self.assertIn("runs on a permit", self.succeed(*hook, "take", "job", "key"))
        self.succeed(*hook, "return", "job", "ok")
        self.assertEqual(self.assert_ran_under_permits(1), 0)

    def test_the_sensor_for_zuul(self):
        specification = importlib.util.spec_from_file_location("zuul_sluice", SOURCE / "integrations/zuul/sluice.py")
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        os.environ["SLUICE_SOCKET"] = self.place
        self.addCleanup(os.environ.pop, "SLUICE_SOCKET")
        is_ok, reason = module.SluiceSensor(None, "zuul").isOk()
        self.assertTrue(is_ok, reason)
        self.assertEqual([status for *_, status in self.daemon.asked], [200])

    def test_a_field_that_the_job_cannot_do_without_is_still_refused(self):
        self.daemon.fields["/v1/jobs"].discard("locks")
        self.daemon._recorded.insert(0, {"method": "POST", "target": "/v1/jobs", "body": {"locks": {}}, "status": 400,
                                         "answer": {"error": {"code": "unknown_field", "message": "no locks here",
                                                              "field": "locks"}}})
        status, _, errors = self.run_command(COMMAND, "run", "--lock", "node=shared:a", "--", "true")
        self.assertEqual((status, errors), (2, "sluice run: no locks here\n"))


if __name__ == "__main__":
    unittest.main()
