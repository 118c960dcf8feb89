"""Gives the cgroup of this container to the Sluice daemon beside it; stays until that ends."""
import array, json, os, socket, sys

WANTED = {"memory", "cpu", "cpuacct", "pids"}


def own_group():
    """(controllers, folder) of each hierarchy of this process: v2 has no controllers."""
    for line in open("/proc/self/cgroup").read().splitlines():
        _, names, path = line.split(":", 2)
        for mount in open("/proc/self/mountinfo"):
            left, right = mount.split(" - ")
            root, point = left.split()[3:5]
            kind, _, options = right.split()
            shared = WANTED & set(names.split(",")) & set(options.split(","))
            if kind == ("cgroup" if names else "cgroup2") and (shared or not names):
                below = path if root == "/" else path.removeprefix(root)
                yield ",".join(sorted(shared)), point + ("" if below == "/" else below)


groups = list(own_group())
folders = [os.open(folder, os.O_PATH | os.O_DIRECTORY) for _, folder in groups]
body = json.dumps({"directories": [{"controllers": c, "path": p} for c, p in groups]}).encode()
daemon = socket.socket(socket.AF_UNIX)
daemon.connect(os.environ.get("SLUICE_SOCKET", "/run/sluice/sluice.sock"))
head = b"POST /v1/attach HTTP/1.1\r\nHost: sluice\r\nContent-Length: %d\r\n\r\n" % len(body)
rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", folders))
daemon.sendmsg([head + body], [rights])
answer = daemon.recv(65536).decode()
print(answer.split("\r\n\r\n")[1].strip(), flush=True)
if " 200 " not in answer.split("\r\n")[0]:
    sys.exit(2)
daemon.recv(1)  # Comes back when the daemon ends: then this is to be done again.
