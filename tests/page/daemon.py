"""The daemon whose page is looked at, with a sensor that the test moves and a fixed load."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

CONFIG = """\
window: {{law: adaptive, initial: 40, minimum: 10, maximum: 80, threshold: 60, step: 5, interval: 200ms,
         round: 4s, cut_settle: 4s}}
sensors: {{load: {{limit: 500}}, cpu_pressure: off, memory_pressure: off, io_pressure: off, cgroup: off,
          heat: {{kind: file, path: {folder}/heat, limit: 85, every: 100ms, acts: congestion}},
          licences: {{kind: file, path: {folder}/licences, limit: 40, every: 100ms}}}}
cost: {{model: formula}}
memory: {{brake: off}}
queues: {{default: {{}}, nightly: {{resources: [db]}}, release: {{paused: true}}}}
resources: {{db: {{kind: quantity, total: 2, consumption: 1, shortage: skip}}}}
service: {{listen: "127.0.0.1:{port}"}}
state_dir: {folder}/state
"""


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__('sluice', timeout=30)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Daemon:
    def __init__(self, sluice):
        self.sluice = sluice
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='sluice-page-'))
        self.socket = self.folder / 'socket'
        self.port = free_port()
        self.url = f'http://127.0.0.1:{self.port}/'
        self.process = None
        self.connection = None
        self.heat(31)
        (self.folder / 'licences').write_text('12\n')
        (self.folder / 'sluice.yaml').write_text(CONFIG.format(folder=self.folder, port=self.port))

    def heat(self, degrees):
        # Renamed into place: a reader never sees half of it.
        part = self.folder / 'heat.part'
        part.write_text(f'{degrees}\n')
        part.rename(self.folder / 'heat')

    def start(self, *options):
        log = open(self.folder / 'log', 'ab')
        self.process = subprocess.Popen(
            [self.sluice, 'serve', '--config', self.folder / 'sluice.yaml', '--socket', self.socket, *options],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={key: value for key, value in os.environ.items() if not key.startswith('SLUICE_')})
        log.close()
        until = time.monotonic() + 30
        while True:
            try:
                return self.ask('GET', '/readyz')
            except OSError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise RuntimeError((self.folder / 'log').read_text()) from None
                time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def suspend(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def ask(self, method, target, body=None):
        headers = {'Content-Type': 'application/json'} if body is not None else {}
        text = None if body is None else json.dumps(body)
        for again in (True, False):
            try:
                self.connection = self.connection or UnixConnection(self.socket)
                self.connection.request(method, target, text, headers)
                answer = self.connection.getresponse()
                content = answer.read()
                break
            except (OSError, http.client.HTTPException):
                self.connection = None
                if not again:
                    raise
        if answer.status >= 300:
            raise RuntimeError(f'{method} {target}: {answer.status} {content[:300]}')
        return json.loads(content) if content.startswith(b'{') else content

    def status(self):
        return self.ask('GET', '/v1/status')

    def submit(self, **job):
        return self.ask('POST', '/v1/jobs', job)

    def finish(self, job):
        return self.ask('DELETE', f'/v1/jobs/{job}')

    def cpu_seconds(self):
        """That the daemon has used so far, all its threads together."""
        tasks = pathlib.Path(f'/proc/{self.process.pid}/task').glob('*/schedstat')
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def fill(daemon):
    """A load that shows every kind of reason to wait."""
    for number in range(1, 8):
        daemon.submit(id=f'build-{4700 + number}', key='build', cost=5)
    daemon.submit(id='deploy-12', key='deploy', queue='nightly', cost=5)
    daemon.submit(id='deploy-13', key='deploy', queue='nightly', cost=5, resources={'db': 2})
    daemon.submit(id='link-9', key='link', cost=45, priority=3)
    for number in range(1, 5):
        daemon.submit(id=f'test-{880 + number}', key='test', cost=10, after=['build-4701'])
    daemon.submit(id='release-2', key='release', queue='release', cost=20)
    daemon.submit(id='lint-31', key='lint', cost=5)
    daemon.ask('PATCH', '/v1/jobs/lint-31', {'frozen': True})
