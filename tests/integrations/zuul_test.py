"""The sensor for Zuul in a stand-in of Zuul's executor, which follows zuul/executor/server.py: builds are
pulled while the executor accepts work, and each build and each tick of its governor asks all sensors."""
import importlib.util
import os
import socket
import subprocess
import threading
import unittest

from daemons import COMMAND, INTEGRATIONS, DaemonTest, wait_for


def sensor_of(path, statsd=None):
    specification = importlib.util.spec_from_file_location("zuul_sluice", INTEGRATIONS / "zuul/sluice.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    os.environ["SLUICE_SOCKET"] = path
    try:
        return module.SluiceSensor(statsd, "zuul.executor.{hostname}")
    finally:
        del os.environ["SLUICE_SOCKET"]


class Executor:
    """Runs each build under `sluice run`, as a host does that other people use, too."""

    def __init__(self, daemon, queue, sensors):
        self.daemon, self.queue, self.sensors = daemon, queue, sensors
        self.accepts = True
        self.builds = []

    def manage_load(self):
        verdicts = [sensor.isOk() for sensor in self.sensors]
        self.accepts = all(is_ok for is_ok, _ in verdicts)
        return [reason for is_ok, reason in verdicts if not is_ok]

    def pull(self):
        while self.accepts and self.queue:
            self.queue.pop()
            command = [COMMAND, "run", "--quiet", "--no-daemon", "run", "--socket", self.daemon.socket, "--", "true"]
            self.builds.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
            self.manage_load()

    def stop(self):
        for build in self.builds:
            build.kill()
            build.wait()

    def succeeded(self):
        return [build.wait(60) for build in self.builds].count(0)


class Gauges:
    def __init__(self):
        self.values = {}

    def gauge(self, name, value):
        self.values[name] = value


class Zuul(DaemonTest):
    def setUp(self):
        super().setUp()
        self.queue = list(range(4))

    def executor(self, daemon, sensors):
        executor = Executor(daemon, self.queue, sensors)
        self.addCleanup(executor.stop)
        return executor

    def fill(self, daemon):
        status, job = daemon.ask("POST", "/v1/jobs", {"cost": 20})
        self.assertEqual((status, job["state"]), (201, "running"))
        wait_for(lambda: daemon.ask("GET", "/health/status")[0] == 503)
        return job["number"]

    def test_without_the_sensor_builds_wait_on_a_full_host_while_another_is_idle(self):
        idle = self.new_daemon("idle")
        self.fill(self.daemon)
        full_one, idle_one = self.executor(self.daemon, []), self.executor(idle, [])
        for executor in (full_one, idle_one):
            executor.manage_load()
            executor.pull()
        wait_for(lambda: self.daemon.jobs() == (1, 4), self.daemon.jobs)
        self.assertEqual((len(full_one.builds), len(idle_one.builds)), (4, 0))

    def test_with_the_sensor_a_full_host_takes_no_build_and_another_runs_them(self):
        idle = self.new_daemon("idle")
        job = self.fill(self.daemon)
        full_one = self.executor(self.daemon, [sensor_of(self.daemon.socket)])
        idle_one = self.executor(idle, [sensor_of(idle.socket)])
        self.assertEqual(full_one.manage_load(), ["sluice: full: 20 of 20 points are in use"])
        full_one.pull()

        def pulled():
            idle_one.manage_load()
            idle_one.pull()
            return not self.queue

        wait_for(pulled)
        self.assertEqual((len(full_one.builds), idle_one.succeeded()), (0, 4))

        self.daemon.ask("DELETE", f"/v1/jobs/{job}")
        wait_for(lambda: not full_one.manage_load())
        self.queue.append(5)
        full_one.pull()
        self.assertEqual(full_one.succeeded(), 1)

    def test_a_daemon_that_dies_is_named_once_and_builds_go_on(self):
        self.fill(self.daemon)
        executor = self.executor(self.daemon, [sensor_of(self.daemon.socket)])
        self.assertTrue(executor.manage_load())
        self.daemon.kill()
        with self.assertLogs("zuul.executor.sensor.sluice") as log:
            for _ in range(3):
                self.assertEqual(executor.manage_load(), [])
            executor.pull()
            self.assertEqual(executor.succeeded(), 4)
            self.daemon.start()
            self.fill(self.daemon)
            self.assertTrue(executor.manage_load())
        self.assertEqual([record.levelname for record in log.records], ["WARNING", "INFO"])
        self.assertIn(self.daemon.socket, log.records[0].getMessage())

    def test_an_answer_of_another_program_or_none_stops_no_builds(self):
        for answer in (b"nonsense\n", b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", b""):
            path = str(self.folder / f"other{len(answer)}")
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path)
                listener.listen()

                def serve():
                    with listener.accept()[0] as connection:
                        connection.recv(4096)
                        connection.sendall(answer)

                thread = threading.Thread(target=serve)
                thread.start()
                with self.assertLogs("zuul.executor.sensor.sluice", "WARNING"):
                    self.assertEqual(sensor_of(path).isOk(), (True, "sluice: no daemon"))
                thread.join()

    def test_gauges_say_whether_it_accepts_and_whether_a_daemon_answers(self):
        statsd = Gauges()
        sensor = sensor_of(self.daemon.socket, statsd)
        self.fill(self.daemon)
        sensor.isOk()
        accepts, governed = "zuul.executor.{hostname}.sluice_accepts", "zuul.executor.{hostname}.sluice_governed"
        self.assertEqual(statsd.values, {accepts: 0, governed: 1})
        self.daemon.kill()
        with self.assertLogs("zuul.executor.sensor.sluice", "WARNING"):
            sensor.isOk()
        self.assertEqual(statsd.values, {accepts: 1, governed: 0})

    def test_the_patch_adds_it_to_the_list(self):
        server = self.folder / "zuul/executor/server.py"
        server.parent.mkdir(parents=True)
        server.write_text("import os\n"
                          "from zuul.executor.sensors.startingbuilds import StartingBuildsSensor\n"
                          "from zuul.executor.sensors.ram import RAMSensor\n" + "\n" * 40 +
                          "        sensors = [\n"
                          "            RAMSensor(self.statsd, base_key, config),\n"
                          "            StartingBuildsSensor(self.statsd, base_key,\n"
                          "                                 self),\n"
                          "        ]\n")
        subprocess.run(["git", "apply", INTEGRATIONS / "zuul/sluice.patch"], cwd=self.folder, check=True)
        lines = [line.strip() for line in server.read_text().splitlines()]
        self.assertIn("from zuul.executor.sensors.sluice import SluiceSensor", lines)
        self.assertEqual(lines[lines.index("sensors = [") + 2], "SluiceSensor(self.statsd, base_key),")


if __name__ == "__main__":
    unittest.main()
