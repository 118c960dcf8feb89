"""How each contender's command is made, and the state folders of ours."""

import dataclasses
import pathlib
import re
import shlex
import shutil

from cells import is_ours

PACKAGES = {"parallel": "parallel", "make": "make", "g++": "g++", "xargs": "findutils",
            "gnuplot": "gnuplot-nox"}

# Ours run with this and nothing of the host's own configuration.
CONFIG = "window: {law: knee}\n"


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a contender's command is made from."""

    cell: object  # cells.Cell
    folder: pathlib.Path  # of the jobs
    state: pathlib.Path  # for this cell's state folders
    config: pathlib.Path
    sluice: str
    kept: pathlib.Path = pathlib.Path()  # of the cell `real`: its sources, configured
    limit: int | None = None  # bytes, of the group's memory

    def state_of(self, contender):
        return self.state / contender


def program_of(name):
    """The program that a contender needs besides ours; none: ours."""
    if is_ours(name):
        return None
    return re.match("[a-z]+", name).group()


def needed(names):
    return {program for name in names if (program := program_of(name)) is not None}


def prepare_state(name, setting):
    """The state folder it starts with; false where it should be a cold run's and that has not run.

    Cold begins with nothing, warm with a copy of what the latest cold run left.
    """
    if not is_ours(name):
        return True
    folder = setting.state_of(name)
    shutil.rmtree(folder, ignore_errors=True)
    if "-cold" in name:
        folder.mkdir(parents=True)
        return True
    earlier = setting.state_of(name.replace("-warm", "-cold"))
    if not earlier.is_dir() or not any(earlier.iterdir()):
        return False
    shutil.copytree(earlier, folder)
    return True


def make_line(name):
    """make with a fixed N; none: that is not what the contender is."""
    match = re.fullmatch(r"make-j(\d+)(?:-l(\d+))?", name)
    if match is None:
        return None
    load = f" -l{match.group(2)}" if match.group(2) else ""
    return f"make -k -j{match.group(1)}{load}"


def shell_line(name, setting, build):
    """What runs one build's jobs, in its folder."""
    if line := make_line(name):
        return line
    if match := re.fullmatch(r"xargs-P(\d+)", name):
        return f"xargs -d '\\n' -n 1 -P {match.group(1)} sh -c <jobs.txt"
    if name == "parallel-load":
        return "parallel -j200 --load 100% <jobs.txt"
    return shlex.join(ours(name, setting, build))


def socket_of(setting):
    return setting.state / "sluice.sock"


def ours(name, setting, build):
    state = setting.state_of(name) / build
    words = ["--config", str(setting.config), "--state-dir", str(state), "--json"]
    if name.startswith("batch"):
        return [setting.sluice, "batch", "-f", "jobs.txt", *words]
    if name.startswith("jobserver"):
        return [setting.sluice, "jobserver", *words, "--", "make", "-k"]
    if name.startswith("daemon"):
        return [setting.sluice, "jobserver", "--socket", str(socket_of(setting)), "--json", "--",
                "make", "-k"]
    raise ValueError(f"{name}: no such contender")


def at_once(lines):
    """A shell script that runs all at the same time and fails if one does."""
    started = "".join(f"{line} & p{number}=$!\n" for number, line in enumerate(lines))
    ended = "".join(f"wait $p{number} || status=$?\n" for number in range(len(lines)))
    return f"status=0\n{started}{ended}"


def under_daemon(script, name, setting):
    config = setting.state / "daemon.yaml"
    state = setting.state_of(name)
    config.write_text(f"{CONFIG}state_dir: {state}\n")
    words = [setting.sluice, "serve", "--config", str(config), "--socket",
             str(socket_of(setting)), "--listen", "off"]
    # Given up after 10 s: then the commands themselves say that there is no daemon.
    waits = f"n=0; until [ -S {shlex.quote(str(socket_of(setting)))} ] || [ $n -gt 200 ]; do " \
            "sleep 0.05; n=$((n + 1)); done\n"
    return f"{shlex.join(words)} & daemon=$!\n{waits}{script}kill $daemon; wait $daemon\n"


def package_line(name, setting, job):
    """One package's own build command, whose make is the contender's."""
    state = ours(name, setting, "real") if is_ours(name) else None
    return job.command().replace("{make}", shlex.join(state) if state else make_line(name))


def command(name, setting):
    """The words of the command that runs everything, in the cell's folder."""
    builds = setting.cell.builds
    if setting.cell.is_real():
        # One package after the other, as people build them.
        lines = [f"(cd {folder} && {package_line(name, setting, each[0])}) || status=$?\n"
                 for folder, each in builds]
        return ["sh", "-c", f"status=0\n{''.join(lines)}exit $status"]
    if len(builds) == 1:
        return ["sh", "-c", f"exec {shell_line(name, setting, builds[0][0])}"]
    script = at_once([f"(cd {folder} && exec {shell_line(name, setting, folder)})"
                      for folder, _ in builds])
    if name.startswith("daemon"):
        script = under_daemon(script, name, setting)
    return ["sh", "-c", f"{script}exit $status"]
