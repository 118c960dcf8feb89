"""What must have come of each cell of cells.py: functions of its transcript that raise AssertionError."""

import json
import re

MIB = 1 << 20
HIGH_JOBS = 15
HUNDRED, EATEN = 100, 500  # As many jobs, of so many MiB each.


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def status(transcript, name='status'):
    return json.loads(transcript.shown(name).text)['status']


def sensor(answer, name):
    return next(one for one in answer['sensors'] if one['name'] == name)


def number(transcript, name):
    return int(transcript.shown(name).text)


def number_after(transcript, name, word):
    found = re.search(rf'^{word} +(\d+)', transcript.shown(name).text, re.MULTILINE)
    expect(found, f'{name} has no {word}')
    return int(found[1])


def nested_sensors(transcript):
    answer = status(transcript)
    memory = answer['memory']
    expect(memory['where'] == '/sys/fs/cgroup/a/b', f'memory is read from {memory["where"]}')
    expect(memory['limit'] == number(transcript, 'memory.max'), f'limit {memory["limit"]}')
    current = number(transcript, 'memory.current')
    expect(abs(memory['used'] - current) < 64 * MIB, f'used {memory["used"]} beside memory.current {current}')
    expect(answer['window']['maximum'] == 150, f'window maximum {answer["window"]["maximum"]} for 1.5 CPUs')
    totals = [one['total'] for one in sensor(answer, 'pids')['conditions']]
    expect(200 in totals, f'pids.max of 200 is not among {totals}')
    expect(sensor(answer, 'memory_pressure')['source'].startswith('/sys/fs/cgroup/a/b/c'), 'pressure of another group')
    expect(not any(one['failure'] for one in answer['sensors']), 'a sensor failed')


def limits_followed(transcript):
    for name in ('memory.max', 'memory.high', 'pids.max', 'cpu.max', 'cpuset'):
        expect(transcript.shown(name).status == 0, f'a change of {name} was not followed')
    expect(transcript.shown('raised').status == 0, 'a limit that was raised again was not followed')


def groups_of(transcript, name):
    return re.findall(r'0::/w/(sluice\.\S+/job\.\d+)', transcript.shown(name).text)


def jobs_in_groups(transcript):
    groups = groups_of(transcript, 'alone')
    expect(len(groups) == 3 and len(set(groups)) == 3, f'three jobs ran in {groups}')
    expect(transcript.shown('folders').text.split() == ['/sys/fs/cgroup/w'], 'groups were left behind')
    expect(transcript.shown('control').text.strip() == '', 'controllers were left switched on')
    expect(transcript.shown('limits').text.split() == ['629145600'], 'a limit of the group was changed')
    beside = transcript.shown('with others')
    expect(beside.status == 0 and beside.text.count('0::/w') == 3, 'jobs beside another process failed')
    expect(transcript.shown('other lives').status == 0, 'the other process is gone')


def all_ran(transcript, jobs):
    batch = transcript.shown('batch')
    expect(batch.status == 0 and f'{jobs} of {jobs} ran, 0 failed' in batch.text, 'jobs failed')


def brake(transcript):
    all_ran(transcript, 4)
    events = dict(line.split() for line in transcript.shown('memory.events').text.splitlines())
    expect(events['oom_kill'] == '0', f'{events["oom_kill"]} OOM kills')


def killed_batch(transcript):
    expect(transcript.shown('jobs end').status == 0, 'jobs outlived the batch that was killed')
    expect(transcript.shown('folders end').status == 0, 'the guard left groups behind')
    expect(transcript.shown('later').status == 0, 'a later batch failed')
    expect(transcript.shown('folders').text.split() == ['/sys/fs/cgroup/w'], 'groups were left behind')


def left_behind(transcript):
    expect(transcript.shown('entered').status != 0, 'nothing was left that keeps processes out: the cell shows nothing')
    before = json.loads(transcript.shown('before').text)
    expect(transcript.shown('before').status == 1, 'the doctor found nothing to mend')
    broken = [one for one in before['findings'] if one['state'] == 'broken']
    expect([one['check'] for one in broken] == ['left behind'], f'broken: {broken}')
    expect('/sys/fs/cgroup/w/sluice.' in broken[0]['found'], broken[0]['found'])
    expect(transcript.shown('clean').status == 0, 'something is broken after --clean')
    expect(transcript.shown('jobs').status == 1, 'a job outlived --clean')
    expect(transcript.shown('folders').text.split() == ['/sys/fs/cgroup/w'], 'groups were left behind')
    expect(transcript.shown('later').status == 0, 'the group cannot be used again')


def build_in_group(transcript):
    expect(transcript.shown('outside').status == 0, 'a build outside of the group failed')
    ended = re.findall(r'^ended (\d+)', transcript.shown('build').text, re.MULTILINE)
    expect(ended == 6 * ['0'], f'the recipes ended with {ended}')
    expect(number_after(transcript, 'events', 'oom_kill') == 0, 'the kernel killed a recipe')
    groups = set(transcript.shown('daemons').text.split())
    expect(groups == {'0::/', '0::/w'}, f'the daemons are in {groups}')
    expect(transcript.shown('daemon ends').status == 0, 'the daemon stays in the group after its build')
    expect(transcript.shown('removed').status == 0, 'the group cannot be removed after the build')


def no_controller(transcript):
    group = '/sys/fs/cgroup/w/bare'
    expect(f'{group} has no controller for memory' in transcript.shown('log').text, 'the daemon says nothing of it')
    found = json.loads(transcript.shown('doctor').text)['findings']
    memory = next(one for one in found if one['check'] == 'memory')
    expect(memory['state'] == 'limited' and f'{group} has no controller for memory' in memory['found'], f'doctor: {memory}')
    expect(transcript.shown('run').status == 0, 'a command did not run')


def sidecar(transcript):
    memory = status(transcript)['memory']
    expect(memory['limit'] == 300 * MIB, f'limit {memory["limit"]}')
    expect(transcript.shown('run').status == 0, 'a command did not run')
    expect(transcript.shown('read-only').status != 0, 'the mount was not read-only')


def delegated(transcript):
    expect(len(set(groups_of(transcript, 'user'))) == 2, 'a user had no groups for the jobs')
    expect(transcript.shown('folders').text.split() == ['/sys/fs/cgroup/w'], 'groups were left behind')


def swap(transcript):
    answer = status(transcript)
    expect(int(transcript.shown('total').text.split()[1]) > 0, 'the guest has no swap')
    expect(not any(one['failure'] for one in answer['sensors']), 'a sensor failed')
    all_ran(transcript, 2)


def namespaces(transcript):
    expect(transcript.shown('second').status == 0, 'the second batch failed')
    expect(transcript.shown('first lives').status == 0, 'the jobs of the first batch were ended')
    # Of its one job, which the script kills.
    expect(transcript.shown('first').text.split() == ['1'], 'the first batch did not end by itself')


def enforced(transcript):
    batch = transcript.shown('batch')
    expect(batch.status == 1, f'status {batch.status}: a job that took five times its memory ended well')
    expect(transcript.shown('went on').status == 1, 'the job went on after one of its processes was killed')
    expect(transcript.shown('small').status == 0, 'a job within its memory failed')


def group_kills(transcript, name):
    return dict(line.split() for line in transcript.shown(name).text.splitlines())['oom_group_kill']


def oom_group_brake(transcript):
    all_ran(transcript, 4)
    expect(group_kills(transcript, 'events') == '0', 'the kernel killed the group')


def oom_group_earlier(transcript):
    # Both jobs together hold between 90 and 95 % of the limit.
    for name, is_braked in ('whole', True), ('one', False):
        shown = transcript.shown(name)
        expect(shown.status == 0 and '2 of 2 ran' in shown.text, f'{name}: jobs failed')
        expect(('suspended job' in shown.text) == is_braked,
               f'{name}: the brake {"did not act" if is_braked else "acted"}')


def outcomes_of(transcript, name, key):
    keys = json.loads(transcript.shown(name).text)['keys']
    return next((one['outcomes'] for one in keys if one['key'] == key), None)


def oom_group_run(transcript):
    expect(group_kills(transcript, 'big events') == '1', 'the kernel did not kill the group: the cell shows nothing')
    finished = status(transcript, 'big status')['counters']['finished']
    expect((finished['oom'], finished['cancelled']) == (1, 0), f'outcomes of the run: {finished}')
    learned = outcomes_of(transcript, 'big history', 'big')
    expect(learned and learned['oom'] == 1, f'the history has {learned}')
    expect(group_kills(transcript, 'quiet events') == '1', 'the kernel did not kill the other group')
    expect(transcript.shown('quiet used').status == 0, 'the silent run had reported nothing: the cell shows nothing')
    finished = status(transcript, 'quiet status')['counters']['finished']
    expect((finished['unknown'], finished['oom']) == (1, 0), f'outcomes of the silent run: {finished}')
    expect(outcomes_of(transcript, 'quiet history', 'quiet') is None, 'what is unknown was learned')


def high_with_swap(transcript):
    expect(int(transcript.shown('total').text.split()[1]) > 0, 'the guest has no swap')
    expect(int(transcript.shown('held back').text) > 0, 'the job was never held back: the cell shows nothing')
    all_ran(transcript, HIGH_JOBS + 1)


def high_without_swap(transcript):
    reason = 'memory.enforce: high: this host has no swap'
    for name in ('check', 'serve', 'batch', 'demo'):
        shown = transcript.shown(name)
        expect(shown.status == 2 and reason in shown.text, f'{name}: status {shown.status}: {shown.text}')
    expect(re.search(r'config:1:\d+: ' + reason, transcript.shown('check').text), 'the field is not named with its place')
    quiet = transcript.shown('max')
    expect(quiet.status == 1 and 'cannot be limited (memory.enforce: max)' in quiet.text,
           f'a job that cannot be limited: status {quiet.status}: {quiet.text}')


def eaters_at_once(transcript):
    """For each start and end of an `eat`: its time, how many there were from then on, and how many had ended."""
    at_once, now, ended = [], 0, 0
    for what, seconds in sorted(re.findall(r'(begins|ends) (\S+)', transcript.shown('eaten').text),
                                key=lambda line: float(line[1])):
        now += 1 if what == 'begins' else -1
        ended += what == 'ends'
        at_once.append((float(seconds), now, ended))
    return at_once


def hundred(transcript):
    statuses = transcript.shown('statuses').text.split()
    expect(statuses == ['0'] * HUNDRED, f'statuses: {statuses}')
    kills = number_after(transcript, 'vmstat', 'oom_kill')
    expect(kills == 0, f'{kills} OOM kills')
    at_once = eaters_at_once(transcript)
    expect(len(at_once) == 2 * HUNDRED, f'{len(at_once)} starts and ends')
    # Of the first nothing was known: they begin on probation, and the brake holds them. The memory that the
    # guest itself takes may be the room of one.
    fit = number_after(transcript, 'total', 'MemTotal:') // 1024 // EATEN
    most = max(now for _, now, ended in at_once if ended >= 10)
    expect(fit - 1 <= most <= fit, f'{most} at once, where {fit} fit')
    none = sum(then[0] - one[0] for one, then in zip(at_once, at_once[1:]) if one[1] == 0)
    whole = at_once[-1][0] - at_once[0][0]
    expect(none < whole / 3, f'none ran in {none:.1f} of {whole:.1f} s: more than it takes to start the next')


def hundred_nested(transcript):
    hundred(transcript)
    finished = status(transcript)['counters']['finished']
    expect(finished['ok'] == HUNDRED + 1, f'finished: {finished}')
