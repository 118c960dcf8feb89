"""Ctrl-Z on a terminal whose first process is `sh -c`, as with `ssh -t host COMMAND` or `docker run -it`: no
shell with job control would continue what stops, so nothing may stop."""

import os
import pathlib
import pty
import select
import signal
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(__file__).resolve().parents[3] / 'build/dev/bin'
SLUICE = os.environ.get('SLUICE_COMMAND', BIN / 'sluice')
LAUNCH = os.environ.get('SLUICE_LAUNCH', BIN / 'sluice-launch')

STOPS_ITSELF = """\
import os, signal, sys
signal.signal(signal.SIGTSTP, lambda *_: (os.kill(os.getpid(), signal.SIGSTOP), print('went' + ' on', flush=True)))
print('is' + ' ready', flush=True)
while True: signal.pause()
"""

WAITING = {
    'run': f'{SLUICE} run -- echo hi',
    'jobserver': f'{SLUICE} jobserver --daemon -- echo hi',
    'launch': f'{LAUNCH} echo hi',
}


class Terminal:
    def __init__(self, line, environment):
        self.text = ''
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.execve('/bin/sh', ['sh', '-c', line + '; echo ended by $?'], environment)

    def read(self):
        while select.select([self.descriptor], [], [], 0.05)[0]:
            try:
                self.text += os.read(self.descriptor, 65536).decode(errors='replace')
            except OSError:
                return

    def press(self, key):
        os.write(self.descriptor, key)

    def has_pending_ctrl_z(self):
        """Whether a process on it has not taken its Ctrl-Z yet."""
        bit = 1 << signal.SIGTSTP - 1
        for status in pathlib.Path('/proc').glob('[0-9]*/status'):
            try:
                lines = dict(line.split(':\t', 1) for line in status.read_text().splitlines() if ':\t' in line)
                session = os.getsid(int(status.parent.name))
            except (OSError, ValueError):
                continue
            if session == self.process and (int(lines['ShdPnd'], 16) | int(lines['SigPnd'], 16)) & bit:
                return True
        return False

    def close(self):
        try:
            os.killpg(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.process, 0)
        os.close(self.descriptor)


class NoJobControl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='sluice-ctrl-z-')
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, 'HOME': folder.name, 'XDG_RUNTIME_DIR': folder.name, 'TERM': 'xterm',
                            'SLUICE_SOCKET': f'{folder.name}/sluice.sock', 'MAKEFLAGS': ''}
        serve = [SLUICE, 'serve', '--private', '--socket', self.environment['SLUICE_SOCKET']]
        log = pathlib.Path(folder.name, 'log')
        with log.open('w') as file:
            daemon = subprocess.Popen(serve, env=self.environment, stdin=subprocess.DEVNULL, stderr=file)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        self.expect(lambda: ' serves on ' in log.read_text(), log.read_text)

    def expect(self, holds, text):
        until = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), until, text())
            time.sleep(0.02)

    def start(self, line):
        self.terminal = Terminal(line, self.environment)
        self.addCleanup(self.terminal.close)

    def see(self, text):
        def is_seen():
            self.terminal.read()
            return text in self.terminal.text
        self.expect(is_seen, lambda: f'no "{text}" in: {self.terminal.text}')

    def press_ctrl_z(self):
        self.terminal.press(b'\x1a')
        self.see('^Z')
        self.expect(lambda: not self.terminal.has_pending_ctrl_z(), lambda: 'Ctrl-Z is pending')

    def call(self, verb):
        subprocess.run([SLUICE, verb], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def test_what_waits_goes_on_after_ctrl_z(self):
        for name, line in WAITING.items():
            with self.subTest(name):
                self.call('pause')
                self.start(line)
                self.see('paused by the operator')
                self.press_ctrl_z()
                self.call('resume')
                self.see('hi\r\nended by 0')

    def test_ctrl_c_ends_what_waits_after_ctrl_z(self):
        self.call('pause')
        for name, line in WAITING.items():
            with self.subTest(name):
                self.start('trap : INT; ' + line)
                self.see('paused by the operator')
                self.press_ctrl_z()
                self.terminal.press(b'\x03')
                self.see('ended by 130')

    def test_status_watch_goes_on_after_ctrl_z(self):
        self.start(f'trap : INT; {SLUICE} status --watch --every 0.2')
        self.see('\x1b[?1049h')
        # The terminal echoes nothing here: the screen is given back and taken again.
        self.terminal.press(b'\x1a')
        self.see('\x1b[?1049l')
        self.expect(lambda: self.terminal.read() or self.terminal.text.count('\x1b[?1049h') == 2,
                    lambda: self.terminal.text)
        self.terminal.press(b'\x03')
        self.see('ended by 0')

    def test_a_command_that_stops_itself_on_ctrl_z_goes_on(self):
        script = pathlib.Path(self.environment['HOME'], 'stops_itself.py')
        script.write_text(STOPS_ITSELF)
        for name, program in (('run', f'{SLUICE} run --'), ('jobserver', f'{SLUICE} jobserver --daemon --'),
                              ('launch', str(LAUNCH))):
            with self.subTest(name):
                self.start(f'trap : INT; {program} python3 {script}')
                self.see('is ready')
                self.press_ctrl_z()
                self.see('went on')
                self.terminal.press(b'\x03')
                self.see('ended by ')


if __name__ == '__main__':
    unittest.main()
