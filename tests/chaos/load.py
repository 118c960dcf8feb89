"""Who makes work while chaos reigns, and keeps count of what became of each piece of it.

Everybody here tries again until the daemon answers, as a client that must not lose a job does: a
submit is repeated under the same id, and the end of a job is told until somebody has heard it.
"""

import http.client
import random
import subprocess
import threading
import time

from world import UnixConnection, eventually

LOST = (OSError, http.client.HTTPException, ValueError)


class Gate:
    """Lets the load run, holds it still, or lets what there is come to its end."""

    def __init__(self):
        self.changed = threading.Condition()
        self.mode = 'open'  # 'open', 'still', 'ending', 'over'
        self.inside = set()  # Clients that have work in hand and do not stand still.

    def set(self, mode):
        with self.changed:
            self.mode = mode
            self.changed.notify_all()

    def may_begin(self, who):
        """Waits until new work may be begun; false: never again."""
        with self.changed:
            self.inside.discard(who)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.mode in ('open', 'over'))
            if self.mode == 'over':
                return False
            self.inside.add(who)
            return True

    def pass_by(self, who):
        """Stands still while all is to stand still."""
        with self.changed:
            if self.mode != 'still':
                return
            self.inside.discard(who)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.mode != 'still')
            self.inside.add(who)

    def all_outside(self, seconds):
        with self.changed:
            return self.changed.wait_for(lambda: not self.inside, seconds)


class Tally:
    """What was begun and what became of it, and every broken promise."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.violations = []

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + number

    def violated(self, text):
        with self.lock:
            self.violations.append(text)


class Worker(threading.Thread):
    """One of many that do one piece of work after the other."""

    def __init__(self, world, gate, tally, name, seed):
        super().__init__(name=name, daemon=True)
        self.world, self.gate, self.tally = world, gate, tally
        self.random = random.Random(seed)
        self.number = 0

    def run(self):
        while self.gate.may_begin(self.name):
            self.number += 1
            try:
                self.work(f'{self.name}-{self.number}')
            except Exception as error:  # A bug in here must not look like peace.
                self.tally.violated(f'{self.name} broke down: {error!r}')
                self.gate.may_begin(self.name)
                return


class ApiClient(Worker):
    """Submits over the API, waits, holds, ends. `claim`: what it believes of its job, to be compared
    with what the daemon says while all stands still."""

    LEASES = ('heartbeat', 'process', 'connection', 'silence')

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.connection = None
        self.process = None
        self.claim = None  # (id, 'pending' or 'running')
        self.killed = False
        self.reconnected = False

    def kill(self):
        """As if this client had died: what its lease hangs on goes."""
        process = self.process
        if process:
            self.killed = True
            process.kill()
            process.wait()
            self.tally.count('clients killed')

    def ask(self, method, target, body=None):
        until = time.monotonic() + 60
        while True:
            if self.connection is None:
                self.connection = UnixConnection(self.world.socket)
                self.reconnected = True
            try:
                status, answer = self.connection.ask(method, target, body)
                if status != 503 or time.monotonic() > until:  # It is stopping.
                    return status, answer
            except LOST:
                if time.monotonic() > until:
                    raise
            self.connection.close()
            self.connection = None
            time.sleep(0.02)

    def work(self, job):
        lease = self.random.choice(self.LEASES)
        body = {'id': job, 'key': self.random.choice('abc'), 'cost': self.random.randint(1, 25)}
        body |= self.bind(lease)
        try:
            self.tally.count('submitted over the API')
            status, answer = self.ask('POST', '/v1/jobs', body)
            if status not in (200, 201):
                return self.tally.violated(f'{job}: submit was answered {status} {answer}')
            self.reconnected = False
            self.see_through(job, lease, answer)
        finally:
            self.claim = None
            if self.process:
                self.process.kill()
                self.process.wait()
            self.process, self.killed = None, False
            self.expect_over(job)

    def bind(self, lease):
        if lease == 'heartbeat':
            return {'heartbeat': '300s'}
        if lease == 'silence':
            return {'heartbeat': '1s'}
        if lease == 'connection':
            return {'hold': 'connection'}
        self.process = subprocess.Popen(['sleep', '600'])
        return {'pid': self.process.pid}

    def see_through(self, job, lease, answer):
        until = time.monotonic() + 120
        while answer['state'] == 'pending':
            if time.monotonic() > until:
                return self.tally.violated(f'{job} ({lease}) was starved: {answer["refusal"]}')
            self.stand(job, lease, 'pending')
            status, answer = self.ask('GET', f'/v1/jobs/{job}?wait=100ms')
            if self.is_excused(lease):
                return self.tally.count('ended with what they hung on')
            if status != 200:
                return self.tally.violated(f'{job} ({lease}) waited and is lost: {status} {answer}')
        if answer['state'] != 'running' and not self.is_excused(lease):
            return self.tally.violated(f'{job} ({lease}) was submitted and is {answer["state"]}, '
                                       f'ended by {answer["ended_by"]}')
        self.hold(job, lease)

    def is_excused(self, lease):
        """Whether what the lease hangs on may be gone."""
        return self.killed or lease == 'silence' or (lease == 'connection' and self.reconnected)

    def hold(self, job, lease):
        until = time.monotonic() + self.random.uniform(0, 0.15)
        while time.monotonic() < until:
            self.stand(job, lease, 'running')
            time.sleep(0.01)
        if self.killed or lease == 'silence' or self.lets_go(lease):
            return self.tally.count('ended with what they hung on')
        outcome = self.random.choice(('ok', 'ok', 'failed', 'oom'))
        status, answer = self.ask('DELETE', f'/v1/jobs/{job}?outcome={outcome}')
        # A daemon that was killed meanwhile may have heard it and forgotten the ended job.
        if status == 404 or status == 200 and answer['state'] == 'finished':
            return self.tally.count('ended by their clients')
        self.tally.violated(f'{job} ({lease}): its end was answered {status} {answer}')

    def lets_go(self, lease):
        """Half of those that could end their job by this end what it hangs on, and tell nobody."""
        if lease == 'heartbeat' or self.random.random() < 0.5:
            return False
        if lease == 'process':
            self.process.kill()
            self.process.wait()
        elif self.connection:
            self.connection.close()
            self.connection = None
        return True

    def stand(self, job, lease, state):
        if self.gate.mode == 'still':
            answer = self.ask('GET', f'/v1/jobs/{job}')[1]
            if self.is_excused(lease):
                self.claim = None
            else:
                self.claim = (job, answer.get('state', answer))
        self.gate.pass_by(self.name)
        self.claim = None

    def expect_over(self, job):
        def over():
            status, answer = self.ask('GET', f'/v1/jobs/{job}')
            return status == 404 or status == 200 and answer['state'] == 'finished'
        if not eventually(over, 30):
            self.tally.violated(f'{job}: what it hung on is gone, and it is not over: '
                                f'{self.ask("GET", f"/v1/jobs/{job}")[1]}')


class RunClient(Worker):
    """Runs commands by `sluice run`."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.process = None
        self.killed = False

    def kill(self):
        process = self.process
        if process and process.poll() is None:
            self.killed = True
            process.kill()
            self.tally.count('sluice run killed')

    def work(self, job):
        self.killed = False
        self.tally.count('commands by sluice run')
        effects = self.world.effects
        script = f'echo began {job} >> {effects}; sleep 0.05; echo ended {job} >> {effects}'
        self.process = subprocess.Popen(
            [self.world.tools.sluice, 'run', '--socket', self.world.socket, '--cost',
             str(self.random.randint(1, 15)), '--', '/bin/sh', '-c', script],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = self.process.communicate()[1].decode(errors='replace').strip()
        status = self.process.returncode
        self.process = None
        text = self.world.effects.read_text().split('\n')
        began, ended = text.count(f'began {job}'), text.count(f'ended {job}')
        if began > 1 or ended > began:
            self.tally.violated(f'{job} began {began} times and ended {ended} times')
        # A daemon that nobody could connect to at the start is said, and nothing was run.
        never_began = status == 2 and began == 0 and 'no sluice daemon' in said
        if not self.killed and not never_began and (status, began, ended) != (0, 1, 1):
            self.tally.violated(f'{job}: status {status}, began {began}, ended {ended}: {said}')


class Submitter(Worker):
    """Queues jobs at the Gearman server."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.queued = []

    def work(self, job):
        body = f'{{"key": "g", "cost": {self.random.randint(1, 20)}}}'
        command = [self.world.tools.gearman, '-b', '-h', '127.0.0.1', '-p',
                   str(self.world.gearman_port), '-f', 'work', '-u', job]
        # It ends with 0 even where it could not connect.
        done = subprocess.run(command, input=body.encode(), capture_output=True, check=False)
        if done.returncode == 0 and not done.stderr:
            self.queued.append(job)
            self.tally.count('queued at the Gearman server')
        self.gate.pass_by(self.name)
        time.sleep(0.05)


def garbage(world, source):
    """Bytes of any kind on the daemon's socket, and requests that never end."""
    for _ in range(source.randint(1, 20)):
        connection = UnixConnection(world.socket)
        try:
            connection.connect()
            text = source.randbytes(source.randint(1, 3000))
            if source.random() < 0.5:
                text = b'POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n' + text
            connection.sock.sendall(text)
        except OSError:
            pass
        finally:
            connection.close()

