"""Permits of Sluice, which starts as many jobs as a machine can handle:

    with sluice.permit(key="lint"):      # waits until the work fits
        lint()
    sluice.run(["make", "-j4"])          # subprocess.run that waits until the command fits
    with sluice.Governor() as governor:  # a daemon of this program's own
        with governor.permit(memory="1GiB"): ...

`sluice.aio` has `permit` and `run` for asyncio. They ask the daemon `sluice serve`; see docs/python.md.
"""
from __future__ import annotations

from ._client import Client, Permit
from ._errors import NoDaemon, NoDaemonWarning, NotAdmitted, Refused, SluiceError
from ._granted import Granted
from ._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import aio as aio
    from ._governor import Governor as Governor

__all__ = ["Client", "Governor", "Granted", "NoDaemon", "NoDaemonWarning", "NotAdmitted", "Permit", "Refused",
           "SluiceError", "__version__", "aio", "permit", "run"]

_default = Client()
permit = _default.permit
run = _default.run


def __getattr__(name: str) -> object:
    # Imported when they are used first: asyncio and subprocess take longer than all of the rest.
    if name == "Governor":
        from ._governor import Governor
        return Governor
    if name == "aio":
        from importlib import import_module
        return import_module(".aio", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
