"""What goes wrong. A fault is a function of the world, the load and a source of chance; what it
leaves behind is mended by `heal`."""

import signal
import time

from load import ApiClient, RunClient, garbage


def end_daemon(number):
    def fault(world, load, source):
        # A job that ends while nothing can be kept is lost with the daemon, and the documentation says so.
        if world.disk_is_full:
            return
        world.end_daemon(number)
        time.sleep(source.uniform(0, 0.3))
        world.start_daemon()
    return fault


def suspend_daemon(world, load, source):
    world.daemon.send_signal(signal.SIGSTOP)
    time.sleep(source.uniform(0, 1.5))
    world.daemon.send_signal(signal.SIGCONT)


def reload_daemon(world, load, source):
    world.daemon.send_signal(signal.SIGHUP)


def kill_clients(world, load, source):
    clients = [each for each in load if isinstance(each, ApiClient)]
    for client in source.sample(clients, source.randint(1, len(clients))):
        client.kill()


def kill_runs(world, load, source):
    for client in load:
        if isinstance(client, RunClient):
            client.kill()


def kill_gearmand(world, load, source):
    world.end_gearmand(signal.SIGKILL)
    time.sleep(source.uniform(0, 0.3))
    world.start_gearmand()


def fill_disk(world, load, source):
    world.disk_is_full = True
    world.fill_disk()


def fail_sensor(world, load, source):
    world.set_sensor(source.choice(('level', 'probe')), source.choice((None, 'nonsense\n', 'exit 9\n')))


def hang_sensor(world, load, source):
    world.set_sensor(*source.choice((('level', 'fifo'), ('probe', 'sleep 600\n'))))


def redden_sensor(world, load, source):
    world.set_sensor(*source.choice((('level', '101\n'), ('probe', 'echo 101\n'))))


def send_garbage(world, load, source):
    garbage(world, source)


def jump_clock(world, load, source):
    world.set_clock(source.choice((-400, -1, 1, 400)) * source.randint(1, 86400))


NAMES = {
    'daemon killed with -9': end_daemon(signal.SIGKILL),
    'daemon stopped by SIGTERM': end_daemon(signal.SIGTERM),
    'daemon suspended': suspend_daemon,
    'daemon reloaded': reload_daemon,
    'clients killed': kill_clients,
    'sluice run killed': kill_runs,
    'Gearman server killed with -9': kill_gearmand,
    'disk filled': fill_disk,
    'sensor fails': fail_sensor,
    'sensor hangs': hang_sensor,
    'sensor turns red': redden_sensor,
    'garbage sent': send_garbage,
    'wall clock jumps': jump_clock,
}


def possible(world):
    """The names of what can be done here, and why the rest cannot."""
    left_out = {}
    if not world.has_gearman():
        left_out['Gearman server killed with -9'] = 'gearmand is not there'
    if not world.small_disk:
        left_out['disk filled'] = 'no tmpfs may be mounted here'
    if not world.tools.wall_clock:
        left_out['wall clock jumps'] = 'chaos_wall_clock is not built'
    return [name for name in NAMES if name not in left_out], left_out


def draw(world, source):
    """Three faults for a round; a full disk, which takes 10 s to get over, comes more rarely."""
    names, _ = possible(world)
    weights = [0.3 if name == 'disk filled' else 1 for name in names]
    chosen = source.choices(names, weights, k=3)
    # First what lasts, so that the rest happens meanwhile.
    return sorted(chosen, key=lambda name: name != 'disk filled')


def heal(world):
    world.calm_sensors()
    world.free_disk()
    world.disk_is_full = False
