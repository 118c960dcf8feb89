"""Arguments of the Python client that are wrong, and what it does not believe."""
import asyncio
import os
import unittest

import sluice


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
        with self.assertRaisesRegex(TypeError, "^timeout"):
            client.run(["ls"], timeout="1s")
        with self.assertRaisesRegex(TypeError, "program must be a path"):
            sluice.Governor(program=None)
        with self.assertRaises(TypeError):
            client.permit(cots=3)

    def test_that_would_be_a_second_request_are_named(self):
        client = sluice.Client("/no/such/socket")
        for word in ("/v1/status HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/jobs", "/v1/jobs/a b", "/v1/jobs/\u00e9", ""):
            with self.subTest(word), self.assertRaisesRegex(ValueError, "^target must be printable ASCII"):
                client.ask("GET", word)
            with self.subTest(word), self.assertRaisesRegex(ValueError, "^method must be printable ASCII"):
                client.ask(word, "/v1/jobs")
        with self.assertRaisesRegex(TypeError, "^target must be a string, not bytes"):
            client.ask("GET", b"/v1/jobs")

    def test_of_a_wrong_value_are_named(self):
        client = sluice.Client("/no/such/socket")
        for name, value in {"key": "", "queue": "a\nb", "priority": 10**6 + 1, "cost": 0, "memory": -1, "wait": -1,
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
        for name in ("wait", "timeout"):
            with self.assertRaisesRegex(ValueError, f"^{name} must be a number that a float can hold"):
                client.run(["ls"], **{name: 10**400})
        with self.assertRaisesRegex(ValueError, "^shell"):
            client.run(["ls"], shell=True)
        with self.assertRaisesRegex(ValueError, "^timeout"):
            client.run(["ls"], timeout=-1)
        with self.assertRaisesRegex(ValueError, "^program"):
            sluice.Governor(program="")
        for words in ([], [""]):
            with self.assertRaisesRegex(ValueError, "^args"):
                client.run(words)

    def test_that_the_daemon_would_refuse_are_named_without_one(self):
        client = sluice.Client("/no/such/socket", without_daemon="run")
        for name, values in {"queue": ("a b", "a,b", "q" * 256),
                             "memory": ("lots", "512", "1.2.3GiB", ".MiB", "9e3MiB", "-1MiB", "2000000TiB",
                                        "\u0663MiB"),
                             "locks": ({"a b": "none"}, {"n": ""}, {"n": "exclusiv:a"}, {"n": "none:"},
                                       {"n": "shared:a,"}, {"n": "exclusive"}, {str(i): "none" for i in range(101)}),
                             "resources": ({"db": -1}, {"": 1}, {"db": 10**12 + 1})}.items():
            for value in values:
                with self.subTest(name, value=value), self.assertRaisesRegex(ValueError, f"^(each lock of )?{name}"):
                    client.permit(**{name: value})
        for accepted in ({"memory": "1.5GiB"}, {"memory": "0B"}, {"queue": "nächtlich"}, {"resources": {"db": 0}},
                         {"locks": {"n": " exclusive:a,b shared:c  all-shared", "m": "shared:", "o": "none"}}):
            client.permit(**accepted)

    def test_of_aio_are_named_before_anything_is_asked_for(self):
        client = sluice.aio.Client("/no/such/socket")
        for error, name, value in ((TypeError, "timeout", 5), (TypeError, "input", "text"), (TypeError, "cwdd", "/"),
                                   (ValueError, "text", True), (ValueError, "encoding", "ascii"),
                                   (ValueError, "bufsize", -1), (ValueError, "shell", True)):
            with self.subTest(name), self.assertRaisesRegex(error, f"^{name} "):
                asyncio.run(client.run(["true"], **{name: value}))
        for accepted in ({"input": b"x"}, {"text": False}, {"limit": 4096, "cwd": "/"}):
            with self.subTest(accepted), self.assertRaises(sluice.NoDaemon):
                asyncio.run(client.run(["true"], **accepted))


class Trust(unittest.TestCase):
    def test_is_in_root_the_user_and_the_owner_of_the_system_folder(self):
        from sluice._places import distrust
        self.assertIsNone(distrust(0, "/tmp/s"))
        self.assertIsNone(distrust(os.geteuid(), "/tmp/s"))
        self.assertRegex(distrust(54321, "/tmp/s"), "belongs to user 54321, who is neither root nor you")

    def test_lets_a_daemon_set_only_variables_of_items(self):
        from sluice._admission import variables
        job = {"environment": {"SLUICE_RM_DB_ITEMS": "a", "JQM_RM_DISCRETE_DB_ITEMS": "a", "LD_PRELOAD": "x",
                               "SLUICE_RM_\n_ITEMS": "x", "SLUICE_RM_x_ITEMS": "x", "PATH": "x"}}
        self.assertEqual(variables(job, "/s"), {"SLUICE_RM_DB_ITEMS": "a", "JQM_RM_DISCRETE_DB_ITEMS": "a"})


if __name__ == "__main__":
    unittest.main()
