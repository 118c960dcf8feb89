#!/bin/bash
# The hook ACTIONS_RUNNER_HOOK_JOB_STARTED of GitHub's runner: waits until the job fits on this host.
set -u
permit=$(dirname "$(readlink -f "$0")")/../job_permit.py
status=0
python3 "$permit" take "github-actions-$PPID" \
  "github-actions/${GITHUB_REPOSITORY:-}/${GITHUB_WORKFLOW:-}/${GITHUB_JOB:-}" || status=$?
if [ "$status" -ge 126 ]; then
  echo "sluice: this job runs without a permit: python3 does not run here"
  status=0
fi
exit "$status"
