#!/bin/bash
# The hook ACTIONS_RUNNER_HOOK_JOB_COMPLETED of GitHub's runner: returns the job's permit.
set -u
"$(dirname "$(readlink -f "$0")")/../job-permit" return "github-actions-$PPID" 2>/dev/null || true
