"""Buildbot starts builds on workers whose hosts take work. In master.cfg:

    from sluice_buildbot import HostRoom
    room = HostRoom()
    c["workers"] = [worker.Worker("w1", "secret", properties={"sluice": "build1:9797"})]
    util.BuilderConfig(..., canStartBuild=room)

The property names the daemon on the worker's host: HOST:PORT, its `service.listen`, or the path of its socket if
that is the master's host. Builds start on workers without the property, and if no daemon answers; the master's log
then says so once.
"""
import http.client
import socket

from twisted.internet import defer, reactor, threads
from twisted.python import log

PATIENCE = 3
RETRY = 5


def takes_work(place):
    """Raises OSError or HTTPException if no daemon answers there."""
    if place.startswith("/"):
        connection = http.client.HTTPConnection("sluice")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(PATIENCE)
        connection.sock.connect(place)
    else:
        connection = http.client.HTTPConnection(place, timeout=PATIENCE)
    try:
        connection.request("GET", "/health/status")
        return connection.getresponse().status != 503
    finally:
        connection.close()


class HostRoom:
    def __init__(self):
        self._silent = set()
        self._due = set()

    @defer.inlineCallbacks
    def __call__(self, builder, workerforbuilder, request):
        place = workerforbuilder.worker.properties.getProperty("sluice")
        if not place:
            return True
        try:
            takes = yield threads.deferToThread(takes_work, place)
        except (OSError, http.client.HTTPException) as error:
            if place not in self._silent:
                self._silent.add(place)
                log.msg(f"sluice: builds start without asking: no daemon at {place}: {error}")
            return True
        self._silent.discard(place)
        if not takes:
            self._ask_later(builder)
        return takes

    def _ask_later(self, builder):
        """Buildbot asks again only when a build ends or is requested."""
        if builder.name in self._due:
            return
        self._due.add(builder.name)

        def ask():
            self._due.discard(builder.name)
            builder.master.botmaster.maybeStartBuildsForBuilder(builder.name)

        reactor.callLater(RETRY, ask)
