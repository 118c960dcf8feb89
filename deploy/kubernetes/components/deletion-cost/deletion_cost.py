#!/usr/bin/env python3
"""Tells Kubernetes which executors to remove first: those where nothing runs.

An HPA decides how many pods there are; the ReplicaSet chooses which go, by the annotation
controller.kubernetes.io/pod-deletion-cost. This looks at every pod of a label once a minute and
writes 1000 where a job runs or waits, and 0 where none has for a while. It writes on a change only,
as each write goes through the API server to whoever watches pods. Where a pod does not answer, its
cost stays as it is.

Python's standard library alone; runs as a pod of its own, so that no executor holds a token.
"""

import argparse
import concurrent.futures
import dataclasses
import http.client
import ipaddress
import json
import os
import pathlib
import signal
import ssl
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ANNOTATION = "controller.kubernetes.io/pod-deletion-cost"
IDLE, BUSY = 0, 1000
PATIENCE = 5.0  # seconds for one answer
AT_ONCE = 16  # pods that are asked at the same time
MOST_BYTES = 8 << 20  # of one executor's answer
# Whatever listens at an executor's port may say anything.
NO_ANSWER = (OSError, ValueError, KeyError, TypeError, ArithmeticError, RecursionError,
             http.client.HTTPException)
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


@dataclasses.dataclass(frozen=True)
class Pod:
    name: str
    uid: str
    address: str
    port: int
    cost: int


@dataclasses.dataclass
class Memory:
    """What is known of one pod from earlier looks."""

    idle_since: float | None = None
    written: float | None = None


def pod_of(item, port_name="metrics"):
    """A pod of the API's list; none where nothing is to be asked: it starts, ends, has no port."""
    metadata, spec, status = item["metadata"], item["spec"], item.get("status", {})
    if metadata.get("deletionTimestamp") or status.get("phase") != "Running":
        return None
    containers = spec.get("initContainers", []) + spec["containers"]
    ports = [port["containerPort"] for container in containers
             for port in container.get("ports", []) if port.get("name") == port_name]
    if not ports or not status.get("podIP"):
        return None
    text = metadata.get("annotations", {}).get(ANNOTATION, "0")
    cost = int(text) if text.lstrip("-").isdigit() else IDLE
    return Pod(metadata["name"], metadata["uid"], status["podIP"], ports[0], cost)


def decide(cost, jobs, memory, now, idle_after, every):
    """The cost to write, or none, and what to remember. Busy counts at once, idle after a while, as
    between two jobs nothing runs either. `jobs` is none where the pod did not answer."""
    if jobs is None:
        return None, Memory(None, memory.written)
    since = None if jobs else now if memory.idle_since is None else memory.idle_since
    wanted = BUSY if jobs else IDLE if now - since >= idle_after else cost
    too_soon = memory.written is not None and now - memory.written < every
    if wanted == cost or too_soon:
        return None, Memory(since, memory.written)
    return wanted, Memory(since, now)


def jobs_of(pod):
    """Jobs that run or wait there; none where it does not say so."""
    host = f"[{pod.address}]" if ipaddress.ip_address(pod.address).version == 6 else pod.address
    try:
        # Straight there: a proxy of the environment is for the outside.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://{host}:{pod.port}/v1/status", timeout=PATIENCE) as answer:
            jobs = json.loads(answer.read(MOST_BYTES))["jobs"]
            return int(jobs["running"]) + int(jobs["pending"])
    except NO_ANSWER as problem:
        say(f"{pod.name} does not answer, its cost stays {pod.cost}: {problem}")
        return None


class Api:
    """The API server, as a pod reaches it. The token is read each time, since it is renewed."""

    def __init__(self, account, selector):
        self.account = pathlib.Path(account)
        host = os.environ["KUBERNETES_SERVICE_HOST"]
        host = f"[{host}]" if ":" in host else host
        port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        namespace = (self.account / "namespace").read_text().strip()
        self.pods = f"https://{host}:{port}/api/v1/namespaces/{namespace}/pods"
        self.query = "?labelSelector=" + urllib.parse.quote(selector)
        trust = ssl.create_default_context(cafile=str(self.account / "ca.crt"))
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                                  urllib.request.HTTPSHandler(context=trust))

    def call(self, method, url, body=None):
        request = urllib.request.Request(url, method=method, data=body)
        token = (self.account / "token").read_text().strip()
        request.add_header("Authorization", "Bearer " + token)
        request.add_header("Accept", "application/json")
        if body:
            request.add_header("Content-Type", "application/merge-patch+json")
        with self.opener.open(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def list(self):
        return self.call("GET", self.pods + self.query)["items"]

    def write(self, pod, cost):
        """With the uid, so that a new pod of the same name is refused instead of changed."""
        change = {"metadata": {"uid": pod.uid, "annotations": {ANNOTATION: str(cost)}}}
        self.call("PATCH", f"{self.pods}/{pod.name}", json.dumps(change).encode())
        say(f"{pod.name} is {'busy' if cost == BUSY else 'idle'}: cost {pod.cost} -> {cost}")


def say(line):
    print(line, file=sys.stderr, flush=True)


def look(api, memories, options, now):
    """One look at all pods; gives what to remember for the next."""
    pods = [pod for pod in map(pod_of, api.list()) if pod]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as workers:
        jobs = list(workers.map(jobs_of, pods))
    remembered = {}
    for pod, count in zip(pods, jobs):
        before = memories.get(pod.uid, Memory())
        cost, after = decide(pod.cost, count, before, now, options.idle_after, options.every)
        remembered[pod.uid] = after
        if cost is None:
            continue
        try:
            api.write(pod, cost)
        except NO_ANSWER as problem:
            say(f"{pod.name}: cost {cost} could not be written: {problem}")
            remembered[pod.uid] = before
    return remembered


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--selector", default="app.kubernetes.io/name=executor",
                        help="labels of the executors; %(default)s")
    parser.add_argument("--every", type=float, default=60.0,
                        help="seconds between two looks, and two writes of a pod; %(default)s")
    parser.add_argument("--idle-after", type=float, default=120.0,
                        help="seconds without a job until a pod counts as idle; %(default)s")
    parser.add_argument("--account", default=ACCOUNT,
                        help="folder with token, ca.crt and namespace; %(default)s")
    options = parser.parse_args()
    if options.every <= 0 or options.idle_after < 0:
        parser.error("--every must be above 0, --idle-after at least 0")
    try:
        api = Api(options.account, options.selector)
    except (OSError, KeyError, ssl.SSLError) as problem:
        say(f"this is not a pod that may ask the API server: {problem!r}")
        return 2
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    memories = {}
    while not ended.is_set():
        try:
            memories = look(api, memories, options, time.monotonic())
        except NO_ANSWER as problem:
            say(f"pods could not be listed, nothing is changed: {problem}")
        ended.wait(options.every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
