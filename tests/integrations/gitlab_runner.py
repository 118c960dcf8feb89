"""A stand-in of GitLab Runner, for one job: gitlab_runner.py DRIVER SCRIPT

It follows the documentation of the custom executor: each stage is a script, and `run SCRIPT STAGE` runs it.
Exit statuses other than those that the runner named count as a failure of the system. An empty DRIVER is
the shell executor.
"""
import json
import os
import subprocess
import sys
import tempfile

BUILD_FAILURE, SYSTEM_FAILURE = 1, 2
BEFORE = ("prepare_script", "get_sources", "restore_cache", "download_artifacts")


def main(driver, script):
    with tempfile.TemporaryDirectory() as folder:
        code = os.path.join(folder, "code")
        environment = dict(os.environ, BUILD_FAILURE_EXIT_CODE=str(BUILD_FAILURE), BUILD_EXIT_CODE_FILE=code,
                           SYSTEM_FAILURE_EXIT_CODE=str(SYSTEM_FAILURE))
        environment["PATH"] = environment.pop("PATH_ONLY", environment["PATH"])

        def stage(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"set -e\n{text}\n")
            command = [os.path.join(driver, "run"), path, name] if driver else ["bash", path]
            return subprocess.run(command, env=environment, check=False).returncode

        if driver:
            answer = subprocess.run([os.path.join(driver, "config")], env=environment, check=True, capture_output=True)
            json.loads(answer.stdout)
        status = next((status for name in BEFORE if (status := stage(name, "true"))), 0) or stage("step_script", script)
        stage("after_script", "true")
        stage("upload_artifacts_on_failure" if status else "upload_artifacts_on_success", "true")
        if os.path.exists(code):
            with open(code, encoding="utf-8") as file:
                print("build failure", file.read().strip())
    return status if status in (0, BUILD_FAILURE) else SYSTEM_FAILURE


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
