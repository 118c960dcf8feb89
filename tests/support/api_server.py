"""A stand-in for the API server of a Kubernetes cluster: real TLS, one workload and its pods.

    api_server.py FOLDER

In FOLDER it finds `server.crt` and `server.key`, `token` (what it accepts, read for each request),
`state.json` (kind, replicas, pods) and perhaps `mode`: "403 PATCH /scale" answers such requests so,
"hang PATCH /scale" never, "lie PATCH /scale" says 200 and changes nothing. It writes its port to
`port`, and each request to `requests.jsonl`. It carries out what it is told in `state.json`: pods go
as a ReplicaSet takes them (not ready, then the lowest deletion cost) or a StatefulSet (the highest
number).
"""
import http.server
import json
import os
import ssl
import sys
import time
import urllib.parse

FOLDER = sys.argv[1]
COST = "controller.kubernetes.io/pod-deletion-cost"


def path(name):
    return os.path.join(FOLDER, name)


def read(name, otherwise=""):
    try:
        with open(path(name), encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return otherwise


def write(name, text):
    with open(path(name + ".new"), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path(name + ".new"), path(name))


def pod_json(pod):
    labels = {"app": "executor", "pod-template-hash": pod.get("revision", "1")}
    metadata = {"name": pod["name"], "labels": labels, "annotations": pod.get("annotations", {})}
    if pod.get("leaving"):
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    ready = "True" if pod.get("ready", True) else "False"
    status = {"phase": pod.get("phase", "Running"), "conditions": [{"type": "Ready", "status": ready}]}
    if pod.get("address"):
        status["podIP"] = pod["address"]
    return {"metadata": metadata, "status": status}


def order_of_going(kind):
    if kind == "statefulsets":
        return lambda pod: -int(pod["name"].rsplit("-", 1)[1])
    return lambda pod: (pod.get("ready", True), int(pod.get("annotations", {}).get(COST, "0")))


def settle(state):
    staying = [pod for pod in state["pods"] if not pod.get("leaving")]
    staying.sort(key=order_of_going(state["kind"]))
    surplus = len(staying) - state["replicas"]
    gone = [pod["name"] for pod in staying[: max(surplus, 0)]]
    state["pods"] = [pod for pod in state["pods"] if pod["name"] not in gone]
    state["gone"] = state.get("gone", []) + gone


def scale_json(state):
    return {"kind": "Scale", "apiVersion": "autoscaling/v1",
            "metadata": {"name": "executor", "resourceVersion": str(state.get("version", 1))},
            "spec": {"replicas": state["replicas"]} if state["replicas"] else {},
            "status": {"replicas": len(state["pods"]), "selector": "app=executor"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(body), 100):
            part = body[at:at + 100]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def refuse(self, status, message):
        self.answer(status, {"kind": "Status", "status": "Failure", "message": message,
                             "code": status})

    def do_GET(self):
        self.carry_out("")

    def do_PATCH(self):
        self.carry_out(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

    def carry_out(self, body):
        target = urllib.parse.urlsplit(self.path)
        with open(path("requests.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps({"method": self.command, "target": self.path, "body": body,
                                   "type": self.headers.get("Content-Type", ""),
                                   "host": self.headers.get("Host", "")}) + "\n")
        if self.headers.get("Authorization") != "Bearer " + read("token"):
            return self.refuse(401, "Unauthorized")
        state = json.loads(read("state.json"))
        mode = read("mode").split()
        if len(mode) == 3 and mode[1] == self.command and target.path.endswith(mode[2]):
            if mode[0] == "hang":
                time.sleep(60)
            if mode[0] == "lie":
                return self.answer(200, scale_json(state))
            return self.refuse(int(mode[0]), "made to fail")
        workload = "/apis/apps/v1/namespaces/ci/%s/executor/scale" % state["kind"]
        pods = "/api/v1/namespaces/ci/pods"
        if target.path == workload and self.command == "GET":
            return self.answer(200, scale_json(state))
        if target.path == workload:
            return self.change_scale(state, json.loads(body))
        if target.path == pods and self.command == "GET":
            if urllib.parse.parse_qs(target.query) != {"labelSelector": ["app=executor"]}:
                return self.refuse(400, "which pods?")
            return self.answer(200, {"kind": "PodList", "items": [pod_json(p) for p in state["pods"]]})
        for pod in state["pods"]:
            if target.path == pods + "/" + pod["name"] and self.command == "PATCH":
                return self.change_pod(state, pod, json.loads(body))
        return self.refuse(404, "not found")

    def change_scale(self, state, patch):
        if self.headers.get("Content-Type") != "application/merge-patch+json":
            return self.refuse(415, "which kind of patch?")
        if patch["metadata"]["resourceVersion"] != str(state.get("version", 1)):
            return self.refuse(409, "the object has been modified")
        state["replicas"] = patch["spec"]["replicas"]
        state["version"] = state.get("version", 1) + 1
        settle(state)
        write("state.json", json.dumps(state))
        return self.answer(200, scale_json(state))

    def change_pod(self, state, pod, patch):
        annotations = pod.setdefault("annotations", {})
        for name, value in patch["metadata"]["annotations"].items():
            if value is None:
                annotations.pop(name, None)
            else:
                annotations[name] = value
        write("state.json", json.dumps(state))
        return self.answer(200, pod_json(pod))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(path("server.crt"), path("server.key"))
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
write("port", str(server.server_address[1]))
server.serve_forever()
