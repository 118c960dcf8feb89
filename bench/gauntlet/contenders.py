"""How each contender's command is made, and the state folders of ours."""

import dataclasses
import pathlib
import re
import shlex
import shutil

PACKAGES = {"parallel": "parallel", "make": "make", "g++": "g++", "xargs": "findutils"}

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

    def state_of(self, contender):
        return self.state / contender


def is_ours(name):
    return name.startswith(("batch", "jobserver", "daemon"))


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


def shell_line(name, setting, build):
    """What runs one build's jobs, in its folder."""
    if match := re.fullmatch(r"make-j(\d+)(?:-l(\d+))?", name):
        load = f" -l{match.group(2)}" if match.group(2) else ""
        return f"make -k -j{match.group(1)}{load}"
    if match := re.fullmatch(r"xargs-P(\d+)", name):
        return f"xargs -d '\\n' -n 1 -P {match.group(1)} sh -c <jobs.txt"
    if name == "parallel-load":
        return "parallel -j200 --load 100% <jobs.txt"
    return shlex.join(ours(name, setting, build))


def ours(name, setting, build):
    state = setting.state_of(name) / build
    words = ["--config", str(setting.config), "--state-dir", str(state), "--json"]
    if name.startswith("batch"):
        return [setting.sluice, "batch", "-f", "jobs.txt", *words]
    if name.startswith("jobserver"):
        return [setting.sluice, "jobserver", *words, "--", "make", "-k"]
    raise ValueError(f"{name}: no such contender")


def command(name, setting):
    """The words of the command that runs everything, in the cell's folder."""
    builds = [folder for folder, _ in setting.cell.builds]
    if len(builds) == 1:
        return ["sh", "-c", f"exec {shell_line(name, setting, builds[0])}"]
    raise ValueError(f"{setting.cell.name}: more than one build")
