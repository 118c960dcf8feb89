"""The rendered manifest, and what podman gets of it."""

import copy
import json
import shutil
import subprocess

import yaml

PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


class Missing(Exception):
    """A tool that is needed is not there; the message names it."""


def render(folder):
    """The objects of a kustomization."""
    if shutil.which("kustomize"):
        command = ["kustomize", "build", folder]
    elif shutil.which("kubectl"):
        command = ["kubectl", "kustomize", folder]
        version = subprocess.run(["kubectl", "version", "--client", "-o", "json"], check=False,
                                 capture_output=True, text=True).stdout
        if "kustomizeVersion" not in json.loads(version or "{}"):
            raise Missing("kubectl is older than 1.24 and has an old kustomize")
    else:
        raise Missing("neither kustomize nor kubectl is installed")
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def of_kind(objects, kind):
    return [each for each in objects if each["kind"] == kind]


def for_podman(objects):
    """What `podman kube play` can do of these, and a line for each thing that it cannot."""
    kept = copy.deepcopy(of_kind(objects, "ConfigMap") + of_kind(objects, "Deployment"))
    changes = [f"{each['kind']} {each['metadata']['name']}: not for podman"
               for each in objects if each["kind"] not in ("ConfigMap", "Deployment")]
    for config in of_kind(kept, "ConfigMap"):
        changes += without_disk_limits(config)
    for deployment in of_kind(kept, "Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        changes += sidecars_to_containers(pod)
        for container in pod["containers"]:
            changes += without_kubelet(container)
        changes += without_downward_volumes(pod)
        for volume in pod["volumes"]:
            if volume.get("emptyDir"):
                changes.append(f"volume {volume['name']}: podman ignores {volume['emptyDir']} and "
                               "makes a folder on disk")
    return kept, changes


def without_disk_limits(config):
    """The limits stay ahead of a kubelet's evictions. The disk of the machine that tests is not
    known: below them nothing would ever start."""
    name = "sluice.yaml"
    settings = yaml.safe_load(config.get("data", {}).get(name, "{}"))
    limits = settings.get("sensors", {}).get("disk", {}).get("limits")
    if not limits:
        return []
    settings["sensors"]["disk"]["limits"] = dict.fromkeys(limits, "0.01%")
    config["data"][name] = yaml.safe_dump(settings, sort_keys=False)
    return [f"disk limits {limits} in {name}: no kubelet evicts here, 0.01% each instead"]


def sidecars_to_containers(pod):
    """Podman takes any init container for one that ends."""
    sidecars = [each for each in pod.get("initContainers", [])
                if each.get("restartPolicy") == "Always"]
    pod["initContainers"] = [each for each in pod.get("initContainers", [])
                             if each not in sidecars]
    for each in sidecars:
        del each["restartPolicy"]
    pod["containers"] = sidecars + pod["containers"]
    return [f"initContainer {each['name']}: an ordinary container, since podman knows no native "
            "sidecars; started with the others, stopped last by the test" for each in sidecars]


def without_kubelet(container):
    """Takes out what the kubelet would do, and the test does."""
    name, changes = container["name"], []
    for probe in PROBES:
        if container.pop(probe, None):
            changes.append(f"{probe} of {name}: asked by the test; podman knows livenessProbe alone, "
                           "and wants curl in the container for it")
    if container.pop("lifecycle", None):
        changes.append(f"lifecycle of {name}: unknown to podman; preStop is run by the test")
    if container.pop("ports", None):
        changes.append(f"ports of {name}: podman has none under --network none; its loopback is "
                       "reached all the same")
    return changes


def without_downward_volumes(pod):
    gone = {each["name"] for each in pod["volumes"] if "downwardAPI" in each}
    pod["volumes"] = [each for each in pod["volumes"] if each["name"] not in gone]
    for container in pod["containers"]:
        container["volumeMounts"] = [each for each in container["volumeMounts"]
                                     if each["name"] not in gone]
    return [f"volume {name}: podman has no downward API volumes" for name in sorted(gone)]
