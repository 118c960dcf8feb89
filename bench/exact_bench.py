#!/usr/bin/env python3
"""Whether a record of concurrent load is replayed exactly: clients submit, change, cancel and end
jobs of a real daemon, which is reloaded with changed configurations and killed with -9 meanwhile.
Then `sluice replay` must repeat every pass and every window change, but for the gaps of the kills.

    bench/exact_bench.py [--sluice build/bench/bin/sluice] [--jobs 100000] [--seconds 600]

On a busy machine fewer jobs fit into the time. Exit status 1: it did not, or named another gap.
"""
import argparse
import http.client
import json
import multiprocessing
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

CONFIG = """\
window: {{law: {law}, initial: {initial}, minimum: 60, maximum: {maximum}, interval: 200ms, dwell: 100ms}}
sensors:
  {{load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off, disk: off,
    pids: off,
    level: {{kind: file, path: {folder}/level, limit: 100, every: 100ms}}}}
cost: {{model: history}}
memory: {{prior: 1MiB}}
contention: {{mode: {mode}, tick: 1s}}
queues: {{default: {{}}, night: {{resources: [db], backfill: {backfill}}}}}
resources: {{db: {{total: {total}}}, port: {{kind: discrete, items: [a, b, c, d]}}}}
service: {{listen: off, drain_on_stop: 1s, max_pending: 5000}}
state_dir: {folder}/state
"""
LEVELS = 9 * ("1\n",) + ("50\n", "130\n")
BURST = 12


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("sluice", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Client:
    """Submits bursts of jobs and sees each to its end; repeats what a killed daemon has not answered."""

    def __init__(self, path, name, source):
        self.path, self.name, self.source = path, name, source
        self.connection = None

    def ask(self, method, target, body=None):
        until = time.monotonic() + 60
        while True:
            try:
                self.connection = self.connection or Connection(self.path)
                self.connection.request(method, target, json.dumps(body) if body else None)
                answer = self.connection.getresponse()
                return answer.status, json.loads(answer.read())
            except (OSError, http.client.HTTPException, ValueError):
                self.connection = None
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def request(self, job):
        draw = self.source.random
        body = {"id": job, "key": f"unit {self.source.randint(1, 40)}", "heartbeat": "1h", "measured": draw() < 0.5,
                "priority": self.source.randint(0, 3)}
        if draw() < 0.3:
            body["cost"] = self.source.randint(1, 9)
        if draw() < 0.2:
            body["queue"] = "night"
        if draw() < 0.1:
            body["resources"] = {"port": 1}
        if draw() < 0.2:
            body["locks"] = {"instance": f"exclusive:i{self.source.randint(1, 9)}"}
        return body

    def change(self, job):
        """Now and then another priority, or its end."""
        draw = self.source.random()
        if draw < 0.05:
            self.ask("PATCH", f"/v1/jobs/{job}", {"priority": self.source.randint(0, 9)})
        elif draw < 0.07:
            self.ask("DELETE", f"/v1/jobs/{job}")

    def end(self, job):
        wall = self.source.uniform(0.5, 9)
        usage = {"wall": wall, "cpu": wall * self.source.uniform(0.05, 0.4), "memory": 1 << 20,
                 "peak_memory": self.source.randint(1 << 20, 64 << 20)}
        outcome = self.source.choice(("ok", "ok", "ok", "failed", "oom"))
        self.ask("DELETE", f"/v1/jobs/{job}?outcome={outcome}", {"usage": usage})

    def submit(self, job):
        """Whether it waits."""
        status, state = self.ask("POST", "/v1/jobs", self.request(job))
        if status not in (200, 201):
            sys.exit(f"{job}: submit was answered {status} {state}")
        return state["state"] == "pending"

    def still_waits(self, job):
        """Ends it if it runs."""
        status, state = self.ask("GET", f"/v1/jobs/{job}?wait=20ms")
        if status == 200 and state["state"] == "running":
            self.end(job)
        return status == 200 and state["state"] == "pending"

    def run(self, jobs, seconds, submitted):
        begin = time.monotonic()
        for first in range(0, jobs, BURST):
            due = begin + seconds * first / jobs
            time.sleep(max(0.0, due - time.monotonic()))
            if time.monotonic() > begin + seconds:
                return
            burst = [f"{self.name}-{number}" for number in range(first, min(first + BURST, jobs))]
            waiting = {job for job in burst if self.submit(job)}
            for job in burst:
                if job in waiting:
                    self.change(job)
                else:
                    self.end(job)
            while waiting:
                waiting = {job for job in waiting if self.still_waits(job)}
            with submitted.get_lock():
                submitted.value += len(burst)


class Daemon:
    def __init__(self, sluice, folder):
        self.sluice, self.folder, self.process = sluice, folder, None
        self.socket = str(folder / "socket")

    def configure(self, source):
        (self.folder / "sluice.yaml").write_text(CONFIG.format(
            folder=self.folder, law=source.choice(("adaptive", "rfc")), initial=source.randint(60, 100),
            maximum=source.randint(100, 300), mode=source.choice(("order", "off", "hold")),
            backfill=source.randint(1, 20), total=source.randint(3, 9)))

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([self.sluice, "serve", "--config", self.folder / "sluice.yaml",
                                             "--socket", self.socket], stderr=log, stdout=log)
        Client(self.socket, "", None).ask("GET", "/v1/status")

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(60)


def load(path, name, seed, *run):
    Client(path, name, random.Random(seed)).run(*run)


def disturb(daemon, clients, plan, source, folder):
    """Kills and reloads by the plan, (time, act), and moves the sensor, until all clients have ended."""
    while any(each.is_alive() for each in clients):
        (folder / "level.new").write_text(source.choice(LEVELS))
        (folder / "level.new").rename(folder / "level")
        if plan and plan[0][0] <= time.monotonic():
            act = plan.pop(0)[1]
            daemon.configure(source)
            if act == "kill":
                daemon.end(signal.SIGKILL)
                daemon.start()
            else:
                daemon.process.send_signal(signal.SIGHUP)
        if daemon.process.poll() is not None:
            sys.exit(f"the daemon has ended by itself: {(folder / 'log').read_text()[-2000:]}")
        time.sleep(0.3)


def plan_of(arguments):
    begin = time.monotonic()
    acts = [((number + 0.5) / arguments.kills, "kill") for number in range(arguments.kills)]
    acts += [((number + 1) / (arguments.reloads + 1), "reload") for number in range(arguments.reloads)]
    return [(begin + part * arguments.seconds, act) for part, act in sorted(acts)]


def run(arguments, folder):
    source = random.Random(arguments.seed)
    (folder / "level").write_text(LEVELS[0])
    daemon = Daemon(arguments.sluice, folder)
    daemon.configure(source)
    daemon.start()
    each = arguments.jobs // arguments.clients
    submitted = multiprocessing.Value("i", 0)
    clients = [multiprocessing.Process(target=load, daemon=True, args=(
        daemon.socket, f"job-{number}", f"{arguments.seed} {number}", each, arguments.seconds, submitted))
        for number in range(arguments.clients)]
    began = time.monotonic()
    for client in clients:
        client.start()
    disturb(daemon, clients, plan_of(arguments), source, folder)
    seconds = time.monotonic() - began
    daemon.end(signal.SIGTERM)
    if any(client.exitcode for client in clients):
        sys.exit("a client has failed")
    return submitted.value, seconds


def replay(arguments, folder):
    began = time.monotonic()
    done = subprocess.run([arguments.sluice, "replay", folder / "state", "--json"], check=False, text=True,
                          stdout=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(f"sluice replay: status {done.returncode}")
    return json.loads(done.stdout), time.monotonic() - began


def report(arguments, jobs, seconds, answer, took, size):
    print(f"{jobs:,} jobs in {seconds:.0f} s, {arguments.reloads} reloads, {arguments.kills} kill -9\n"
          f"{answer['calls']:,} calls, {answer['passes']:,} passes that started {answer['started']:,} jobs, "
          f"{answer['window_changes']:,} window changes, {size:,} bytes; replayed in {took:.1f} s")
    for gap in answer["missing"]:
        print(f"  gap {gap['from']} to {gap['to']}: {gap['why']}")
    for difference in answer["differences"]:
        print(f"  differs at {difference['at']}: {difference['what']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default="build/bench/bin/sluice", metavar="PATH")
    parser.add_argument("--jobs", type=int, default=100_000, metavar="N")
    parser.add_argument("--seconds", type=float, default=600, metavar="N")
    parser.add_argument("--reloads", type=int, default=12, metavar="N")
    parser.add_argument("--kills", type=int, default=3, metavar="N")
    parser.add_argument("--clients", type=int, default=6, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--folder", type=pathlib.Path, help="stays, with the record; default: a temporary one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sluice-exact-") as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        jobs, seconds = run(arguments, folder)
        answer, took = replay(arguments, folder)
        size = sum(each.stat().st_size for each in (folder / "state/record/calls").glob("*.srec"))
        report(arguments, jobs, seconds, answer, took, size)
    # A kill may also cut the block that is being written.
    kills = [gap for gap in answer["missing"] if gap["why"].startswith("the daemon was killed") or "cut" in gap["why"]]
    return 0 if answer["exact"] and len(kills) == len(answer["missing"]) == arguments.kills else 1


if __name__ == "__main__":
    sys.exit(main())
