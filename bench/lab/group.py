"""A memory cgroup with a hard limit and no swap, version 1 or 2, and everything that runs in it."""

import os
import pathlib
import re
import signal
import time


class Impossible(Exception):
    """No memory cgroup can be made here; the message says why and what to do."""


def mounts(text):
    """The cgroup hierarchies of a /proc/self/mountinfo: {controller or "v2": (mount, root)}."""
    found = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if not kind:
            continue
        if kind[0] == "cgroup2":
            found.setdefault("v2", (fields[4], fields[3]))
        elif kind[0] == "cgroup":
            for option in kind[2].split(","):
                found.setdefault(option, (fields[4], fields[3]))
    return found


def own_paths(text):
    """The groups of a /proc/self/cgroup: {controller or "v2": path}."""
    paths = {}
    for line in text.splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            paths["v2"] = path
        for controller in filter(None, controllers.split(",")):
            paths[controller] = path
    return paths


def folder_of(controller, mounted, own):
    """The folder of this process's group, seen through its mount; none where it is not mounted."""
    if controller not in mounted or controller not in own:
        return None
    mount, root = mounted[controller]
    path = own[controller]
    inside = os.path.relpath(path, root) if path.startswith(root) else "."
    return pathlib.Path(mount) / inside


def delegating(folder, top):
    """The nearest group from `folder` up to `top` whose children have a memory controller (v2)."""
    for candidate in (folder, *folder.parents):
        control = candidate / "cgroup.subtree_control"
        if control.exists() and "memory" in control.read_text().split():
            return candidate
        if candidate == top:
            break
    return None


def stat_value(text, name):
    found = re.search(rf"^{name} (\d+)$", text, re.M)
    return int(found.group(1)) if found else 0


def oom_kills_of_host():
    """Host-wide, since version 1 counts a kill only in the victim's own group."""
    return stat_value(pathlib.Path("/proc/vmstat").read_text(), "oom_kill")


def places(mounted, own):
    """(version, {controller: parent folder}) of where groups can be made."""
    memory = folder_of("memory", mounted, own)
    if memory is not None:
        parents = {"memory": memory}
        # Groups that a contender makes for its jobs then lie below ours in these too.
        for controller in ("cpuacct", "freezer"):
            folder = folder_of(controller, mounted, own)
            if folder is not None:
                parents[controller] = folder
        return 1, parents
    unified = folder_of("v2", mounted, own)
    if unified is None:
        raise Impossible("no memory cgroup is mounted; mount /sys/fs/cgroup or run on another host")
    parent = delegating(unified, pathlib.Path(mounted["v2"][0]))
    if parent is None:
        raise Impossible(f"no group above {unified} gives its children a memory controller; "
                         "write +memory into its cgroup.subtree_control, as root")
    return 2, {"memory": parent}


class Group:
    """Made at construction, ended with all in it by close(). Limit in bytes, none: no limit."""

    def __init__(self, name, limit=None):
        mounted = mounts(pathlib.Path("/proc/self/mountinfo").read_text())
        own = own_paths(pathlib.Path("/proc/self/cgroup").read_text())
        self.version, parents = places(mounted, own)
        self.folders = {controller: parent / name for controller, parent in parents.items()}
        self.memory = self.folders["memory"]
        try:
            for folder in self.folders.values():
                folder.mkdir(exist_ok=True)
            if limit is not None:
                self._set_limit(limit)
        except OSError as error:
            self.close()
            raise Impossible(f"cannot make the group {self.memory}: {error.strerror}; "
                             "run as root") from error

    def _set_limit(self, limit):
        if self.version == 2:
            (self.memory / "memory.max").write_text(str(limit))
            self._no_swap("memory.swap.max", 0)
        else:
            (self.memory / "memory.limit_in_bytes").write_text(str(limit))
            self._no_swap("memory.memsw.limit_in_bytes", limit)

    def _no_swap(self, file, value):
        # Without swap accounting the file is missing, and where there is no swap nothing is lost.
        if (self.memory / file).exists():
            (self.memory / file).write_text(str(value))

    def enter(self):
        """Moves the calling process into the group; for subprocess's preexec_fn."""
        for folder in self.folders.values():
            (folder / "cgroup.procs").write_text("0")

    def working_set(self):
        """Bytes in use that cannot be reclaimed at once: usage less inactive file pages."""
        stat = (self.memory / "memory.stat").read_text()
        if self.version == 2:
            usage, inactive = "memory.current", stat_value(stat, "inactive_file")
        else:
            usage, inactive = "memory.usage_in_bytes", stat_value(stat, "total_inactive_file")
        return max(0, int((self.memory / usage).read_text()) - inactive)

    def cpu_seconds(self):
        """CPU seconds of everything that ever ran in the group; none where nothing counts them."""
        if self.version == 2:
            return stat_value((self.memory / "cpu.stat").read_text(), "usage_usec") / 1e6
        if "cpuacct" in self.folders:
            return int((self.folders["cpuacct"] / "cpuacct.usage").read_text()) / 1e9
        return None

    def oom_kills(self):
        """Kills of processes in the group and in those below it that are still there."""
        name = "memory.events.local" if self.version == 2 else "memory.oom_control"
        return sum(stat_value((pathlib.Path(below) / name).read_text(), "oom_kill")
                   for below, _, _ in os.walk(self.memory))

    def pids(self):
        found = set()
        for folder in self.folders.values():
            for below, _, _ in os.walk(folder):
                found.update(pids_in(below))
        return found

    def kill_all(self, deadline_s=10.0):
        """Ends every process in the group, frozen ones too; false where one outlived that."""
        deadline = time.monotonic() + deadline_s
        while pids := self.pids():
            self._thaw()
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _thaw(self):
        # A process in a frozen group of version 1 does not die before it is thawed.
        for folder in self.folders.values():
            for below, _, files in os.walk(folder):
                if "freezer.state" in files:
                    write_if_there(os.path.join(below, "freezer.state"), "THAWED")
                elif "cgroup.freeze" in files:
                    write_if_there(os.path.join(below, "cgroup.freeze"), "0")

    def close(self):
        """Ends what is left in the group and removes it with all groups below it."""
        self.kill_all()
        for folder in self.folders.values():
            remove_tree(folder)


def pids_in(folder):
    try:
        with open(os.path.join(folder, "cgroup.procs"), encoding="ascii") as file:
            return {int(word) for word in file.read().split()}
    except OSError:
        return set()


def write_if_there(path, text):
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    except OSError:
        pass


def remove_tree(folder):
    deadline = time.monotonic() + 5
    while folder.exists():
        for below, _, _ in os.walk(folder, topdown=False):
            try:
                os.rmdir(below)
            except OSError:
                pass
        # The kernel takes a moment to forget a process that has just died.
        if time.monotonic() > deadline:
            raise RuntimeError(f"the group {folder} could not be removed")
        if folder.exists():
            time.sleep(0.02)
