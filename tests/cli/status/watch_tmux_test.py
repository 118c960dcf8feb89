"""`sluice status --watch` in a real terminal: tmux with a server of its own."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SLUICE = os.environ.get('SLUICE_COMMAND', pathlib.Path(__file__).resolve().parents[3] / 'build/dev/bin/sluice')

CONFIG = """\
window: {law: rfc, initial: 20, minimum: 20, maximum: 20}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
          pids: off, starting: off, disk: {paths: [/]},
          level: {kind: file, path: FOLDER/level, limit: 100, every: 100ms}}
service: {listen: off}
"""


@unittest.skipUnless(shutil.which('tmux'), 'tmux is not there')
class Watch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='sluice-watch-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'level').write_text('40\n')
        (self.folder / 'sluice.yaml').write_text(CONFIG.replace('FOLDER', folder.name))
        self.socket = self.folder / 'socket'
        self.addCleanup(self.end_daemon)
        self.start_daemon()
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', '/bin/sh')
        self.addCleanup(self.tmux, 'kill-server')
        self.tmux('set-option', '-g', 'window-size', 'manual')
        self.type(f'cd {self.folder}; PS1="ready> "; export LC_ALL=C.UTF-8 SLUICE_SOCKET={self.socket}')
        self.expect(lambda text: text.rstrip().endswith('ready>'))

    def tmux(self, *arguments):
        done = subprocess.run(['tmux', '-S', self.folder / 'tmux', *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=True)
        return done.stdout

    def type(self, line):
        self.tmux('send-keys', line, 'Enter')

    def shown(self):
        return self.tmux('capture-pane', '-p')

    def expect(self, condition):
        until = time.monotonic() + 30
        while not condition(text := self.shown()):
            self.assertLess(time.monotonic(), until, text)
            time.sleep(0.02)
        return text

    def start_daemon(self):
        self.daemon = subprocess.Popen(
            [SLUICE, 'serve', '--config', self.folder / 'sluice.yaml', '--socket', self.socket],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.daemon.stderr:
            if 'serves on' in line:
                return
        self.fail('the daemon does not serve')

    def end_daemon(self):
        self.daemon.kill()
        self.daemon.wait()
        self.daemon.stderr.close()

    def ask(self, method, target, body=''):
        done = subprocess.run(['curl', '-s', '-X', method, '--unix-socket', self.socket, '-d', body,
                               f'http://sluice{target}'], stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    def watch(self, more=''):
        self.type(f'echo what stood here; stty -g >before; {SLUICE} status --watch --every 0.2 {more}')
        return self.expect(lambda text: 'q ends' in text)

    def expect_given_back(self):
        text = self.expect(lambda text: 'q ends' not in text and text.rstrip().endswith('ready>'))
        self.assertIn('what stood here', text)
        self.assertEqual(self.tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}').strip(), '0 1')
        self.type('stty -g >after; cmp before after && echo same as before')
        self.expect(lambda text: '\nsame as before' in text)

    def test_it_shows_what_runs_and_what_waits_and_why(self):
        self.ask('POST', '/v1/jobs', '{"id": "builds", "key": "compile", "cost": 15}')
        self.watch()
        self.ask('POST', '/v1/jobs', '{"id": "waits", "cost": 10}')
        text = self.expect(lambda text: 'pending  1' in text)
        self.assertIn('15 of 20 points in use', text)
        self.assertRegex(text, r'builds +compile +15 points')
        self.assertRegex(text, r'waits +10 points .*needs 10 points, 5 of 20')
        (self.folder / 'level').write_text('120\n')
        self.expect(lambda text: 'taking no work: sensor level is red' in text)

    def test_it_follows_the_size_of_the_terminal(self):
        self.watch()
        for columns, lines in ((40, 12), (20, 3), (120, 50), (80, 24)):
            with self.subTest(f'{columns}x{lines}'):
                self.tmux('resize-window', '-x', str(columns), '-y', str(lines))
                self.expect(lambda text: text.startswith('sluice')
                            and len(shown := text.rstrip('\n').split('\n')) == lines
                            and shown[-1].startswith('q ends'))

    def test_keys_scroll_sort_and_list_the_keys(self):
        self.ask('POST', '/v1/jobs', '{"id": "first", "cost": 20}')
        for number in range(40):
            self.ask('POST', '/v1/jobs', json.dumps({'id': f'job-{number}', 'cost': 1 + number % 20}))
        self.watch()
        self.expect(lambda text: 'pending  40' in text and 'job-0 ' in text and 'job-20 ' not in text)
        self.tmux('send-keys', 'Down')
        self.expect(lambda text: 'job-0 ' in text and 'job-14 ' in text and 'sensors' not in text)
        self.tmux('send-keys', 'End')
        self.expect(lambda text: 'job-39 ' in text and 'sensors' not in text)
        self.tmux('send-keys', 'Home')
        self.expect(lambda text: 'job-0 ' in text and 'sensors' in text)
        self.tmux('send-keys', 's')
        self.tmux('send-keys', 's')
        self.expect(lambda text: 'job-19 ' in text and 'largest cost first' in text)
        self.tmux('send-keys', '?')
        self.expect(lambda text: 'PgUp PgDn' in text)
        self.tmux('send-keys', 'q')
        self.expect_given_back()

    def test_q_ends_it(self):
        self.watch()
        self.tmux('send-keys', 'q')
        self.expect_given_back()

    def test_ctrl_c_ends_it(self):
        self.watch()
        self.tmux('send-keys', 'C-c')
        self.expect_given_back()

    def test_sigterm_ends_it(self):
        self.watch()
        shell = self.tmux('display-message', '-p', '#{pane_pid}').strip()
        children = pathlib.Path(f'/proc/{shell}/task/{shell}/children').read_text().split()
        os.kill(int(children[0]), signal.SIGTERM)
        self.expect_given_back()

    def test_ctrl_z_gives_the_terminal_back_meanwhile(self):
        self.type('set -m')
        self.watch()
        self.tmux('send-keys', 'C-z')
        self.expect(lambda text: 'q ends' not in text and text.rstrip().endswith('ready>'))
        self.type('fg')
        self.expect(lambda text: 'q ends' in text)
        self.tmux('send-keys', 'q')
        self.expect_given_back()

    def test_it_survives_a_restart_of_the_daemon(self):
        self.watch()
        self.end_daemon()
        text = self.expect(lambda text: 'not connected since' in text)
        self.assertIn('of 20 points in use', text)
        self.start_daemon()
        self.expect(lambda text: 'taking work' in text and 'not connected' not in text)

    def test_wide_names_move_no_line_away(self):
        self.ask('POST', '/v1/jobs', '{"id": "first", "cost": 15}')
        for number in range(12):
            key = (('構築作業', '🚀', 'z' + '\u0301' * 30)[number % 3] * 8)[:80]
            self.ask('POST', '/v1/jobs', json.dumps({'id': f'job-{number}', 'key': key, 'cost': 10}))
        self.watch()
        text = self.expect(lambda text: 'pending  12' in text)
        self.assertRegex(text, r'^sluice  .* \d\d:\d\d:\d\d\n')
        self.assertTrue(text.split('\n')[1].startswith('state  '), text)
        self.tmux('send-keys', 'q')
        self.expect_given_back()
        # Lines are wrapped again.
        self.type('printf %0100d 0')
        self.expect(lambda text: '0' * 80 + '\n' + '0' * 20 in text)

    def test_what_a_name_holds_is_not_obeyed(self):
        evil = '\u009b2J\u202eabc'
        for number in range(2):
            self.ask('POST', '/v1/jobs', json.dumps({'id': f'job-{number}', 'key': evil[3:], 'cost': 1,
                                                     'reasons': ['rate-limit:1:' + evil]}))
        self.watch()
        self.expect(lambda text: 'rate limit 1:??2J???abc: 1 run' in text)
        self.tmux('send-keys', 'q')
        self.expect_given_back()
        for command in 'status', 'explain job-1':
            said = subprocess.run([SLUICE, *command.split(), '--socket', self.socket], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            self.assertIn('rate limit 1:??2J???abc', said)
            self.assertFalse({evil[0], evil[3]} & set(said), said)

    def test_a_daemon_that_hangs_is_said_to_be_silent(self):
        self.type('set -m')
        self.watch()
        self.daemon.send_signal(signal.SIGSTOP)
        self.expect(lambda text: 'no answer for ' in text)
        self.tmux('resize-window', '-x', '60', '-y', '12')
        self.expect(lambda text: text.rstrip('\n').split('\n')[11].startswith('q ends'))
        self.tmux('send-keys', 'C-z')
        self.expect(lambda text: 'q ends' not in text and text.rstrip().endswith('ready>'))
        self.type('fg')
        self.expect(lambda text: 'not connected since' in text and 'the daemon does not' in text)
        self.daemon.send_signal(signal.SIGCONT)
        self.expect(lambda text: 'taking work' in text and 'not connected' not in text)

    def test_output_that_cannot_be_written_is_said(self):
        for more in [], ['--watch'], ['--watch', '--json']:
            done = subprocess.run(f'exec {SLUICE} status {" ".join(more)} --socket {self.socket} >/dev/full',
                                  shell=True, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (2, 'sluice status: cannot write to standard output\n'), more)

    def test_a_daemon_that_hangs_does_not_keep_it_from_ending(self):
        self.watch()
        self.daemon.send_signal(signal.SIGSTOP)
        self.expect(lambda text: 'no answer for ' in text)
        self.tmux('send-keys', 'q')
        self.expect_given_back()
        self.daemon.send_signal(signal.SIGCONT)

    def test_without_utf8_it_is_ascii_and_without_colours_it_is_plain(self):
        self.type('export LC_ALL=C NO_COLOR=1')
        self.watch()
        text = self.tmux('capture-pane', '-p', '-e')
        self.assertTrue(text.isascii(), text)
        self.assertNotIn('\x1b[3', text)

    def test_json_tells_each_change_once(self):
        changes = self.folder / 'changes'
        self.type(f'{SLUICE} status --watch --json --every 0.1 > {changes}')

        def told(count):
            until = time.monotonic() + 30
            while len(lines := changes.read_text().splitlines() if changes.exists() else []) < count:
                self.assertLess(time.monotonic(), until, lines)
                time.sleep(0.02)
            return [json.loads(line) for line in lines]
        told(1)
        self.ask('POST', '/v1/jobs', '{"id": "a", "cost": 15}')
        self.assertEqual(told(2)[-1]['status']['window']['usage'], 15)
        self.end_daemon()
        lost = told(3)[-1]
        self.assertIsNone(lost['status'])
        self.assertIn('not connected since', lost['problem'])
        self.start_daemon()
        self.assertEqual(told(4)[-1]['status']['window']['usage'], 0)
        self.tmux('send-keys', 'C-c')
        self.assertEqual(len(changes.read_text().splitlines()), 4)


if __name__ == '__main__':
    unittest.main()
