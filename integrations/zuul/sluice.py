"""A sensor of Zuul's executor: while Sluice takes no work on this host, the executor accepts no builds.

It goes to zuul/executor/sensors/sluice.py, and sluice.patch lists it in zuul/executor/server.py.
It asks the daemon `sluice serve` by its Unix socket: SLUICE_SOCKET, else /run/sluice/sluice.sock.
"""
import http.client
import logging
import os
import socket

SOCKET = "/run/sluice/sluice.sock"
# Zuul holds its governor's lock meanwhile, and asks again every 10 s.
PATIENCE = 3
# A reason is a line; the rest of a longer answer is of no use in a log.
LONGEST_REASON = 1024


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("sluice")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class SluiceSensor:
    log = logging.getLogger("zuul.executor.sensor.sluice")

    def __init__(self, statsd, base_key):
        self.statsd = statsd
        self.base_key = base_key
        self.path = os.environ.get("SLUICE_SOCKET") or SOCKET
        self.is_governed = True

    def isOk(self):
        """Whether the executor may accept builds, and the reason for its log. Never raises: an exception
        would make Zuul's governor skip all other sensors. Without a daemon, builds are accepted."""
        try:
            accepts, reason = self._ask()
        except (OSError, http.client.HTTPException) as error:
            if self.is_governed:
                self.log.warning("Builds are accepted without Sluice until its daemon answers at %s: %s",
                                 self.path, error or type(error).__name__)
            self.is_governed = False
            accepts, reason = True, "no daemon"
        else:
            if not self.is_governed:
                self.log.info("The daemon of Sluice at %s answers again", self.path)
            self.is_governed = True
        if self.statsd:
            self.statsd.gauge(self.base_key + ".sluice_accepts", int(accepts))
            self.statsd.gauge(self.base_key + ".sluice_governed", int(self.is_governed))
        return accepts, "sluice: " + reason

    def _ask(self):
        connection = Connection(self.path)
        try:
            connection.request("GET", "/health/status")
            answer = connection.getresponse()
            reason = answer.read(LONGEST_REASON).decode(errors="replace").strip()
        finally:
            connection.close()
        if answer.status not in (200, 503):
            raise http.client.HTTPException(f"the daemon answers {answer.status}: {reason}")
        return answer.status == 200, reason
