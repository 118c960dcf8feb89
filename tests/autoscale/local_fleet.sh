#!/bin/sh
# Executors as processes of this host, for the autoscaler:
#   local_fleet.sh FOLDER GEARMAND_PORT SLUICE list | add NAME | remove NAME
# Each notes in FOLDER/jobs which job it began and when.
set -eu
folder=$1
port=$2
sluice=$3
home=$folder/fleet/${5:-}
case $4 in
add)
  mkdir -p "$home"
  cat >"$home/job" <<END
#!/bin/sh
read -r job
echo "\$job $5 \$(date +%s.%N)" >>"$folder/jobs"
sleep 0.2
END
  cat >"$home/sluice.yaml" <<END
window: {law: rfc, initial: 20, minimum: 20, maximum: 20, dwell: 10ms}
sensors: {load: {limit: 1000}, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,
          cgroup: off, disk: off, pids: off, starting: off}
cost: {model: formula}
memory: {brake: off, prior: 1MiB}
service: {listen: off}
work_sources:
  - {kind: gearman, servers: ["127.0.0.1:$port"], functions: {work: [/bin/sh, $home/job]}}
END
  setsid "$sluice" serve --config "$home/sluice.yaml" --socket "$home/socket" \
    >"$home/log" 2>&1 </dev/null &
  echo $! >"$home/pid"
  ;;
remove)
  pid=$(cat "$home/pid")
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
  rm -r "$home"
  ;;
list)
  for each in "$home"*/; do
    [ ! -f "$each/pid" ] || echo "$(basename "$each") ${each}socket"
  done
  ;;
esac
