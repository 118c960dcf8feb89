#!/bin/bash
# The hook ACTIONS_RUNNER_HOOK_JOB_COMPLETED of GitHub's runner: returns the job's permit.
set -u
python3 "$(dirname "$(readlink -f "$0")")/../job_permit.py" return "github-actions-$PPID" 2>/dev/null || true
