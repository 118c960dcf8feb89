"""Permits of the Python client from a real daemon."""
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import sluice
from world import DaemonTest, wait_for


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

    def test_leaves_few_connections_after_a_burst(self):
        before = self.descriptors()
        with contextlib.ExitStack() as held:
            for _ in range(20):
                held.enter_context(self.client.permit(cost=1))
            self.assertGreaterEqual(self.descriptors(), before + 20)
        self.assertEqual(len(self.client._idle), 8)
        wait_for(lambda: self.descriptors() <= before + 8, self.descriptors)

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
        self.expect_returned_by_a_kill("print('held', flush=True)")

    def test_is_returned_when_the_program_is_killed_that_has_a_forked_child(self):
        self.expect_returned_by_a_kill("os.fork() and print('held', flush=True)")

    def expect_returned_by_a_kill(self, line):
        code = f"import os, sluice, time\nwith sluice.permit(cost=20):\n  {line}\n  time.sleep(1000)"
        program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True,
                                   env=dict(os.environ, SLUICE_SOCKET=self.place))
        self.addCleanup(program.stdout.close)
        self.assertEqual(program.stdout.readline(), b"held\n")
        program.kill()
        program.wait()
        try:
            with self.client.permit(cost=20, wait=60):
                pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)

    def test_asks_anything(self):
        self.assertEqual(self.client.status()["socket"], self.place)
        self.assertEqual(self.client.ask("POST", "/v1/pause")["paused"], True)
        with self.assertRaises(sluice.Refused) as caught:
            self.client.ask("GET", "/v1/jobs/none")
        self.assertEqual(caught.exception.code, "no_such_job")


if __name__ == "__main__":
    unittest.main()
