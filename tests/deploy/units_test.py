"""The systemd units: correct, hardened, and their commands do what the unit says."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
UNITS = SOURCE / 'deploy' / 'systemd'
SLUICE = os.environ.get('SLUICE_COMMAND', SOURCE / 'build/dev/bin/sluice')

# What systemd-analyze calls exposure, 0 to 10: less is better.
MOST_EXPOSED = {'sluice': 1.7, 'sluice-autoscale': 1.2}
MOST_EXPOSED_WITH_WORK_SOURCES = 3.0


def configured(name, folder):
    """The unit as it is installed, with a command that is there."""
    text = (UNITS / f'{name}.service.in').read_text()
    places = {'@CMAKE_INSTALL_FULL_BINDIR@/sluice': str(SLUICE),
              '@CMAKE_INSTALL_FULL_SYSCONFDIR@': '/etc',
              '@CMAKE_INSTALL_FULL_DOCDIR@': '/usr/share/doc/sluice'}
    for place, value in places.items():
        text = text.replace(place, value)
    path = folder / f'{name}.service'
    path.write_text(text)
    return path


def settings(name):
    """The unit's lines as (key, value), in order."""
    lines = (UNITS / f'{name}.service.in').read_text().splitlines()
    return [tuple(line.split('=', 1)) for line in lines if re.match(r'\w+=', line)]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


@unittest.skipUnless(shutil.which('systemd-analyze'), 'systemd-analyze is not there')
class Analyzed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='sluice-units-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def expect_clean(self, unit):
        status, said = run('systemd-analyze', 'verify', '--man=no', unit)
        self.assertEqual((status, said), (0, ''))

    def expect_exposure(self, unit, most):
        _, said = run('systemd-analyze', 'security', '--offline=true', '--no-pager', unit)
        found = re.search(r'Overall exposure level for .*: ([0-9.]+) ', said)
        self.assertTrue(found, said)
        print(found.group(0))
        self.assertLessEqual(float(found.group(1)), most, said)

    def test_the_units_are_clean_and_hardened(self):
        for name, most in MOST_EXPOSED.items():
            with self.subTest(name):
                unit = configured(name, self.folder)
                self.expect_clean(unit)
                self.expect_exposure(unit, most)

    def test_with_what_work_sources_need_it_is_still_hardened(self):
        unit = configured('sluice', self.folder)
        (self.folder / 'sluice.service.d').mkdir()
        shutil.copy(UNITS / 'work-sources.conf', self.folder / 'sluice.service.d')
        self.expect_clean(unit)
        self.expect_exposure(unit, MOST_EXPOSED_WITH_WORK_SOURCES)

    def test_a_mistake_in_a_unit_would_be_said(self):
        unit = configured('sluice', self.folder)
        unit.write_text(unit.read_text().replace('WatchdogSec=30s', 'WatchdogSec=often'))
        self.assertNotEqual(run('systemd-analyze', 'verify', '--man=no', unit)[1], '')

    @unittest.skipUnless(shutil.which('systemd-sysusers'), 'systemd-sysusers is not there')
    def test_the_user_of_the_unit_is_made(self):
        root = self.folder / 'root' / 'etc'
        root.mkdir(parents=True)
        status, said = run('systemd-sysusers', '--dry-run', f'--root={root.parent}', UNITS / 'sysusers.conf')
        self.assertEqual(status, 0, said)
        self.assertIn('sluice', said)


class Unit(unittest.TestCase):
    def test_the_sensors_may_read_what_they_read(self):
        given = dict(settings('sluice'))
        self.assertEqual(given.get('ProcSubset'), 'all')
        self.assertEqual(given.get('ProtectProc'), 'default')
        self.assertNotIn('PrivateUsers', given)

    def test_a_stop_reaches_the_daemon_alone_and_it_may_ask_for_time(self):
        given = dict(settings('sluice'))
        self.assertEqual(given['KillMode'], 'mixed')
        self.assertEqual(given['Type'], 'notify')

    def test_a_stop_of_the_autoscaler_leaves_its_order_the_time_to_end(self):
        given = dict(settings('sluice-autoscale'))
        self.assertEqual(given['KillMode'], 'mixed')

    def test_the_shipped_configuration_is_a_valid_one(self):
        status, said = run(SLUICE, 'config', 'check', UNITS / 'sluice.yaml')
        self.assertEqual(status, 0, said)


class Started(unittest.TestCase):
    """The command of the unit, with a stand-in for the service manager."""

    def test_it_tells_the_manager_of_its_life(self):
        with tempfile.TemporaryDirectory(prefix='sluice-unit-') as folder, \
             socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(f'{folder}/notify')
            manager.settimeout(30)
            command = dict(settings('sluice'))['ExecStart'].split()
            self.assertEqual(command[1:3], ['serve', '--config'])
            environment = os.environ | {'NOTIFY_SOCKET': f'{folder}/notify', 'WATCHDOG_USEC': '200000',
                                        'STATE_DIRECTORY': folder, 'SLUICE_SOCKET': f'{folder}/socket'}
            daemon = subprocess.Popen([SLUICE, 'serve', '--config', UNITS / 'sluice.yaml', '--listen', 'off'],
                                      env=environment, stderr=subprocess.DEVNULL)
            try:
                self.hear(manager, 'READY=1')
                self.hear(manager, 'WATCHDOG=1')
                daemon.send_signal(signal.SIGHUP)
                self.hear(manager, 'RELOADING=1')
                self.hear(manager, 'READY=1')
                daemon.send_signal(signal.SIGTERM)
                self.hear(manager, 'STOPPING=1')
                self.assertEqual(daemon.wait(30), 0)
            finally:
                daemon.kill()
                daemon.wait()

    def hear(self, manager, what):
        """Waits for that message; others may come before."""
        while not manager.recv(4096).decode().startswith(what):
            pass


if __name__ == '__main__':
    unittest.main()
