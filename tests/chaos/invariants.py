"""What must hold whatever happened. Each returns what is wrong, or an empty list."""

import os

from world import eventually


def settled(look):
    """Two requests are not one instant: what is wrong for longer than ten seconds is wrong."""
    problems = []

    def holds():
        problems[:] = look()
        return not problems
    eventually(holds, 10)
    return problems


def usage_is_the_cost_of_what_runs(world):
    status, jobs = world.status(), world.jobs()
    running = [job for job in jobs if job['state'] == 'running']
    cost, usage = sum(job['cost'] for job in running), status['window']['usage']
    problems = []
    if cost != usage:
        problems.append(f'usage is {usage}, and what runs costs {cost}')
    if len(running) != status['jobs']['running']:
        problems.append(f'status counts {status["jobs"]["running"]} running jobs of {len(running)}')
    counters = status['counters']
    alive = counters['admitted'] - sum(counters['finished'].values())
    if alive != len(running):
        problems.append(f'{alive} were admitted and not given back, and {len(running)} run')
    return problems


def no_job_without_permit(world, clients):
    """What a client believes to hold, the daemon knows."""
    states = {job['id']: job['state'] for job in world.jobs()}
    problems = []
    for client in clients:
        if not client.claim:
            continue
        job, believed = client.claim
        state = states.get(job, 'gone')
        # A waiting job may be admitted meanwhile.
        if state != believed and (believed, state) != ('pending', 'running'):
            problems.append(f'{job} is {believed} for its client, and {state} for the daemon')
    return problems


def no_permit_without_job(world):
    """What the daemon lets run hangs on something that is there."""
    problems = []
    for job in world.jobs():
        process = job['lease'] and job['lease']['pid']
        if process and not os.path.exists(f'/proc/{process}'):
            problems.append(f'job {job["id"]} is {job["state"]}, and its process {process} is gone')
    return problems


def nothing_is_left(world):
    jobs, usage = world.jobs(), world.status()['window']['usage']
    problems = [f'job {job["id"]} is left, {job["state"]}' for job in jobs[:5]]
    if usage:
        problems.append(f'usage is {usage}, and nothing runs')
    queued = world.gearman_status() if world.has_gearman() else 0
    if queued:
        problems.append(f'{queued} jobs are left at the Gearman server: '
                        f'{world.ask_gearmand("status")!r}, {world.ask_gearmand("workers")!r}, '
                        f'{world.status()["work_sources"]}')
    return problems


def window_was_kept(world):
    window = world.status()['window']
    return [] if window['usage'] <= window['size'] else [
        f'usage is {window["usage"]} of {window["size"]}']


# What the faults do to a record. Whatever else it lacks, Sluice has lost.
LOSSES = ('the daemon was killed', 'No space left', 'truncated',
          'earlier calls are no longer in the record')


def record_is_replayed(world, tally):
    """Once the daemon has ended: every decision on record comes out again, and every gap has a reason."""
    status, replay, said = world.replay()
    if replay is None:
        return [f'sluice replay ended with {status}: {said}']
    tally.count('calls replayed', replay['calls'])
    tally.count('gaps in the record', len(replay['missing']))
    problems = [f'a decision is replayed otherwise: {each}' for each in replay['differences'][:5]]
    problems += [f'the record lacks calls: {each}' for each in replay['missing']
                 if not any(loss in each['why'] for loss in LOSSES)]
    return problems or ([] if status == 0 else [f'sluice replay ended with {status}: {said}'])


def every_queued_job_ran(world, submitter, excused):
    """`excused`: something that may run a job twice has died meanwhile."""
    lines = world.effects.read_text().split('\n')
    problems = []
    for job in submitter.queued:
        ended = lines.count(f'ended {job}')
        if ended == 0:
            problems.append(f'{job} was queued and never ran to its end')
        if ended > 1 and not excused:
            problems.append(f'{job} ran {ended} times, and nobody had died')
    return problems
