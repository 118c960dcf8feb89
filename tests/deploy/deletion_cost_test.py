"""The helper that says which executors may go first, against a stand-in of the API server with TLS
that checks path, verb, token and body, and stand-ins of executors."""

import contextlib
import http.server
import importlib.util
import io
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = SOURCE / "deploy/kubernetes/components/deletion-cost/deletion_cost.py"
sys.dont_write_bytecode = True

spec = importlib.util.spec_from_file_location("deletion_cost", PROGRAM)
deletion_cost = importlib.util.module_from_spec(spec)
sys.modules["deletion_cost"] = deletion_cost
spec.loader.exec_module(deletion_cost)
Memory = deletion_cost.Memory


def eventually(condition, patience=20):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Decision(unittest.TestCase):
    def test_busy_at_once_and_idle_after_a_while_with_a_write_a_minute_at_most(self):
        table = (
            # cost, jobs, idle since, written, now -> written value, idle since
            (0, 3, None, None, 100, 1000, None),
            (0, 1, 40, None, 100, 1000, None),
            (1000, 3, None, 30, 100, None, None),
            (1000, 0, None, None, 100, None, 100),
            (1000, 0, 90, None, 209, None, 90),
            (1000, 0, 90, None, 210, 0, 90),
            (0, 0, 90, None, 500, None, 90),
            (0, 2, None, 41, 100, None, None),
            (0, 2, None, 40, 100, 1000, None),
            (1000, None, 90, None, 500, None, None),
            (0, None, None, None, 500, None, None),
            (7, 0, 0, None, 500, 0, 0),
        )
        for cost, jobs, since, written, now, expected, remembered in table:
            row = (cost, jobs, since, written, now)
            value, memory = deletion_cost.decide(cost, jobs, Memory(since, written), now, 120, 60)
            self.assertEqual(value, expected, row)
            self.assertEqual(memory.idle_since, remembered, row)
            self.assertEqual(memory.written, written if expected is None else now, row)

    def test_only_pods_that_run_and_stay_are_asked(self):
        def item(**changes):
            pod = {"metadata": {"name": "a", "uid": "u"}, "status": {"phase": "Running",
                                                                  "podIP": "10.0.0.1"},
                   "spec": {"containers": [{"name": "executor"}], "initContainers": [
                       {"ports": [{"name": "metrics", "containerPort": 9797}]}]}}
            for path, value in changes.items():
                place, key = path.split("__")
                pod[place][key] = value
            return pod
        found = deletion_cost.pod_of(item())
        self.assertEqual((found.address, found.port, found.cost), ("10.0.0.1", 9797, 0))
        for change in ({"metadata__deletionTimestamp": "now"}, {"status__phase": "Pending"},
                       {"status__podIP": ""}, {"spec__initContainers": []}):
            self.assertIsNone(deletion_cost.pod_of(item(**change)), change)
        for text, cost in (("1000", 1000), ("-5", -5), ("much", 0)):
            marked = item(metadata__annotations={deletion_cost.ANNOTATION: text})
            self.assertEqual(deletion_cost.pod_of(marked).cost, cost)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """Who is ended in the middle of a question is no error of this test."""


class Executor:
    """Answers /v1/status as a daemon does."""

    def __init__(self):
        self.running = self.pending = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                jobs = {"running": outer.running, "pending": outer.pending}
                body = json.dumps({"jobs": jobs}).encode()
                self.send_response(200 if self.path == "/v1/status" else 404)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Garbage(unittest.TestCase):
    def test_whatever_an_executor_says_it_is_an_answer_or_none(self):
        good = b"HTTP/1.0 200 OK\r\n\r\n"
        answers = (b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
                   good + b'{"jobs": {"running": 1e999, "pending": 0}}', good + b"[" * 200_000,
                   good + b'{"jobs": [1]}', good + b"\xff\xfe", good + b"x" * (9 << 20))
        for answer in answers:
            with socket.create_server(("127.0.0.1", 0)) as server:
                def serve():
                    connection, _ = server.accept()
                    with connection, contextlib.suppress(OSError):
                        connection.recv(65536)
                        connection.sendall(answer)
                thread = threading.Thread(target=serve)
                thread.start()
                pod = deletion_cost.Pod("a", "u", "127.0.0.1", server.getsockname()[1], 7)
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    self.assertIsNone(deletion_cost.jobs_of(pod), answer[:60])
                self.assertIn("its cost stays 7", said.getvalue())
                thread.join()


class ApiServer:
    """A stand-in that refuses what the real one would."""

    def __init__(self, folder, executors):
        self.costs = {name: None for name in executors}
        self.writes, self.refused, self.lists = [], [], 0
        self.token, self.broken = "secret-1", False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                outer.lists += 1
                pods = "/api/v1/namespaces/ci/pods?labelSelector=app.kubernetes.io/name%3Dexecutor"
                ok = self.path == pods and self.known()
                items = [outer.item(name, executor) for name, executor in executors.items()]
                self.answer(ok, {"items": items})

            def do_PATCH(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                name = self.path.rpartition("/")[2]
                metadata = body.get("metadata", {})
                ok = (self.known() and name in outer.costs
                      and self.path == f"/api/v1/namespaces/ci/pods/{name}"
                      and self.headers["Content-Type"] == "application/merge-patch+json"
                      and list(body) == ["metadata"] and sorted(metadata) == ["annotations", "uid"]
                      and metadata["uid"] == f"uid-{name}"
                      and list(metadata["annotations"]) == [deletion_cost.ANNOTATION])
                if ok:
                    outer.costs[name] = metadata["annotations"][deletion_cost.ANNOTATION]
                    outer.writes.append((name, outer.costs[name]))
                self.answer(ok, {})

            def known(self):
                return (self.headers["Authorization"] == f"Bearer {outer.token}"
                        and not outer.broken)

            def answer(self, ok, body):
                if not ok:
                    outer.refused.append(f"{self.command} {self.path}")
                data = json.dumps(body).encode()
                self.send_response(200 if ok else 500 if outer.broken else 403)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.crt", folder / "server.key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def item(self, name, executor):
        annotations = {} if self.costs[name] is None else {
            deletion_cost.ANNOTATION: self.costs[name]}
        return {"metadata": {"name": name, "uid": f"uid-{name}", "annotations": annotations},
                "status": {"phase": "Running", "podIP": "127.0.0.1"},
                "spec": {"containers": [{"name": "executor"}], "initContainers": [
                    {"name": "sluice",
                     "ports": [{"name": "metrics", "containerPort": executor.port}]}]}}

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=kubernetes", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", folder / "server.key", "-out",
         folder / "server.crt"], check=True, capture_output=True)


@unittest.skipUnless(shutil.which("openssl"), "SKIPPED: no openssl to make a certificate with")
class Cluster(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        certificate(self.folder)
        shutil.copy(self.folder / "server.crt", self.folder / "ca.crt")
        (self.folder / "namespace").write_text("ci")
        (self.folder / "token").write_text("secret-1\n")
        self.executors = {name: Executor() for name in ("one", "two")}
        for executor in self.executors.values():
            self.stack.callback(executor.close)
        self.api = ApiServer(self.folder, self.executors)
        self.stack.callback(self.api.close)

    def start(self, every="0.1", idle_after="0.5"):
        self.log = open(self.folder / "log", "w+", encoding="utf-8")
        self.stack.callback(self.log.close)
        environment = {**os.environ, "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                       "KUBERNETES_SERVICE_PORT": str(self.api.port),
                       "https_proxy": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"}
        process = subprocess.Popen(
            [sys.executable, "-B", PROGRAM, "--account", self.folder, "--every", every,
             "--idle-after", idle_after], env=environment, stderr=self.log)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def logged(self, part):
        return part in (self.folder / "log").read_text(encoding="utf-8")

    def test_costs_follow_what_runs_and_are_written_on_a_change_only(self):
        self.executors["one"].running = 2
        process = self.start()
        self.assertTrue(eventually(lambda: self.api.costs["one"] == "1000"))
        looks = self.api.lists
        self.assertTrue(eventually(lambda: self.api.lists > looks + 5))
        self.assertEqual(self.api.writes, [("one", "1000")])
        self.executors["one"].running, self.executors["one"].pending = 0, 1
        self.executors["two"].running = 1
        self.assertTrue(eventually(lambda: self.api.costs["two"] == "1000"))
        self.executors["one"].pending = 0
        self.assertTrue(eventually(lambda: self.api.costs["one"] == "0"))
        self.assertEqual(self.api.writes, [("one", "1000"), ("two", "1000"), ("one", "0")])
        self.assertEqual(self.api.refused, [])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(10), 0)

    def test_an_executor_that_does_not_answer_keeps_its_cost(self):
        self.executors["one"].running = 1
        self.start(idle_after="0")
        self.assertTrue(eventually(lambda: self.api.costs["one"] == "1000"))
        self.executors["one"].close()
        self.assertTrue(eventually(lambda: self.logged("one does not answer")))
        looks = self.api.lists
        self.assertTrue(eventually(lambda: self.api.lists > looks + 3))
        self.assertEqual(self.api.costs["one"], "1000")

    def test_a_server_that_fails_changes_nothing_and_is_asked_again(self):
        self.executors["one"].running = 1
        self.api.broken = True
        self.start()
        self.assertTrue(eventually(lambda: self.logged("pods could not be listed")))
        self.assertEqual(self.api.writes, [])
        self.api.broken = False
        self.assertTrue(eventually(lambda: self.api.costs["one"] == "1000"))

    def test_the_token_is_read_anew_when_it_was_renewed(self):
        process = self.start()
        self.assertTrue(eventually(lambda: self.api.lists > 0))
        self.api.token = "secret-2"
        (self.folder / "token").write_text("secret-2")
        self.executors["two"].running = 1
        self.assertTrue(eventually(lambda: self.api.costs["two"] == "1000"))
        self.assertIsNone(process.poll())

    def test_a_server_of_another_authority_gets_no_token(self):
        certificate(self.folder)
        shutil.copy(self.folder / "server.crt", self.folder / "ca.crt")
        self.start()
        self.assertTrue(eventually(lambda: self.logged("CERTIFICATE_VERIFY_FAILED")))
        self.assertEqual(self.api.lists, 0)


if __name__ == "__main__":
    unittest.main()
