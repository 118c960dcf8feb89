"""Permits of the Python client from a real daemon, and what happens when it goes away."""
import os
import socket
import subprocess
import sys
import threading
import time
import unittest
import warnings

import sluice
from world import DaemonTest


class Permit(DaemonTest):
    def setUp(self):
        super().setUp()
        self.start_daemon()
        self.client = sluice.Client(self.place)
        self.addCleanup(self.client.close)

    def test_is_held_within_the_block_and_returned_after_it(self):
        with self.client.permit(key="lint", queue="nightly", priority=3, memory="64MiB") as permit:
            self.assertTrue(permit.is_governed)
            self.assertGreaterEqual(permit.cost, 1)
            job = self.job(permit.job["number"])
            self.assertEqual((job["state"], job["key"], job["queue"], job["priority"], job["memory"]),
                             ("running", "lint", "nightly", 3, 64 << 20))
            self.assertEqual(permit.environment["SLUICE_PERMIT"], permit.job["permit"])
        self.assertEqual(self.job(job["number"])["outcome"], "ok")
        self.assertEqual(self.jobs(), (0, 0))

    def test_of_a_block_that_fails_has_failed(self):
        with self.assertRaises(ZeroDivisionError), self.client.permit() as permit:
            1 / 0
        self.assertEqual(self.job(permit.job["number"])["outcome"], "failed")
        with self.assertRaises(KeyboardInterrupt), self.client.permit() as permit:
            raise KeyboardInterrupt
        self.assertEqual(self.job(permit.job["number"])["outcome"], "cancelled")

    def test_keeps_its_connection(self):
        for _ in range(5):
            with self.client.permit():
                pass
        self.assertEqual(len(self.client._idle), 1)

    def test_waits_until_there_is_room(self):
        order = []

        def work():
            with self.client.permit(cost=20):
                order.append("second")

        with self.client.permit(cost=20):
            thread = threading.Thread(target=work)
            thread.start()
            self.wait_for_jobs(1, 1)
            order.append("first")
        thread.join(60)
        self.assertEqual(order, ["first", "second"])
        self.assertEqual(self.jobs(), (0, 0))

    def test_that_is_not_granted_in_time_says_what_it_waited_for(self):
        other = sluice.Client(self.place)
        with self.client.permit(cost=20):
            result = []

            def work():
                try:
                    with other.permit(cost=20, wait=0.2):
                        pass
                except sluice.NotAdmitted as error:
                    result.append(str(error))

            thread = threading.Thread(target=work)
            thread.start()
            thread.join(60)
            self.assertEqual(self.jobs(), (1, 0))
        self.assertRegex(result[0], "^not admitted in time: needs 20 points")
        self.assertIsInstance(sluice.NotAdmitted(), TimeoutError)

    def test_within_a_permit_works_on_it(self):
        with self.client.permit(cost=20) as outer:
            with self.client.permit(cost=20, wait=30) as inner:
                self.assertEqual(str(inner.job["parent"]), str(outer.job["id"]))
            with self.client.permit(cost=20, wait=30):
                pass
        with self.client.permit() as permit:
            self.assertNotIn("parent", permit.job)

    def test_works_on_that_of_the_command_in_which_it_runs(self):
        with self.client.permit(cost=20) as outer:
            code = ("import sluice\nwith sluice.permit(cost=20, wait=30) as p: print(p.job['parent'])\n"
                    "with sluice.permit(cost=20, wait=30) as p: print(p.job['parent'])")
            done = self.client.run([sys.executable, "-c", code], capture_output=True, text=True, cost=20,
                                   env=dict(os.environ, SLUICE_SOCKET=self.place))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(str(outer.job["id"]), done.stdout.split())
            self.assertEqual(len(set(done.stdout.split())), 1)

    def test_takes_locks_and_resources(self):
        with self.client.permit(locks={"node": "exclusive:n1"}, resources={"db": 2}) as permit:
            self.assertEqual(sorted(permit.job["items"]["db"]), ["one", "two"])
            self.assertEqual(permit.job["locks"], {"node": "exclusive:n1"})
            self.assertEqual(set(permit.environment["SLUICE_RM_DB_ITEMS"].split(",")), {"one", "two"})

    def test_that_is_refused_says_why(self):
        with self.assertRaises(sluice.Refused) as caught, self.client.permit(queue="no-such"):
            pass
        self.assertEqual(caught.exception.code, "invalid")
        with self.assertRaises(sluice.Refused) as caught, self.client.permit(cost=21):
            pass
        self.assertEqual(caught.exception.code, "impossible")
        self.assertEqual(self.jobs(), (0, 0))

    def test_that_somebody_cancels_is_refused(self):
        with self.client.permit(cost=20):
            caught = []

            def work():
                try:
                    with sluice.Client(self.place).permit(cost=20):
                        pass
                except sluice.Refused as error:
                    caught.append(error.code)

            thread = threading.Thread(target=work)
            thread.start()
            self.wait_for_jobs(1, 1)
            waiting = next(job for job in self.ask("GET", "/v1/jobs")["jobs"] if job["state"] == "pending")
            self.ask("DELETE", f"/v1/jobs/{waiting['number']}")
            thread.join(60)
        self.assertEqual(caught, ["cancelled"])

    def test_of_a_highlander_whose_like_waits_is_refused(self):
        caught = []

        def enter():
            try:
                with sluice.Client(self.place).permit(key="k", resources={"deploy": 1}):
                    pass
            except sluice.Refused as error:
                caught.append(error.code)

        with self.client.permit(key="k", resources={"deploy": 1}):
            threads = [threading.Thread(target=enter) for _ in range(2)]
            threads[0].start()
            self.wait_for_jobs(1, 1)
            threads[1].start()
            threads[1].join(60)
            self.assertEqual(caught, ["deduplicated"])
        threads[0].join(60)
        self.assertEqual(caught, ["deduplicated"])

    def test_is_one_of_each_thread(self):
        most, running, guard = [0], [0], threading.Lock()

        def work():
            for _ in range(5):
                with self.client.permit(cost=5):
                    with guard:
                        running[0] += 1
                        most[0] = max(most[0], running[0])
                    time.sleep(0.001)
                    with guard:
                        running[0] -= 1

        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(self.jobs(), (0, 0))
        self.assertLessEqual(most[0], 4)

    def test_object_can_be_entered_by_several_threads(self):
        gate, inside = self.client.permit(key="gate"), threading.Barrier(3)
        leave = [threading.Event(), threading.Event()]

        def work(index):
            with gate as permit:
                numbers[index] = permit.job["number"]
                inside.wait(60)
                leave[index].wait(60)

        numbers = [0, 0]
        threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
        for thread in threads:
            thread.start()
        inside.wait(60)
        for index in range(2):
            self.assertEqual(self.job(numbers[index])["state"], "running")
            leave[index].set()
            threads[index].join(60)
            self.assertEqual(self.job(numbers[index])["state"], "finished")

    def test_does_not_share_its_connection_with_a_forked_process(self):
        with self.client.permit():
            pass
        child = os.fork()
        if child == 0:
            try:
                with self.client.permit() as permit:
                    os._exit(0 if permit.is_governed else 1)
            finally:
                os._exit(2)
        # A fork within the block holds the permit no longer than its parent does.
        with self.client.permit() as permit:
            inner = os.fork()
            if inner == 0:
                permit_block_ends = True
            else:
                permit_block_ends = False
                self.assertEqual(os.waitpid(inner, 0)[1], 0)
                self.assertEqual(self.job(permit.job["number"])["state"], "running")
        if permit_block_ends:
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.jobs(), (0, 0))

    def test_is_returned_when_the_program_is_killed(self):
        code = ("import sluice, sys, time\nwith sluice.permit(cost=20):\n  print('held', flush=True)\n"
                "  time.sleep(1000)")
        program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                                   env=dict(os.environ, SLUICE_SOCKET=self.place))
        self.addCleanup(program.stdout.close)
        self.assertEqual(program.stdout.readline(), b"held\n")
        program.kill()
        program.wait()
        with self.client.permit(cost=20, wait=60):
            pass

    def test_asks_anything(self):
        self.assertEqual(self.client.status()["socket"], self.place)
        self.assertEqual(self.client.ask("POST", "/v1/pause")["paused"], True)
        with self.assertRaises(sluice.Refused) as caught:
            self.client.ask("GET", "/v1/jobs/none")
        self.assertEqual(caught.exception.code, "no_such_job")


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

    def test_is_no_daemon_if_it_answers_anything_else(self):
        for answer in (b"", b"garbage", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                       b"HTTP/1.1 2x0 OK\r\nContent-Length: 2\r\n\r\n{}", b"x" * 20000,
                       b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
                       b"HTTP/1.1 500 Bad\r\nContent-Length: 2\r\n\r\n{}",
                       b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\xff\xfe\x00",
                       b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}",
                       b'HTTP/1.1 201 Created\r\nContent-Length: 19\r\n\r\n{"state": "pending"'):
            with self.subTest(answer=answer[:60]):
                with self.assertRaises(sluice.SluiceError), self.answering(answer).permit(wait=0.1):
                    pass

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


class BadArguments(unittest.TestCase):
    def test_of_a_wrong_type_are_named(self):
        client = sluice.Client("/no/such/socket")
        for name, value in {"key": 3, "queue": b"q", "priority": "1", "cost": True, "memory": 1.5, "locks": [],
                            "resources": {"db": "2"}, "wait": "1s", "without_daemon": True}.items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"^{name}"):
                client.permit(**{name: value})
        with self.assertRaisesRegex(TypeError, r"^a key of locks must be a string"):
            client.permit(locks={1: "none"})
        with self.assertRaisesRegex(TypeError, r"^locks\['node'\] must be a string, not int"):
            client.permit(locks={"node": 1})
        with self.assertRaisesRegex(TypeError, "^socket must be a path"):
            sluice.Client(3)
        with self.assertRaisesRegex(TypeError, "^args must be a sequence of words, not str"):
            client.run("ls -l")
        with self.assertRaisesRegex(TypeError, r"^args\[1\] must be a string or a path, not int"):
            client.run(["sleep", 1])
        with self.assertRaisesRegex(TypeError, "program must be a path"):
            sluice.Governor(program=None)
        with self.assertRaises(TypeError):
            client.permit(cots=3)

    def test_of_a_wrong_value_are_named(self):
        client = sluice.Client("/no/such/socket")
        for name, value in {"key": "", "queue": "a\nb", "priority": 2**31, "cost": 0, "memory": -1, "wait": -1,
                            "without_daemon": "ignore"}.items():
            with self.subTest(name), self.assertRaisesRegex(ValueError, f"^{name}"):
                client.permit(**{name: value})
        for key in ("k" * 257, "\ud800"):
            with self.assertRaisesRegex(ValueError, "^key"):
                client.permit(key=key)
        for path in ("", "x" * 108, "a\0b"):
            with self.assertRaisesRegex(ValueError, "^socket"):
                sluice.Client(path)
        with self.assertRaisesRegex(ValueError, "^wait"):
            client.permit(wait=float("nan"))
        for words in ([], [""]):
            with self.assertRaisesRegex(ValueError, "^args"):
                client.run(words)


class Trust(unittest.TestCase):
    def test_is_in_root_the_user_and_the_owner_of_the_system_folder(self):
        from sluice._places import distrust
        self.assertIsNone(distrust(0, "/tmp/s"))
        self.assertIsNone(distrust(os.geteuid(), "/tmp/s"))
        self.assertRegex(distrust(54321, "/tmp/s"), "belongs to user 54321, neither root nor you")

    def test_lets_a_daemon_set_only_variables_of_items(self):
        from sluice._admission import variables
        job = {"environment": {"SLUICE_RM_DB_ITEMS": "a", "JQM_RM_DISCRETE_DB_ITEMS": "a", "LD_PRELOAD": "x",
                               "SLUICE_RM_\n_ITEMS": "x", "SLUICE_RM_x_ITEMS": "x", "PATH": "x"}}
        self.assertEqual(variables(job, "/s"), {"SLUICE_RM_DB_ITEMS": "a", "JQM_RM_DISCRETE_DB_ITEMS": "a"})


if __name__ == "__main__":
    unittest.main()
