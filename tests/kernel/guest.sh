# What every cell starts with.
root=/sys/fs/cgroup
echo '+memory +cpu +pids +cpuset +io' >$root/cgroup.subtree_control

# show NAME COMMAND...: its output and status, for the check on the host.
show() {
  name=$1
  shift
  echo "@@begin $name"
  "$@" 2>&1
  echo "@@end $name $?"
}

# group PATH [FILE=VALUE]...: a group with every controller for the groups below it, as far as it
# holds no process.
group() {
  path=$root/$1
  shift
  mkdir -p "$path"
  parent=$(dirname "$path")
  echo '+memory +cpu +pids +cpuset +io' >"$parent/cgroup.subtree_control" 2>/dev/null
  for setting in "$@"; do echo "${setting#*=}" >"$path/${setting%%=*}"; done
}

# inside PATH COMMAND...: runs the command in the group.
inside() {
  group_of_command=$root/$1
  shift
  sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group_of_command" "$@"
}

# until_true SECONDS COMMAND...: waits until the command succeeds.
until_true() {
  rounds=$(($1 * 10))
  shift
  while [ "$rounds" -gt 0 ]; do
    "$@" >/dev/null 2>&1 && return 0
    usleep 100000
    rounds=$((rounds - 1))
  done
  return 1
}

# running PATTERN: the processes whose command line has the pattern; fails where there is none.
running() {
  found=1
  for folder in /proc/[0-9]*; do
    tr '\0' ' ' <"$folder/cmdline" 2>/dev/null | grep -q "$1" || continue
    echo "${folder#/proc/}"
    found=0
  done
  return $found
}

# serve PATH [OPTION...]: a daemon in the group, until it answers.
serve() {
  serve_in=$1
  shift
  inside "$serve_in" sluice serve "$@" >/tmp/serve.log 2>&1 &
  daemon=$!
  until_true 60 sluice status
}
