"""Programs that need one of two licences while they run: more at once fail."""
import subprocess

from daemons import DaemonTest

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
