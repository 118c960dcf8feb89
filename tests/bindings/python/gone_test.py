"""What the Python client does when its daemon is missing, goes away, or is none."""
import asyncio
import grp
import os
import pwd
import signal
import socket
import stat
import threading
import time
import unittest
import warnings
from unittest import mock

import sluice
import sluice._connection
import sluice._run
import sluice.aio
from world import DaemonTest, soon


class DaemonGone(DaemonTest):
    def client(self, **options):
        client = sluice.Client(self.place, **options)
        self.addCleanup(client.close)
        return client

    def test_without_one_a_permit_raises(self):
        with self.assertRaises(sluice.NoDaemon) as caught, self.client().permit():
            self.fail("it must not run")
        self.assertIn(f"tried {self.place}; start one with `sluice serve`", str(caught.exception))
        self.assertIsInstance(caught.exception, ConnectionError)
        self.assertIsNone(caught.exception.__context__)

    def test_without_one_work_runs_if_it_may_and_is_told_once(self):
        client = self.client(without_daemon="run")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(3):
                with client.permit() as permit:
                    self.assertFalse(permit.is_governed)
                    self.assertEqual((permit.cost, permit.environment), (0, {}))
            self.assertEqual(client.run(["true"]).returncode, 0)
        self.assertEqual([each.category for each in told], [sluice.NoDaemonWarning])
        self.assertEqual(told[0].filename, __file__)
        with self.assertRaises(sluice.NoDaemon), client.permit(without_daemon="raise"):
            pass

    def test_that_refuses_the_user_is_told_with_the_group_to_join(self):
        refused = mock.Mock(**{"return_value.connect.side_effect": PermissionError})
        group, user = grp.getgrgid(1).gr_name, pwd.getpwuid(2).pw_name
        join = f": you are not in its group `{group}`: `sudo usermod -aG {group} {user}`, then log in again"
        of_root = ": have `service.group` name a group of this user's"
        for gid, mode, expected in ((1, 0o660, join), (0, 0o660, of_root), (1, 0o600, ""), (0, 0o600, "")):
            facts = mock.Mock(st_gid=gid, st_uid=0, st_mode=stat.S_IFSOCK | mode)
            with (mock.patch("socket.socket", refused), mock.patch("os.stat", return_value=facts),
                  mock.patch("os.getgroups", return_value=[]),
                  mock.patch("os.getegid", return_value=2), mock.patch("os.geteuid", return_value=2),
                  self.assertRaises(sluice.NoDaemon) as caught):
                sluice._connection.open_socket(self.place)
            self.assertEqual(str(caught.exception),
                             f"no permission to use the sluice daemon at {self.place}{expected}")

    def test_without_the_usual_one_names_those_that_builds_have_started(self):
        runtime = self.folder / "run"
        own = runtime / "sluice"
        for each in (runtime, own, own / "alone-x"):
            each.mkdir(mode=0o700)
        for name in ("group-7.sock", "alone-x/sluice.sock", "group-8.sock"):
            listening = socket.socket(socket.AF_UNIX)
            self.addCleanup(listening.close)
            listening.bind(str(own / name))
            if name != "group-8.sock":  # Left of one that was killed.
                listening.listen()

        def problem(named=None):
            with self.assertRaises(sluice.NoDaemon) as caught:
                sluice._connection.open_socket(named)
            return str(caught.exception)

        with (mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": str(runtime), "SLUICE_SOCKET": ""}),
              mock.patch("sluice._places.SYSTEM_SOCKET", str(self.folder / "none"))):
            self.assertTrue(problem().endswith(
                "; start one with `sluice serve`; "
                f"a daemon for one build serves at {own}/alone-x/sluice.sock; "
                f"a daemon for the memory limit of a cgroup serves at {own}/group-7.sock"
                ": name it by `socket` or SLUICE_SOCKET"), problem())
            self.assertNotIn("serves at", problem(self.place))
            own.chmod(0o770)
            self.assertNotIn("serves at", problem(), "somebody else may have made them")

    def test_that_comes_back_is_found_again(self):
        self.start_daemon()
        client = self.client()
        with client.permit():
            pass
        self.kill_daemon()
        with self.assertRaises(sluice.NoDaemon), client.permit():
            pass
        self.start_daemon()
        with client.permit() as permit:
            self.assertTrue(permit.is_governed)

    def test_while_a_permit_is_held_disturbs_nothing(self):
        self.start_daemon()
        client = self.client()
        with client.permit():
            self.kill_daemon()
        self.start_daemon()
        with client.permit(), client.permit():
            self.kill_daemon()
            self.start_daemon()
        self.assertEqual(self.jobs(), (0, 0))

    def test_while_a_job_waits_is_waited_for(self):
        self.start_daemon()
        client, granted = self.client(), []

        def work():
            with client.permit(cost=20) as permit:
                granted.append(permit.is_governed)

        holder = self.client()
        with holder.permit(cost=20):
            thread = threading.Thread(target=work)
            thread.start()
            self.wait_for_jobs(1, 1)
            self.kill_daemon()
            self.start_daemon()
            thread.join(60)
        self.assertEqual(granted, [True])

    def test_while_a_job_waits_with_a_limit_raises_after_it(self):
        self.start_daemon()
        client, raised = self.client(), []

        def work():
            try:
                with client.permit(cost=20, wait=1):
                    pass
            except sluice.NoDaemon as error:
                raised.append(error)

        with self.client().permit(cost=20):
            thread = threading.Thread(target=work)
            thread.start()
            self.wait_for_jobs(1, 1)
            self.kill_daemon()
            thread.join(60)
        self.assertEqual(len(raised), 1)

    def test_that_does_not_answer_holds_nobody_longer_than_asked(self):
        place = str(self.folder / "silent")
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        server.bind(place)
        server.listen()
        for call in (self.wait_for_silence, self.wait_for_silence_in_a_loop):
            began = time.monotonic()
            with self.assertRaisesRegex(sluice.NoDaemon, "the daemon does not answer"):
                call(place)
            self.assertLess(time.monotonic() - began, 30)

    @staticmethod
    def wait_for_silence(place):
        with sluice.Client(place).permit(wait=0.1):
            pass

    @staticmethod
    def wait_for_silence_in_a_loop(place):
        async def wait():
            async with sluice.aio.Client(place).permit(wait=0.1):
                pass
        asyncio.run(wait())

    def test_that_hangs_holds_no_block_and_no_command(self):
        self.start_daemon()
        with soon(), self.client().permit():
            self.daemon.send_signal(signal.SIGSTOP)
        self.daemon.send_signal(signal.SIGCONT)
        self.wait_for_jobs(0, 0)
        # It hangs while the command is reported, and so before its end.
        with mock.patch.object(sluice._run, "REPORTS", 0.001), soon():
            self.client().run(["sh", "-c", f"kill -STOP {self.daemon.pid}; sleep 0.1"])
        self.daemon.send_signal(signal.SIGCONT)
        self.wait_for_jobs(0, 0)

    def test_that_hangs_holds_no_cancelled_task(self):
        self.start_daemon()
        stopped = self.folder / "stopped"
        words = ["sh", "-c", f"kill -STOP {self.daemon.pid}; touch {stopped}; exec sleep 1000"]

        async def main():
            client = sluice.aio.Client(self.place)
            task = asyncio.ensure_future(client.run(words))
            while not stopped.exists():
                await asyncio.sleep(0.01)
            task.cancel()
            with soon():
                await asyncio.wait({task})
            self.assertTrue(task.cancelled())
            await client.close()

        with mock.patch.object(sluice._run, "REPORTS", 0.001):
            asyncio.run(main())
        self.daemon.send_signal(signal.SIGCONT)
        self.wait_for_jobs(0, 0)

    def test_is_no_daemon_if_it_answers_anything_else(self):
        for answer in (b"", b"garbage", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                       b"HTTP/1.1 2x0 OK\r\nContent-Length: 2\r\n\r\n{}", b"x" * 20000,
                       b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
                       b"HTTP/1.1 500 Bad\r\nContent-Length: 2\r\n\r\n{}",
                       b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\xff\xfe\x00",
                       b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}",
                       b'HTTP/1.1 201 Created\r\nContent-Length: 19\r\n\r\n{"state": "pending"',
                       b'HTTP/1.1 201 Created\r\nContent-Length: 20\r\n\r\n{"state": "pending"}',
                       b'HTTP/1.1 201 Created\r\nContent-Length: 33\r\n\r\n{"state": "running", "number": 1}'):
            with self.subTest(answer=answer[:60]):
                with self.assertRaises(sluice.SluiceError), self.answering(answer).permit():
                    pass

    def test_is_no_daemon_if_it_sends_more_than_the_answer(self):
        client = self.answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" * 2)
        with self.assertRaises(sluice.SluiceError):
            client.status()
        self.assertEqual(client._idle, [])

    def answering(self, answer):
        """A client of a server that always answers so and then closes the connection."""
        place = str(self.folder / f"odd-{time.monotonic_ns()}")
        server = socket.socket(socket.AF_UNIX)
        server.bind(place)
        server.listen()
        self.addCleanup(server.close)

        def serve():
            try:
                while True:
                    peer, _ = server.accept()
                    with peer:
                        peer.recv(65536)
                        peer.sendall(answer)
            except OSError:
                pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        return sluice.Client(place)


if __name__ == "__main__":
    unittest.main()
