"""A stand-in of a CI runner, for one job: runner.py buildkite|github-actions|none COMMAND

It follows what the runners document. Buildkite's agent sources the hook pre-command, runs the command if
that succeeded, and always sources pre-exit, with the command's status. GitHub's runner runs the script of
ACTIONS_RUNNER_HOOK_JOB_STARTED with `bash -e`, the steps if that succeeded, and the script of
ACTIONS_RUNNER_HOOK_JOB_COMPLETED.
"""
import os
import subprocess
import sys


def step(command):
    return subprocess.run(["bash", "-e", "-c", command], check=False).returncode


def buildkite(command):
    def hook(name):
        path = os.path.join(os.environ["BUILDKITE_HOOKS_PATH"], name)
        return subprocess.run(["bash", "-c", '. "$1"; exit $?', "hook", path], check=False).returncode

    status = hook("pre-command")
    if status == 0:
        status = step(command)
        os.environ["BUILDKITE_COMMAND_EXIT_STATUS"] = str(status)
    return hook("pre-exit") or status


def github_actions(command):
    def hook(name):
        return subprocess.run(["bash", "-e", os.environ[f"ACTIONS_RUNNER_HOOK_JOB_{name}"]], check=False).returncode

    status = hook("STARTED") or step(command)
    return hook("COMPLETED") or status


if __name__ == "__main__":
    run = {"buildkite": buildkite, "github-actions": github_actions, "none": step}[sys.argv[1]]
    sys.exit(run(sys.argv[2]))
