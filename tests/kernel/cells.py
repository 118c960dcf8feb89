"""The cells of ./test kernel: what runs in the guest, and what must have come of it."""

import dataclasses
import json
import re
from collections.abc import Callable

MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Cell:
    name: str
    promise: str  # In words, for the list.
    script: str
    check: Callable  # Of the transcript; raises AssertionError.
    mebibytes: int = 1024
    long: bool = False
    # Beside other guests it would starve: clients take a daemon for gone that does not answer for 10 s.
    alone: bool = False
    most_seconds: int = 240  # Longer than that it hangs; on a busy host most take 5 to 60 s.


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


HIGH_JOBS = 15
HUNDRED, EATEN = 100, 500  # As many jobs, of so many MiB each.


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


# /tmp/hundred starts them all at once and prints their statuses. The daemon goes before them all: until a hundred
# processes have started, emulated, it would have a hundredth of the CPUs for half a minute.
HUNDRED_AT_ONCE = f'''
cat >/tmp/hundred <<'END'
export EAT_LOG=/tmp/eaten
jobs=
for job in $(seq {HUNDRED}); do
  sluice run -- eat {EATEN} 2>>/tmp/said &
  jobs="$jobs $!"
done
for job in $jobs; do wait $job; echo $?; done
END
group first cpu.weight=10000
show total grep MemTotal /proc/meminfo
end_of_hundred() {{
  show eaten cat /tmp/eaten
  show vmstat grep oom_kill /proc/vmstat
  show status sluice status --json
  sort /tmp/said | uniq -c
  cat /tmp/serve.log
}}
'''

ALL = (
    Cell('nested-sensors', 'sensors agree with the files of the group that binds', '''
group a memory.max=600M pids.max=200
group a/b memory.max=400M cpu.max='150000 100000'
group a/b/d
group a/b/c
inside a/b/d eat 100 1000 &
until_true 60 sh -c 'test $(cat /sys/fs/cgroup/a/b/d/memory.current) -gt 104857600'
serve a/b/c
show status sluice status --json
show memory.max cat $root/a/b/memory.max
show memory.current cat $root/a/b/memory.current
''', nested_sensors),

    Cell('limits-followed', 'limits that change in place are followed', '''
group a memory.max=600M pids.max=200
group a/b memory.max=400M
group a/b/c
serve a/b/c
says() { until_true 60 sh -c "sluice status --json | grep -q '$1'"; }
echo 300M >$root/a/b/memory.max
show memory.max says '"limit":314572800'
echo 200M >$root/a/memory.high
show memory.high says '"limit":209715200'
echo 100 >$root/a/pids.max
show pids.max says '"limit":[0-9.]*,"total":100'
echo max >$root/a/memory.high
show raised says '"limit":314572800'
logs() { until_true 60 grep -q "$1" /tmp/serve.log; }
echo '50000 100000' >$root/a/cpu.max
show cpu.max logs 'may use 0.5 CPUs now'
echo max >$root/a/cpu.max
logs 'may use 2 CPUs now'
echo 0 >$root/a/b/cpuset.cpus
show cpuset logs 'may use 1 CPU now'
show status sluice status --json
''', limits_followed),

    Cell('jobs-in-groups', 'each job has a group of its own, and nothing is left of it', '''
group w memory.max=600M
rmdir $root/x 2>/dev/null
batch() { inside w sluice batch "$@" </tmp/jobs; }
# Longer than 50 ms: a job whose key is known to be shorter gets no group.
printf 'cat /proc/self/cgroup; sleep 1\n%.0s' 1 2 3 >/tmp/jobs
show alone batch -k -q
show folders find $root/w -type d
show control cat $root/w/cgroup.subtree_control
show limits cat $root/w/memory.max
inside w sleep 1000 &
other=$!
show 'with others' batch -k -q
show 'other lives' kill -0 $other
''', jobs_in_groups),

    Cell('brake', 'growing jobs in a small group: none is killed by the kernel', '''
group w memory.max=400M
cd /tmp
printf 'eat 120 1 6\neat 121 1 6\neat 122 1 6\neat 123 1 6\n' >/tmp/jobs
show batch inside w sluice batch -v --retries 3 -f /tmp/jobs
show memory.events cat $root/w/memory.events
''', brake, long=True),

    Cell('killed-batch', 'kill -9 of a batch ends its jobs and leaves no group', '''
group w
printf 'sleep 1001\nsleep 1002\n' >/tmp/jobs
inside w sluice batch -q -f /tmp/jobs &
until_true 60 running 'sleep 1002'
kill -9 "$(running 'sluice batch' | head -n 1)"
gone() { ! running 'sleep 100[12]'; }
show 'jobs end' until_true 60 gone
no_group() { ! ls -d $root/w/sluice.*; }
show 'folders end' until_true 60 no_group
echo true >/tmp/jobs
show later inside w sluice batch -f /tmp/jobs
show folders find $root/w -type d
''', killed_batch),

    Cell('left-behind', 'sluice doctor --clean mends what a batch leaves that dies with its guard', '''
group w
echo 'sleep 1004' >/tmp/jobs
inside w sluice batch -q -f /tmp/jobs &
until_true 60 running '^sleep 1004'
kill -9 $(running 'sluice batch')
all_gone() { ! running 'sluice batch'; }
until_true 60 all_gone
show entered inside w true
show before sluice doctor --json
show clean sluice doctor --json --clean
show jobs running '^sleep 1004'
show folders find $root/w -type d
echo true >/tmp/jobs
show later inside w sluice batch -q -f /tmp/jobs
''', left_behind),

    Cell('no-controller', 'a group without the memory controller is told of', '''
mkdir -p $root/w/bare
echo '+pids' >$root/w/cgroup.subtree_control
serve w/bare
show log cat /tmp/serve.log
show doctor inside w/bare sluice doctor --json
show run sluice run -- true
''', no_controller),

    Cell('namespaces', 'a batch in a pid namespace keeps its jobs when another starts outside', '''
group w
echo 'sleep 1003' >/tmp/first
echo true >/tmp/second
{ inside w /bin/unshare --pid --fork --mount-proc sluice batch -q -f /tmp/first; echo $? >/tmp/status; } &
until_true 60 running '^sleep 1003'
show second sluice batch -q -f /tmp/second
show 'first lives' running '^sleep 1003'
for job in $(running '^sleep 1003'); do kill -9 $job; done
ended() { test -s /tmp/status; }
until_true 60 ended
show first cat /tmp/status
''', namespaces),

    Cell('enforced', 'memory.enforce: max ends all of a job, not one process of it', '''
group w
echo 'memory: {enforce: max}' >/tmp/config
echo '{"command": "eat 320; touch /tmp/went-on", "memory": "64MiB"}' >/tmp/jobs
show batch inside w sluice batch -q --config /tmp/config -f /tmp/jobs
show 'went on' test -e /tmp/went-on
echo '{"command": "eat 10", "memory": "64MiB"}' >/tmp/jobs
show small inside w sluice batch -q --config /tmp/config -f /tmp/jobs
''', enforced),

    Cell('oom-group-brake', 'jobs that grow in a group that is killed whole: the brake is earlier', '''
group w memory.max=400M memory.oom.group=1
cd /tmp
printf 'eat 120 1 6\neat 121 1 6\neat 122 1 6\neat 123 1 6\n' >/tmp/jobs
show batch inside w sluice batch -v --retries 3 -f /tmp/jobs
show events cat $root/w/memory.events
''', oom_group_brake, long=True),

    Cell('oom-group-earlier', 'the brake acts earlier where a whole group is killed than elsewhere', '''
group w memory.max=400M memory.oom.group=1
echo 'memory: {reserve: 0}' >/tmp/config
echo '{"command": "eat 192 16", "memory": "194MiB"}' >/tmp/jobs
echo '{"command": "eat 167 1 12", "memory": "169MiB"}' >>/tmp/jobs
show whole inside w sluice batch -v --order arrival --config /tmp/config -f /tmp/jobs
group v memory.max=400M
show one inside v sluice batch -v --order arrival --config /tmp/config -f /tmp/jobs
''', oom_group_earlier, long=True),

    Cell('oom-group-run', 'a run that dies with its whole group is an oom, or unknown and teaches nothing', '''
group d
for name in big quiet; do group $name memory.max=150M memory.oom.group=1; done
# Another user's: it cannot see the signal that a process of root's died by.
daemon() {
  export SLUICE_SOCKET=/tmp/$1/socket
  mkdir /tmp/$1
  chown 1000:1000 /tmp/$1
  echo "state_dir: /tmp/$1" >/tmp/$1/config
  inside d /bin/setpriv --reuid 1000 --regid 1000 --clear-groups \
    sluice serve --config /tmp/$1/config --socket $SLUICE_SOCKET --listen off >/tmp/$1/log 2>&1 &
  until_true 60 sluice status
}
ended() { sluice status --json | grep -q '"'$1'":1'; }
uses() { sluice status --json | grep -q '"peak_memory":[1-9]'; }
known() { sluice history --state-dir /tmp/$1 --json; }

daemon big
inside big sluice run -q --key big -- eat 400 60 16
until_true 60 ended oom
show 'big events' cat $root/big/memory.events.local
show 'big status' sluice status --json
show 'big history' known big

daemon quiet
inside quiet sluice run -q --key quiet -- eat 20 600 &
show 'quiet used' until_true 60 uses
kill -STOP $(running '^sluice run')
sleep 4
# Its group gives controllers to those below, so it lets no process in itself.
mkdir $root/quiet/other
inside quiet/other eat 400 60
until_true 60 ended unknown
show 'quiet events' cat $root/quiet/memory.events.local
show 'quiet status' sluice status --json
show 'quiet history' known quiet
cat /tmp/*/log
''', oom_group_run),

    Cell('high-no-swap', 'memory.enforce: high is refused without swap, and max is never refused in silence', '''
group w
echo 'memory: {enforce: high}' >/tmp/config
echo true >/tmp/jobs
show check sluice config check /tmp/config
show serve inside w sluice serve --config /tmp/config --listen off
show batch inside w sluice batch -q --config /tmp/config -f /tmp/jobs
show demo inside w sluice demo --config /tmp/config
echo 'memory: {enforce: max}' >/tmp/config
echo '{"command": "true", "memory": "64MiB"}' >/tmp/jobs
show max inside w sluice batch -q --cgroups off --config /tmp/config -f /tmp/jobs
''', high_without_swap),

    Cell('high-swap', 'memory.enforce: high slows one job down, and the others are admitted all the same', f'''
insmod /modules/brd.ko rd_nr=1 rd_size=262144
mkswap /dev/ram0 >/dev/null
swapon /dev/ram0
show total grep SwapTotal /proc/meminfo
group w
echo 'memory: {{enforce: high}}' >/tmp/config
# It waits for memory until all others have run.
echo '{{"command": "while ! test -e /tmp/done; do eat 96; grep high /sys/fs/cgroup/w/sluice.*/job.*/memory.events >/tmp/held; done", "memory": "64MiB"}}' >/tmp/jobs
for job in $(seq {HIGH_JOBS - 1}); do echo '{{"command": "sleep 1", "memory": "1MiB"}}' >>/tmp/jobs; done
echo '{{"command": "touch /tmp/done", "memory": "1MiB"}}' >>/tmp/jobs
cd /tmp
show batch inside w sluice batch -v -j 2 --order arrival --config /tmp/config -f /tmp/jobs
held_back() {{ grep -o 'high [0-9]*' /tmp/held | sort -k 2 -n | tail -n 1 | cut -d ' ' -f 2; }}
show 'held back' held_back
''', high_with_swap, long=True),

    Cell('sidecar', 'a daemon in a cgroup namespace with a read-only mount reads its own limit', '''
group pod memory.max=500M
group pod/box memory.max=300M
cat >/tmp/box <<'END'
mount -o remount,bind,ro /sys/fs/cgroup
echo 1 >/sys/fs/cgroup/cgroup.procs
echo "@@begin read-only"
mkdir /sys/fs/cgroup/x
echo "@@end read-only $?"
exec sluice serve
END
cat >/tmp/enter <<'END'
echo $$ >/sys/fs/cgroup/pod/box/cgroup.procs
exec /bin/unshare --cgroup --mount sh -c 'umount /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec sh /tmp/box'
END
sh /tmp/enter &
until_true 60 sluice status
show status sluice status --json
show run sluice run -- true
''', sidecar),

    Cell('delegated', 'a user to whom a group is delegated has groups for the jobs', '''
group w
chown 1000:1000 $root/w $root/w/cgroup.procs $root/w/cgroup.subtree_control $root/w/cgroup.threads
printf 'cat /proc/self/cgroup; sleep 1\n%.0s' 1 2 >/tmp/jobs
cd /tmp
show user inside w /bin/setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/tmp sluice batch -k -q -f /tmp/jobs
show folders find $root/w -type d
''', delegated),

    Cell('swap', 'a guest with swap', '''
insmod /modules/brd.ko rd_nr=1 rd_size=131072
mkswap /dev/ram0 >/dev/null
swapon /dev/ram0
show total grep SwapTotal /proc/meminfo
group a memory.max=200M
group a/b
serve a/b
group w memory.max=150M
printf 'eat 60 1\neat 61 1\n' >/tmp/jobs
show batch inside w sluice batch -v -f /tmp/jobs
show status sluice status --json
''', swap, long=True),

    Cell('hundred-nested', 'a hundred children of one permit that do not all fit: all end, and none is killed',
         HUNDRED_AT_ONCE + '''
serve first
show statuses sluice run --cost 100 -- sh /tmp/hundred
end_of_hundred
''', hundred_nested, mebibytes=2048, long=True, alone=True, most_seconds=900),

    # Without the load sensor: starting a hundred processes under emulation is load enough to be red for minutes.
    Cell('hundred', 'a hundred commands at once that do not all fit: all end, and none is killed',
         HUNDRED_AT_ONCE + '''
printf 'sensors: {load: off}\nwindow: {initial: 100}\n' >/tmp/config
serve first --config /tmp/config
show statuses sh /tmp/hundred
end_of_hundred
''', hundred, mebibytes=2048, long=True, alone=True, most_seconds=900),
)
