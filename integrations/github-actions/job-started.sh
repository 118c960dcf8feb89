#!/bin/bash
# The hook ACTIONS_RUNNER_HOOK_JOB_STARTED of GitHub's runner: waits until the job fits on this host.
set -u
permit=$(dirname "$(readlink -f "$0")")/../job-permit
status=0
"$permit" take "github-actions-$PPID" \
  "github-actions/${GITHUB_REPOSITORY:-}/${GITHUB_WORKFLOW:-}/${GITHUB_JOB:-}" || status=$?
if [ "$status" -ge 126 ]; then
  echo "sluice: this job runs without a permit: $permit does not run here (it needs python3)"
  status=0
fi
exit "$status"
