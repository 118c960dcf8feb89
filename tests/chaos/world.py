"""The real processes that chaos is made in: a daemon, a Gearman server, and the files they read."""

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

WINDOW = 60

CONFIG = """\
window: {{law: rfc, initial: {window}, minimum: {window}, maximum: {window}, dwell: 50ms}}
sensors:
  {{load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
    disk: off, pids: off, starting: off,
    level: {{kind: file, path: {folder}/level, limit: 100, every: 100ms, max_age: 2s, on_error: red}},
    probe: {{kind: command, command: [/bin/sh, {folder}/probe], limit: 100, every: 200ms, timeout: 500ms}}}}
cost: {{model: formula}}
memory: {{brake: off, prior: 1MiB}}
service: {{listen: off, drain_on_stop: 1s, record: {{age: 366d}}}}
state_dir: {folder}/state
{work_sources}"""

WORK_SOURCES = """\
work_sources:
  - {{kind: gearman, servers: ["127.0.0.1:{port}"], functions: {{work: [/bin/sh, {folder}/job]}}}}
"""

JOB = 'echo began "$SLUICE_GEARMAN_UNIQUE" >> {folder}/effects; sleep 0.05\n' \
      'echo ended "$SLUICE_GEARMAN_UNIQUE" >> {folder}/effects\n'


class UnixConnection(http.client.HTTPConnection):
    """HTTP over the daemon's socket."""

    def __init__(self, path, timeout=20):
        super().__init__('sluice', timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def ask(self, method, target, body=None):
        headers = {'Content-Type': 'application/json'} if body is not None else {}
        self.request(method, target, None if body is None else json.dumps(body), headers)
        answer = self.getresponse()
        return answer.status, json.loads(answer.read())


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def eventually(condition, seconds=20):
    """The first true value of the condition; the last one after that time."""
    until = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < until:
        time.sleep(0.01)
    return value


class World:
    """`tools`: the paths of sluice, gearmand, gearman and the clock to preload; the last three may be None."""

    def __init__(self, tools):
        self.tools = tools
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='sluice-chaos-'))
        self.socket = self.folder / 'socket'
        self.effects = self.folder / 'effects'
        self.gearman_port = free_port()
        self.daemon = self.gearmand = None
        self.lives = 0  # Of the daemon.
        self.disk_is_full = False
        self.small_disk = self._mount()
        self._write_files()
        self.start_gearmand()
        self.start_daemon()

    def _mount(self):
        state = self.folder / 'state'
        state.mkdir()
        made = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=96m', 'sluice-chaos', state],
                              stderr=subprocess.DEVNULL, check=False)
        return made.returncode == 0

    def _write_files(self):
        self.effects.touch()
        (self.folder / 'job').write_text(JOB.format(folder=self.folder))
        self.calm_sensors()
        self.set_clock(0)
        sources = WORK_SOURCES.format(port=self.gearman_port, folder=self.folder)
        (self.folder / 'sluice.yaml').write_text(CONFIG.format(
            window=WINDOW, folder=self.folder, work_sources=sources if self.has_gearman() else ''))

    def has_gearman(self):
        return self.tools.gearmand is not None

    def calm_sensors(self):
        self.set_sensor('level', '1\n')
        self.set_sensor('probe', 'echo 1\n')

    def set_sensor(self, name, text):
        """None: the file is not there; a fifo, where `text` is 'fifo', hangs whoever reads it."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        if text == 'fifo':
            os.mkfifo(path)
        elif text is not None:
            path.write_text(text)

    def set_clock(self, seconds):
        """The wall clock that the daemon sees, from now on, beside the host's."""
        with (self.folder / 'clock').open('r+b' if self.daemon else 'wb') as clock:
            clock.write(seconds.to_bytes(8, 'little', signed=True))

    def start_gearmand(self):
        if not self.has_gearman():
            return
        self.gearmand = subprocess.Popen(
            [self.tools.gearmand, '--listen=127.0.0.1', f'--port={self.gearman_port}',
             f'--log-file={self.folder}/gearmand.log', '--queue-type=libsqlite3',
             f'--libsqlite3-db={self.folder}/queue.sqlite'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not eventually(lambda: self.gearman_status() is not None):
            raise RuntimeError('gearmand does not answer')

    def ask_gearmand(self, what):
        """What it answers to "status" or "workers"; None: nothing."""
        try:
            with socket.create_connection(('127.0.0.1', self.gearman_port), 5) as connection:
                connection.sendall(what.encode() + b'\n')
                text = b''
                while not text.endswith(b'.\n'):
                    part = connection.recv(4096)
                    if not part:
                        return None
                    text += part
                return text.decode()
        except OSError:
            return None

    def gearman_status(self):
        """Jobs queued or running of `work`; None: no answer."""
        status = self.ask_gearmand('status')
        for line in (status or '').splitlines():
            name, *numbers = line.split('\t')
            if name == 'work':
                return int(numbers[0])
        return None if status is None else 0

    def end_gearmand(self, number):
        self.gearmand.send_signal(number)
        self.gearmand.wait()

    def start_daemon(self):
        environment = dict(os.environ)
        if self.tools.wall_clock:
            environment |= {'LD_PRELOAD': str(self.tools.wall_clock),
                            'SLUICE_CHAOS_CLOCK': str(self.folder / 'clock')}
        with (self.folder / 'daemon.log').open('ab') as log:
            self.daemon = subprocess.Popen(
                [self.tools.sluice, 'serve', '--config', self.folder / 'sluice.yaml',
                 '--socket', self.socket],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self.lives += 1
        if not eventually(lambda: self.status() is not None):
            raise RuntimeError(f'the daemon does not serve: {self.log_tail()}')

    def end_daemon(self, number):
        self.daemon.send_signal(number)
        try:
            self.daemon.wait(30)
        except subprocess.TimeoutExpired as hung:
            self.daemon.send_signal(signal.SIGABRT)
            raise RuntimeError('the daemon does not end on SIGTERM') from hung

    def replay(self):
        """What `sluice replay` makes of the record: its status, its answer, and what it says besides."""
        done = subprocess.run([self.tools.sluice, 'replay', self.folder / 'state', '--json'], text=True,
                              capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    def log_tail(self):
        return (self.folder / 'daemon.log').read_text(errors='replace')[-2000:]

    def ask(self, method, target, body=None):
        connection = UnixConnection(self.socket)
        try:
            return connection.ask(method, target, body)
        finally:
            connection.close()

    def status(self):
        """None: the daemon does not answer."""
        try:
            return self.ask('GET', '/v1/status')[1]
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def jobs(self):
        return self.ask('GET', '/v1/jobs?limit=10000')[1]['jobs']

    def fill_disk(self):
        try:
            with (self.folder / 'state' / 'filler').open('ab', buffering=0) as filler:
                while True:
                    filler.write(bytes(1 << 16))
        except OSError:
            return

    def free_disk(self):
        (self.folder / 'state' / 'filler').unlink(missing_ok=True)

    def close(self, keep):
        for process in (self.daemon, self.gearmand):
            if process and process.poll() is None:
                process.kill()
                process.wait()
        if self.small_disk:
            if keep:
                shutil.copytree(self.folder / 'state', self.folder / 'state-kept')
            subprocess.run(['umount', self.folder / 'state'], check=False)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
