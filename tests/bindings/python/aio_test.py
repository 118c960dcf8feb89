"""The Python client's twin for asyncio."""
import asyncio
import os
import subprocess
import time
import unittest
import warnings

import sluice
from world import DaemonTest, wait_for


class Aio(DaemonTest):
    def setUp(self):
        super().setUp()
        self.start_daemon()
        self.client = sluice.aio.Client(self.place)

    def run_async(self, coroutine):
        async def bounded():
            try:
                return await asyncio.wait_for(coroutine, 120)
            finally:
                await self.client.close()

        return asyncio.run(bounded())

    async def eventually(self, running, pending):
        for _ in range(6000):
            if self.jobs() == (running, pending):
                return
            await asyncio.sleep(0.01)
        self.fail(self.jobs())

    def test_permit_is_held_within_the_block(self):
        async def main():
            async with self.client.permit(key="lint") as permit:
                self.assertEqual(self.job(permit.job["number"])["key"], "lint")
            self.assertEqual(self.job(permit.job["number"])["outcome"], "ok")
            with self.assertRaises(ZeroDivisionError):
                async with self.client.permit() as permit:
                    1 / 0
            self.assertEqual(self.job(permit.job["number"])["outcome"], "failed")
            self.assertEqual(len(self.client._idle), 1)

        self.run_async(main())

    def test_tasks_wait_for_each_other(self):
        most, running = 0, 0

        async def work():
            nonlocal most, running
            async with self.client.permit(cost=5):
                running += 1
                most = max(most, running)
                await asyncio.sleep(0.01)
                running -= 1

        async def main():
            await asyncio.gather(*(work() for _ in range(30)))

        self.run_async(main())
        self.assertLessEqual(most, 4)
        self.assertEqual(self.jobs(), (0, 0))

    def test_leaves_few_connections_after_a_burst(self):
        before = self.descriptors()

        async def main():
            inside = asyncio.Event()
            tasks = [asyncio.ensure_future(self.hold(inside)) for _ in range(20)]
            await self.eventually(20, 0)
            inside.set()
            await asyncio.gather(*tasks)
            self.assertEqual(len(self.client._idle), 8)

        asyncio.run(main())
        wait_for(lambda: self.descriptors() <= before + 8, self.descriptors)
        self.run_async(self.client.close())

    async def hold(self, until):
        async with self.client.permit(cost=1):
            await until.wait()

    def test_permit_within_a_permit_works_on_it(self):
        async def main():
            async with self.client.permit(cost=20) as outer:
                async with self.client.permit(cost=20, wait=30) as inner:
                    self.assertEqual(str(inner.job["parent"]), str(outer.job["id"]))
                await asyncio.gather(*(self.client.run(["true"], cost=20, wait=30) for _ in range(3)))

        self.run_async(main())

    def test_cancelled_task_waits_no_longer(self):
        async def work():
            async with self.client.permit(cost=20):
                self.fail("it must not run")

        async def main():
            async with self.client.permit(cost=20):
                task = asyncio.get_running_loop().create_task(self.detached(work()))
                await self.eventually(1, 1)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                await self.eventually(1, 0)

        self.run_async(main())

    async def detached(self, coroutine):
        """Without the permit of the task that started it."""
        sluice._granted._current.set(None)
        await coroutine

    def test_permit_that_is_not_granted_in_time_raises(self):
        async def late():
            with self.assertRaises(sluice.NotAdmitted):
                async with self.client.permit(cost=20, wait=0.2):
                    self.fail("it must not run")

        async def main():
            async with self.client.permit(cost=20):
                await asyncio.get_running_loop().create_task(self.detached(late()))
            self.assertEqual(self.jobs(), (0, 0))

        self.run_async(main())

    def test_runs_commands(self):
        async def main():
            done = await self.client.run(["sh", "-c", "cat; exit 3"], input=b"in", capture_output=True, key="k")
            self.assertEqual((done.returncode, done.stdout), (3, b"in"))
            with self.assertRaises(subprocess.CalledProcessError):
                await self.client.run(["false"], check=True)
            with self.assertRaises(FileNotFoundError):
                await self.client.run(["/no/such/program"])
            task = asyncio.get_running_loop().create_task(self.client.run(["sleep", "1000"]))
            await self.eventually(1, 0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(self.jobs(), (0, 0))

        self.run_async(main())

    def test_cancelled_command_is_not_waited_for_by_its_pipes(self):
        alive = self.folder / "alive"
        alive.touch()
        line = f"while [ -e {alive} ]; do sleep 0.1; done & exec sleep 1000"

        async def main():
            for turns in range(30):
                run = self.client.run(["sh", "-c", line], capture_output=True, input=b"x" * 2**18)
                task = asyncio.ensure_future(run)
                for _ in range(turns):
                    time.sleep(0.003)
                    await asyncio.sleep(0)
                task.cancel()
                done, _ = await asyncio.wait({task}, timeout=20)
                self.assertTrue(done and task.cancelled(), turns)
            await self.eventually(0, 0)

        self.addCleanup(alive.unlink)
        self.run_async(main())

    def test_is_cancelled_at_any_moment(self):
        async def main():
            for turns in range(30):
                task = asyncio.get_running_loop().create_task(self.client.run(["sleep", "1000"]))
                for _ in range(turns):
                    time.sleep(0.003)  # An answer is always there at the next turn of the loop.
                    await asyncio.sleep(0)
                task.cancel()
                done, _ = await asyncio.wait({task}, timeout=60)
                self.assertTrue(done and task.cancelled(), turns)
            await self.eventually(0, 0)

        self.run_async(main())

    def test_serves_one_loop_after_the_other(self):
        async def main():
            async with self.client.permit() as permit:
                return permit.is_governed

        for _ in range(2):
            self.assertTrue(asyncio.run(main()))
        self.run_async(self.client.close())

    def test_finds_a_daemon_that_comes_back(self):
        async def main():
            async with self.client.permit():
                self.kill_daemon()
            with self.assertRaises(sluice.NoDaemon):
                async with self.client.permit():
                    self.fail("it must not run")
            self.start_daemon()
            async with self.client.permit(cost=20):
                async def work():
                    async with self.client.permit(cost=20) as permit:
                        return permit.is_governed

                task = asyncio.get_running_loop().create_task(self.detached_result(work()))
                await self.eventually(1, 1)
                self.kill_daemon()
                self.start_daemon()
                self.assertTrue(await task)

        self.run_async(main())

    async def detached_result(self, coroutine):
        sluice._granted._current.set(None)
        return await coroutine

    def test_without_a_daemon_work_runs_if_it_may_and_is_told_once(self):
        async def main():
            client = sluice.aio.Client("/no/such/socket", without_daemon="run")
            for _ in range(2):
                async with client.permit() as permit:
                    self.assertFalse(permit.is_governed)
            self.assertEqual((await client.run(["true"])).returncode, 0)
            with self.assertRaises(sluice.NoDaemon) as caught:
                async with client.permit(without_daemon="raise"):
                    self.fail("it must not run")
            self.assertIsNone(caught.exception.__context__)

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.run_async(main())
        self.assertEqual([each.category for each in told], [sluice.NoDaemonWarning])

    def test_names_arguments_of_a_wrong_type(self):
        with self.assertRaisesRegex(TypeError, "^cost"):
            self.client.permit(cost="3")
        with self.assertRaisesRegex(TypeError, "^args"):
            self.run_async(self.client.run("ls"))

    def test_default_client_finds_the_daemon_by_the_environment(self):
        async def main():
            async with sluice.aio.permit(key="lint") as permit:
                return permit.is_governed

        os.environ["SLUICE_SOCKET"] = self.place
        self.addCleanup(os.environ.pop, "SLUICE_SOCKET")
        self.assertTrue(asyncio.run(main()))
        with sluice.permit() as permit:
            self.assertTrue(permit.is_governed)
        sluice._default.close()


if __name__ == "__main__":
    unittest.main()
