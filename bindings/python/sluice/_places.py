"""Where the daemon is, and whose daemon may be believed: as the command `sluice` does."""
from __future__ import annotations

import os
import socket
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional

MOST_SOCKET_BYTES = 107
SYSTEM_SOCKET = "/run/sluice/sluice.sock"


def places(named: Optional[str]) -> List[str]:
    """The sockets to try, in order; only one if it was named."""
    told = named or os.environ.get("SLUICE_SOCKET", "")
    if told:
        return [told]
    found = [SYSTEM_SOCKET]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime:
        found.append(runtime + "/sluice.sock")
    folder = _started_folder(runtime)
    if folder:
        found.append(folder + "/sluice.sock")
    return found


def is_named(named: Optional[str]) -> bool:
    return bool(named or os.environ.get("SLUICE_SOCKET"))


def distrust(user: int, place: str) -> Optional[str]:
    """Why a daemon of this user, found at a default place, must not be believed; None if it may: its
    answers end up in the environment of commands."""
    if user in (0, os.geteuid()):
        return None
    if place == SYSTEM_SOCKET:
        try:
            # Only root can have made the folder.
            if os.stat(os.path.dirname(place)).st_uid == user:
                return None
        except OSError:
            pass
    return (f"the daemon at {place} belongs to user {user}, who is neither root nor you "
            f"({os.geteuid()}): if you trust it, name it by `socket` or SLUICE_SOCKET")


def how_to_join(place: str) -> str:
    """Like the command's: how this user gets to use a socket that refuses them; empty if its group may not
    use it either."""
    import grp
    import pwd
    try:
        facts = os.stat(place)
        group, user = grp.getgrgid(facts.st_gid).gr_name, pwd.getpwuid(os.geteuid()).pw_name
    except (OSError, KeyError):
        return ""
    is_member = facts.st_gid in (os.getegid(), *os.getgroups())
    if is_member or facts.st_uid == os.geteuid() or not facts.st_mode & stat.S_IWGRP:
        return ""
    if facts.st_gid == 0:  # Which gives more than a socket.
        return ": have `service.group` name a group of this user's"
    return f": you are not in its group `{group}`: `sudo usermod -aG {group} {user}`, then log in again"


def about_further_daemons() -> str:
    """Like the command's: the daemons of this user that `sluice build` has started beside the usual one, and
    how to use one, as part of a sentence; empty if none serves."""
    folder = _started_folder(os.environ.get("XDG_RUNTIME_DIR", ""))
    try:
        names = sorted(os.listdir(folder)) if folder else []
    except OSError:
        return ""
    told = []
    for name in names:
        place = f"{folder}/{name}"
        if name.startswith("alone-") and _is_served(place + "/sluice.sock"):
            told.append(f"a daemon for one build serves at {place}/sluice.sock")
        elif name.startswith("group-") and name.endswith(".sock") and _is_served(place):
            told.append(f"a daemon for the memory limit of a cgroup serves at {place}")
    return "; ".join(told) + ": name it by `socket` or SLUICE_SOCKET" if told else ""


def _is_served(place: str) -> bool:
    """Whether a process listens there, also with a full queue. Does not wait."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trying:
        trying.setblocking(False)
        try:
            trying.connect(place)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True


def _started_folder(runtime: str) -> Optional[str]:
    """The private folder of the daemon that `sluice build` starts for this user; None if somebody
    else may have made it."""
    user = os.geteuid()
    for parent in (runtime, f"/run/user/{user}"):
        if _is_own_place(parent):
            folder = parent + "/sluice"
            return folder if _is_private(folder, 0o077) else None
    folder = f"/tmp/sluice-{user}"
    home = os.environ.get("HOME", "")
    if _is_own_place(home) and (_is_of_another(folder) or _is_private(home + "/.sluice", 0o077)):
        folder = home + "/.sluice"
    return folder if _is_private(folder, 0o077) else None


def _is_own_place(folder: str) -> bool:
    """Whether nobody but the user can replace what the user has in it, and a socket's path fits."""
    if not folder.startswith("/") or len(os.fsencode(folder + "/sluice/sluice.sock")) > MOST_SOCKET_BYTES:
        return False
    try:
        facts = os.stat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022


def _is_of_another(path: str) -> bool:
    """Whether another user has taken the name."""
    try:
        return os.lstat(path).st_uid != os.geteuid()
    except OSError:
        return False


def _is_private(folder: str, others: int) -> bool:
    try:
        facts = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & others
