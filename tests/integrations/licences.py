"""Programs that need one of two licences while they run: more at once fail."""
import os
import subprocess

from daemons import LAUNCH, DaemonTest, wait_for

# LICENCES: a folder; ALL: names of the licences; HOLD: a file in the folder for which holders wait.
LICENSED = """\
#!/bin/sh
[ -d "$LICENCES" ] || exec "$@"
mine=
for each in ${ALL:-1 2}; do
  mkdir "$LICENCES/$each" 2>/dev/null && mine=$each && break
done
[ -n "$mine" ] || { echo none >>"$LICENCES/refused"; exit 1; }
until [ -z "$HOLD" ] || [ -e "$LICENCES/$HOLD" ] || [ ! -d "$LICENCES" ]; do sleep 0.02; done
sleep 0.05
"$@"
status=$?
rmdir "$LICENCES/$mine"
exit $status
"""
ALL = "1 2 3 4 5 6 7 8"
COMPILER = """\
#!/bin/sh
case " $* " in *" -c "*) exec licensed /usr/bin/gcc "$@" ;; esac
exec /usr/bin/gcc "$@"
"""


class LicencesTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        for name, text in (("licensed", LICENSED), ("cc", COMPILER), ("gcc", COMPILER)):
            (self.tools / name).write_text(text)
            (self.tools / name).chmod(0o755)
        self.licences = self.folder / "licences"
        self.licences.mkdir()

    def start(self, words, environment, **popen):
        process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, **popen)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    @staticmethod
    def finished(process):
        output, _ = process.communicate(timeout=200)
        return process.returncode, output

    def was_refused(self):
        return (self.licences / "refused").exists()


class LicensedBuildTest(LicencesTest):
    """Of a project whose compilers need licences."""

    def setUp(self):
        super().setUp()
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.tools / "sluice-launch").symlink_to(LAUNCH)
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("SLUICE", "CMAKE", "CCACHE", "ICECC", "MAKE", "NINJA", "CTEST"))}
        self.environment = dict(kept, PATH=f"{self.tools}:{os.environ['PATH']}", SLUICE_SOCKET=self.daemon.socket,
                                XDG_RUNTIME_DIR=str(self.folder))

    def write(self, name, text):
        (self.project / name).write_text(text)

    def tool(self, *words, **variables):
        return self.start(words, dict(self.environment, **variables), cwd=self.project)

    def succeed(self, *words):
        status, output = self.finished(self.tool(*words))
        self.assertEqual(status, 0, output)

    def overruns(self, *words, **variables):
        """The first two hold their licences until another asked for one."""
        status, output = self.finished(self.tool(*words, LICENCES=str(self.licences), HOLD="refused", **variables))
        self.assertNotEqual(status, 0, output)
        self.assertTrue(self.was_refused(), output)
        for licence in self.licences.iterdir():
            licence.rmdir() if licence.is_dir() else licence.unlink()

    def fits(self, *words, **variables):
        status, output = self.finished(self.tool(*words, LICENCES=str(self.licences), **variables))
        self.assertEqual(status, 0, output)
        self.assertFalse(self.was_refused(), output)

    def outlives_the_daemon(self, *words, **variables):
        process = self.tool(*words, LICENCES=str(self.licences), ALL=ALL, HOLD="go", **variables)
        wait_for(lambda: self.daemon.jobs()[0] == 2 and self.daemon.jobs()[1] >= 3, self.daemon.jobs)
        self.daemon.kill()
        (self.licences / "go").touch()
        status, output = self.finished(process)
        self.assertEqual(status, 0, output)
        return output
