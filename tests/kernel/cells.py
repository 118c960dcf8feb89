"""The cells of ./test kernel: what runs in the guest, and the check of what came of it."""

import dataclasses
from collections.abc import Callable

import cell_checks as checks
from cell_checks import EATEN, HIGH_JOBS, HUNDRED


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
''', checks.nested_sensors),

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
''', checks.limits_followed),

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
''', checks.jobs_in_groups),

    Cell('brake', 'growing jobs in a small group: none is killed by the kernel', '''
group w memory.max=400M
cd /tmp
printf 'eat 120 1 6\neat 121 1 6\neat 122 1 6\neat 123 1 6\n' >/tmp/jobs
show batch inside w sluice batch -v --retries 3 -f /tmp/jobs
show memory.events cat $root/w/memory.events
''', checks.brake, long=True),

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
''', checks.killed_batch),

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
''', checks.left_behind),

    Cell('build-in-group', 'a build in a group with a limit of its own is governed by that limit', '''
group w memory.max=500M
cat >/tmp/recipes <<'END'
jobs=
# They grow slowly: emulated, it takes long to stop one.
for job in $(seq 6); do
  eat 170 1 4 &
  jobs="$jobs $!"
done
for job in $jobs; do wait $job; echo "ended $?"; done
END
# The user's usual daemon is outside and knows the memory of the guest alone, which all six fit in.
unset SLUICE_SOCKET
show outside sluice build -- true
show build inside w sluice build -v -- sh /tmp/recipes
show events cat $root/w/memory.events
daemons() { for daemon in $(running 'sluice serve'); do cat /proc/$daemon/cgroup; done; }
show daemons daemons
empty() { ! grep -q . $root/w/cgroup.procs; }
show 'daemon ends' until_true 60 empty
show removed rmdir $root/w
''', checks.build_in_group, mebibytes=2048),

    Cell('no-controller', 'a group without the memory controller is told of', '''
mkdir -p $root/w/bare
echo '+pids' >$root/w/cgroup.subtree_control
serve w/bare
show log cat /tmp/serve.log
show doctor inside w/bare sluice doctor --json
show run sluice run -- true
''', checks.no_controller),

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
''', checks.namespaces),

    Cell('enforced', 'memory.enforce: max ends all of a job, not one process of it', '''
group w
echo 'memory: {enforce: max}' >/tmp/config
echo '{"command": "eat 320; touch /tmp/went-on", "memory": "64MiB"}' >/tmp/jobs
show batch inside w sluice batch -q --config /tmp/config -f /tmp/jobs
show 'went on' test -e /tmp/went-on
echo '{"command": "eat 10", "memory": "64MiB"}' >/tmp/jobs
show small inside w sluice batch -q --config /tmp/config -f /tmp/jobs
''', checks.enforced),

    Cell('oom-group-brake', 'jobs that grow in a group that is killed whole: the brake is earlier', '''
group w memory.max=400M memory.oom.group=1
cd /tmp
printf 'eat 120 1 6\neat 121 1 6\neat 122 1 6\neat 123 1 6\n' >/tmp/jobs
show batch inside w sluice batch -v --retries 3 -f /tmp/jobs
show events cat $root/w/memory.events
''', checks.oom_group_brake, long=True),

    Cell('oom-group-earlier', 'the brake acts earlier where a whole group is killed than elsewhere', '''
group w memory.max=400M memory.oom.group=1
echo 'memory: {reserve: 0}' >/tmp/config
echo '{"command": "eat 192 16", "memory": "194MiB"}' >/tmp/jobs
echo '{"command": "eat 167 1 12", "memory": "169MiB"}' >>/tmp/jobs
show whole inside w sluice batch -v --order arrival --config /tmp/config -f /tmp/jobs
group v memory.max=400M
show one inside v sluice batch -v --order arrival --config /tmp/config -f /tmp/jobs
''', checks.oom_group_earlier, long=True),

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
''', checks.oom_group_run),

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
''', checks.high_without_swap),

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
''', checks.high_with_swap, long=True),

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
''', checks.sidecar),

    Cell('delegated', 'a user to whom a group is delegated has groups for the jobs', '''
group w
chown 1000:1000 $root/w $root/w/cgroup.procs $root/w/cgroup.subtree_control $root/w/cgroup.threads
printf 'cat /proc/self/cgroup; sleep 1\n%.0s' 1 2 >/tmp/jobs
cd /tmp
show user inside w /bin/setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/tmp sluice batch -k -q -f /tmp/jobs
show folders find $root/w -type d
''', checks.delegated),

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
''', checks.swap, long=True),

    Cell('hundred-nested', 'a hundred children of one permit that do not all fit: all end, and none is killed',
         HUNDRED_AT_ONCE + '''
serve first
show statuses sluice run --cost 100 -- sh /tmp/hundred
end_of_hundred
''', checks.hundred_nested, mebibytes=2048, long=True, alone=True, most_seconds=900),

    # Without the load sensor: starting a hundred processes under emulation is load enough to be red for minutes.
    Cell('hundred', 'a hundred commands at once that do not all fit: all end, and none is killed',
         HUNDRED_AT_ONCE + '''
printf 'sensors: {load: off}\nwindow: {initial: 100}\n' >/tmp/config
serve first --config /tmp/config
show statuses sh /tmp/hundred
end_of_hundred
''', checks.hundred, mebibytes=2048, long=True, alone=True, most_seconds=900),
)
