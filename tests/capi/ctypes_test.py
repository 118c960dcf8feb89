"""libsluice.so from Python by ctypes alone, as a binding would use it."""

import ctypes
import json
import os
import pathlib
import tempfile
import threading
import unittest

LIBRARY = os.environ["SLUICE_LIBRARY"]
OK, REFUSED, INVALID = 0, 1, 2
DEADLINE = 30
# A window of 40 points, whatever else this host does.
QUIET = """\
window: {law: rfc, initial: 40, minimum: 40, maximum: 40, interval: 50ms}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,
          cgroup: off, disk: off, pids: off, starting: off}
cost: {model: formula}
"""


class Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("code", ctypes.c_int),
                ("reason", ctypes.c_char * 36), ("text", ctypes.c_char * 976)]


class Reading(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("value", ctypes.c_double), ("limit", ctypes.c_double),
                ("pressure", ctypes.c_double), ("sentence", ctypes.c_char * 256)]


MEASURE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Reading))
ON_ADMISSION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p,
                                ctypes.POINTER(Error))


class Sensor(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("measure", MEASURE),
                ("context", ctypes.c_void_p), ("acts", ctypes.c_int), ("resume", ctypes.c_double),
                ("max_age", ctypes.c_double)]


class GovernorOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("config_file", ctypes.c_char_p),
                ("sensors", ctypes.POINTER(ctypes.POINTER(Sensor))),
                ("sensor_count", ctypes.c_size_t), ("on_accepting", ctypes.c_void_p),
                ("on_accepting_context", ctypes.c_void_p)]


class JobOptions(ctypes.Structure):
    """The fields that this binding knows: a program need not know all."""
    _fields_ = [("size", ctypes.c_size_t), ("key", ctypes.c_char_p), ("id", ctypes.c_char_p),
                ("program", ctypes.c_char_p), ("variant", ctypes.c_char_p),
                ("queue", ctypes.c_char_p), ("cost", ctypes.c_int64)]


def sized(struct, **fields):
    made = struct(**fields)
    made.size = ctypes.sizeof(struct)
    return made


def load():
    library = ctypes.CDLL(LIBRARY)
    handle, place = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
    error = ctypes.POINTER(Error)
    library.sluice_version.restype = ctypes.c_char_p
    library.sluice_free.argtypes = [handle]
    library.sluice_govern.argtypes = [ctypes.POINTER(GovernorOptions), place, error]
    library.sluice_governor_destroy.argtypes = [handle, error]
    library.sluice_job_create.argtypes = [ctypes.POINTER(JobOptions), place, error]
    library.sluice_job_destroy.argtypes = [handle, error]
    library.sluice_try_admit.argtypes = [handle, handle, place, error]
    library.sluice_submit.argtypes = [handle, handle, ON_ADMISSION, handle,
                                      ctypes.POINTER(ctypes.c_uint64), error]
    library.sluice_permit_cost.argtypes = [handle]
    library.sluice_permit_cost.restype = ctypes.c_int64
    library.sluice_permit_release.argtypes = [handle, ctypes.c_int, error]
    library.sluice_status_json.argtypes = [handle, place, error]
    return library


class Ctypes(unittest.TestCase):
    def setUp(self):
        self.library = load()
        self.error = sized(Error)

    def govern(self, sensors=()):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(QUIET)
            file.flush()
            pointers = (ctypes.POINTER(Sensor) * max(1, len(sensors)))(
                *[ctypes.pointer(each) for each in sensors])
            options = sized(GovernorOptions, config_file=os.fsencode(file.name), sensors=pointers,
                            sensor_count=len(sensors))
            governor = ctypes.c_void_p()
            code = self.library.sluice_govern(options, governor, self.error)
        self.assertEqual(code, OK, self.error.text)
        self.addCleanup(self.library.sluice_governor_destroy, governor, None)
        return governor

    def job(self, cost):
        job = ctypes.c_void_p()
        options = sized(JobOptions, key=b"job", cost=cost)
        self.assertEqual(self.library.sluice_job_create(options, job, self.error), OK)
        self.addCleanup(self.library.sluice_job_destroy, job, None)
        return job

    def status(self, governor):
        text = ctypes.c_void_p()
        self.assertEqual(self.library.sluice_status_json(governor, text, self.error), OK)
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            self.library.sluice_free(text)

    def try_admit(self, governor, job):
        permit = ctypes.c_void_p()
        return self.library.sluice_try_admit(governor, job, permit, self.error), permit

    def test_has_a_version(self):
        header = pathlib.Path(__file__).resolve().parents[2] / "include/sluice/version.h"
        self.assertIn(f'"{self.library.sluice_version().decode()}"', header.read_text())

    def test_admits_refuses_and_tells(self):
        governor, job = self.govern(), self.job(30)
        code, permit = self.try_admit(governor, job)
        self.assertEqual(code, OK)
        self.assertEqual(self.library.sluice_permit_cost(permit), 30)
        self.assertEqual(self.status(governor)["window"]["usage"], 30)
        code, none = self.try_admit(governor, job)
        self.assertEqual((code, none.value), (REFUSED, None))
        self.assertEqual(self.error.reason, b"window")
        self.assertEqual(self.error.text, b"needs 30 points, 10 of 40 points are free")
        self.assertEqual(self.library.sluice_permit_release(permit, 0, None), OK)
        self.assertEqual(self.status(governor)["counters"]["finished"]["ok"], 1)

    def test_is_called_back(self):
        governor, job = self.govern(), self.job(40)
        ended, permits = threading.Event(), []

        @ON_ADMISSION
        def admitted(_context, _number, permit, _refusal):
            permits.append(permit)
            ended.set()

        number = ctypes.c_uint64()
        code = self.library.sluice_submit(governor, job, admitted, None, number, self.error)
        self.assertEqual(code, OK)
        self.assertTrue(ended.wait(DEADLINE))
        self.assertGreater(number.value, 0)
        self.assertEqual(self.library.sluice_permit_release(permits[0], 0, None), OK)

    def test_has_a_sensor_of_its_own(self):
        @MEASURE
        def measure(_context, reading):
            reading.contents.pressure = 1
            reading.contents.sentence = b"4 of 4 licences in use"
            return 0

        governor = self.govern([sized(Sensor, name=b"licences", measure=measure)])
        code, permit = self.try_admit(governor, self.job(10))
        while code == OK:  # It has not been read yet.
            self.library.sluice_permit_release(permit, 0, None)
            code, permit = self.try_admit(governor, self.job(10))
        self.assertEqual(self.error.reason, b"sensor")
        self.assertIn(b"licences", self.error.text)
        sensor, = [each for each in self.status(governor)["sensors"] if each["name"] == "licences"]
        self.assertEqual(sensor["verdict"], "red")
        self.assertEqual(sensor["sentence"], "4 of 4 licences in use")

    def test_refuses_what_is_wrong(self):
        governor, job = self.govern(), self.job(10)
        code, _ = self.try_admit(job, governor)
        self.assertEqual(code, INVALID)
        self.assertEqual(self.error.text, b"governor: is a handle of another kind, or none")
        self.assertEqual(self.try_admit(governor, None)[0], INVALID)
        self.assertEqual(self.error.text, b"job: is NULL")
        unsized = JobOptions(key=b"job")
        place = ctypes.c_void_p()
        code = self.library.sluice_job_create(unsized, place, self.error)
        self.assertEqual((code, place.value), (INVALID, None))
        self.assertIn(b"sluice_job_options.size", self.error.text)


if __name__ == "__main__":
    unittest.main()
