"""A guest: a kernel of Debian's under QEMU, with cgroup v2 alone, that runs one shell script."""

import dataclasses
import lzma
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
APPEND = ('console=ttyS0 quiet loglevel=1 psi=1 cgroup_no_v1=all cryptomgr.notests panic=-1 '
          'reboot=t rdinit=/init')
# Where a CPU says that it copies and clears quickly byte by byte, kernel and libc do so, and the
# emulation is slowest at that.
CPU = 'max,-erms'
# Beside the command itself; busybox has no unshare with cgroup namespaces and no setpriv.
TOOLS = ('/usr/bin/unshare', '/usr/bin/setpriv', '/usr/bin/nsenter')
# A block device in memory, to swap to.
MODULES = ('brd',)


@dataclasses.dataclass(frozen=True)
class Shown:
    text: str
    status: int


@dataclasses.dataclass
class Transcript:
    text: str
    booted: bool
    status: int | None  # The script's; None: it did not end.

    def shown(self, name):
        found = re.search(rf'^@@begin {re.escape(name)}\n(.*?)^@@end {re.escape(name)} (\d+)$', self.text,
                          re.MULTILINE | re.DOTALL)
        if not found:
            raise AssertionError(f'the guest did not show {name}')
        return Shown(found[1], int(found[2]))


def libraries_of(program):
    listed = subprocess.run(['ldd', program], capture_output=True, text=True, check=False).stdout
    return re.findall(r'(/\S+) \(0x', listed)


def install(root, source, target):
    place = root / target.lstrip('/')
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        shutil.copy2(os.path.realpath(source), place)
    return place


def install_modules(root, kernel):
    for name in MODULES:
        for file in kernel.rglob(f'{name}.ko*'):
            data = file.read_bytes()
            target = root / 'modules' / f'{name}.ko'
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(lzma.decompress(data) if file.suffix == '.xz' else data)


def make_root(root, sluice, kernel):
    """The guest's files below `root`, from scratch."""
    shutil.rmtree(root, ignore_errors=True)
    for folder in ('bin', 'proc', 'sys', 'dev', 'tmp', 'run', 'root', 'etc'):
        (root / folder).mkdir(parents=True)
    (root / 'etc/passwd').write_text('root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n')
    (root / 'etc/group').write_text('root:x:0:\nuser:x:1000:\n')
    install(root, '/bin/busybox', '/bin/busybox')
    command = install(root, sluice, '/bin/sluice')
    subprocess.run(['strip', command], check=True)
    for program in (sluice, *TOOLS):
        install(root, program, f'/bin/{pathlib.Path(program).name}')
        for library in libraries_of(program):
            install(root, library, library)
    subprocess.run(['gcc', '-O1', '-static', '-o', root / 'bin/eat', HERE / 'eat.c'], check=True)
    install(root, HERE / 'init', '/init').chmod(0o755)
    install(root, HERE / 'guest.sh', '/guest.sh')
    install_modules(root, kernel)


def archive(folder, target):
    names = subprocess.run(['find', '.'], cwd=folder, capture_output=True, check=True).stdout
    with target.open('wb') as out:
        subprocess.run(['cpio', '-o', '-H', 'newc', '--quiet', '-R', '0:0'], cwd=folder, input=names,
                       stdout=out, check=True)


def boot(kernel, base, script, work, mebibytes, seconds):
    """Runs the script in a fresh guest and returns what its console said; `work` is its own."""
    extra = work / 'extra'
    extra.mkdir(parents=True, exist_ok=True)
    (extra / 'cell').write_text('. /guest.sh\n' + script)
    archive(extra, work / 'cell.cpio')
    initial = work / 'initial.cpio'
    initial.write_bytes(base.read_bytes() + (work / 'cell.cpio').read_bytes())
    vmlinuz = next(kernel.glob('boot/vmlinuz-*'))
    try:
        done = subprocess.run(
            ['qemu-system-x86_64', '-M', 'pc', '-nodefaults', '-serial', 'stdio', '-display', 'none',
             '-accel', 'tcg,thread=multi', '-cpu', CPU, '-smp', '2', '-m', str(mebibytes), '-no-reboot',
             '-kernel', vmlinuz, '-initrd', initial, '-append', APPEND],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
        output = done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b''
    text = output.decode(errors='replace').replace('\r', '')
    ended = re.search(r'^@@ended (\d+)$', text, re.MULTILINE)
    return Transcript(text, '@@booted' in text, int(ended[1]) if ended else None)
