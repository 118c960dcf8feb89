"""deploy/kubernetes, rendered, against rules. `--update` writes the PrometheusRule again."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
KUBERNETES = SOURCE / "deploy/kubernetes"
RULES = SOURCE / "deploy/prometheus"
PROMETHEUS_RULE = KUBERNETES / "components/monitoring/prometheusrule.yaml"
RENDERED = {"base": KUBERNETES / "base", "keda": KUBERNETES / "overlays/keda",
            "hpa": KUBERNETES / "overlays/hpa",
            "autoscaler": KUBERNETES / "overlays/autoscaler", "pod test": SOURCE / "tests/pod",
            "limits only": SOURCE / "tests/deploy/limits-only",
            "stack": SOURCE / "tests/deploy/stack"}
RULE_HEAD = """# The groups of deploy/prometheus, for the Prometheus operator; a test compares them, and
# tests/deploy/manifests_test.py --update writes this file.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sluice
  labels: {app.kubernetes.io/name: executor}
spec:
  groups:
"""

try:
    import yaml
except ImportError:
    print("OK (skipped=1): SKIPPED: no python3-yaml")
    sys.exit(0)


def cannot_render():
    if not shutil.which("kubectl"):
        return "SKIPPED: no kubectl"
    version = subprocess.run(["kubectl", "version", "--client", "-o", "json"], check=False,
                             capture_output=True, text=True).stdout
    if "kustomizeVersion" not in json.loads(version or "{}"):
        return "SKIPPED: kubectl is older than 1.24"
    return None


def render(folder):
    done = subprocess.run(["kubectl", "kustomize", folder], check=True, capture_output=True,
                          text=True)
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def of_kind(objects, kind):
    return [each for each in objects if each["kind"] == kind]


def pod_of(deployment):
    return deployment["spec"]["template"]["spec"]


def containers_of(pod):
    return pod.get("initContainers", []) + pod["containers"]


def rule_groups():
    return [group for name in ("rules.yml", "alerts.yml")
            for group in yaml.safe_load((RULES / name).read_text())["groups"]]


def squeezed(value):
    """Without what kustomize adds to folded text: empty lines, which mean nothing in a query."""
    if isinstance(value, dict):
        return {key: squeezed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [squeezed(each) for each in value]
    return " ".join(value.split()) if isinstance(value, str) else value


def updated_rule():
    """The PrometheusRule's text: the groups as they stand in deploy/prometheus, moved in."""
    lines = []
    for name in ("rules.yml", "alerts.yml"):
        text = (RULES / name).read_text()
        lines += ["    " + line if line else "" for line in
                  text[text.index("\ngroups:\n") + 9:].rstrip("\n").split("\n")]
    return RULE_HEAD + "\n".join(lines) + "\n"


@unittest.skipIf(cannot_render(), cannot_render() or "")
class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rendered = {name: render(folder) for name, folder in RENDERED.items()}

    def every(self, kind):
        return [each for objects in self.rendered.values() for each in of_kind(objects, kind)]

    def pods(self):
        return [pod_of(each) for each in self.every("Deployment")]

    def containers(self):
        return [container for pod in self.pods() for container in containers_of(pod)]

    def executors(self):
        return [each for each in self.every("Deployment") if each["metadata"]["name"] == "executor"]

    def test_nothing_is_privileged(self):
        for pod in self.pods():
            context = pod["securityContext"]
            self.assertTrue(context["runAsNonRoot"])
            self.assertGreater(context.get("runAsUser", 1), 0)
            self.assertEqual(context["seccompProfile"], {"type": "RuntimeDefault"})
            self.assertFalse({"hostNetwork", "hostPID", "hostIPC"} & set(pod))
            self.assertFalse([each for each in pod["volumes"] if "hostPath" in each])
        for container in self.containers():
            self.assertEqual(container["securityContext"], {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]}})

    def test_only_who_asks_the_api_server_has_a_token(self):
        for deployment in self.every("Deployment"):
            pod = pod_of(deployment)
            if deployment["metadata"]["name"] == "executor":
                self.assertIs(pod["automountServiceAccountToken"], False)
            else:
                self.assertIn("serviceAccountName", pod)

    def test_everything_has_a_memory_limit_and_the_governor_no_cpu_limit(self):
        for container in self.containers():
            resources = container["resources"]
            self.assertIn("memory", resources["limits"])
            self.assertLessEqual({"cpu", "memory"}, set(resources["requests"]))
            self.assertEqual("cpu" in resources["limits"], container["name"] == "executor")

    def test_every_container_of_an_executor_requests_its_disk(self):
        for deployment in self.executors():
            for container in containers_of(pod_of(deployment)):
                self.assertIn("ephemeral-storage", container["resources"]["requests"])

    def test_no_user_is_required_and_one_component_gives_both_containers_the_same(self):
        base, = of_kind(self.rendered["base"], "Deployment")
        fixed = {"runAsUser", "runAsGroup", "fsGroup"}
        self.assertFalse(fixed & set(pod_of(base)["securityContext"]))
        for name in ("keda", "hpa", "autoscaler", "pod test", "stack"):
            executor = next(each for each in of_kind(self.rendered[name], "Deployment")
                            if each["metadata"]["name"] == "executor")
            pod = pod_of(executor)
            self.assertLessEqual(fixed, set(pod["securityContext"]), name)
            for container in containers_of(pod):
                self.assertFalse(fixed & set(container["securityContext"]), name)

    def test_the_disk_gate_lies_before_the_kubelets_eviction(self):
        for objects in self.rendered.values():
            for each in of_kind(objects, "ConfigMap"):
                if "sluice.yaml" not in each["data"]:
                    continue
                disk = yaml.safe_load(each["data"]["sluice.yaml"])["sensors"]["disk"]
                imagefs, nodefs = disk["limits"]["/"], disk["limits"]["/var/lib/sluice"]
                self.assertGreaterEqual(int(imagefs.rstrip("%")), 15 + 5)
                self.assertGreaterEqual(int(nodefs.rstrip("%")), 10 + 5)

    def test_what_replaces_the_bases_configuration_keeps_the_bound_of_its_queue(self):
        base = yaml.safe_load((KUBERNETES / "base/sluice.yaml").read_text())
        bound = base["service"]["max_pending"]
        replacing = list(KUBERNETES.glob("**/sluice.yaml"))
        self.assertGreaterEqual(len(replacing), 2)
        for each in replacing:
            service = yaml.safe_load(each.read_text())["service"]
            self.assertEqual(service.get("max_pending"), bound, each)
        for name, objects in self.rendered.items():
            for each in of_kind(objects, "ConfigMap"):
                if "sluice.yaml" not in each["data"]:
                    continue
                service = yaml.safe_load(each["data"]["sluice.yaml"])["service"]
                self.assertEqual(service.get("max_pending"), bound, name)

    def test_the_record_takes_no_more_than_half_of_its_volume(self):
        for name, objects in self.rendered.items():
            executor = next(each for each in of_kind(objects, "Deployment")
                            if each["metadata"]["name"] == "executor")
            state = next(each for each in pod_of(executor)["volumes"] if each["name"] == "state")
            volume = int(state["emptyDir"]["sizeLimit"].removesuffix("Mi"))
            for each in of_kind(objects, "ConfigMap"):
                if "sluice.yaml" not in each["data"]:
                    continue
                record = yaml.safe_load(each["data"]["sluice.yaml"])["service"]["record"]
                self.assertLessEqual(int(record["size"].removesuffix("MiB")), volume // 2, name)

    def test_executors_stay_on_their_nodes_only_where_that_was_chosen(self):
        wanted = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
                  "karpenter.sh/do-not-disrupt": "true"}
        for name, objects in self.rendered.items():
            executor = next(each for each in of_kind(objects, "Deployment")
                            if each["metadata"]["name"] == "executor")
            given = executor["spec"]["template"]["metadata"].get("annotations", {})
            self.assertEqual(given, wanted if name == "stack" else {}, name)

    def test_kube_prometheus_stack_chooses_what_the_component_labels(self):
        labelled = of_kind(self.rendered["stack"], "PodMonitor")
        labelled += of_kind(self.rendered["stack"], "PrometheusRule")
        self.assertEqual(len(labelled), 2)
        for each in labelled:
            self.assertEqual(each["metadata"]["labels"]["release"], "kube-prometheus-stack")

    @unittest.skipIf(os.geteuid() != 0, "SKIPPED: needs root, to become another user")
    def test_the_governor_serves_as_any_user_of_the_group_0(self):
        command = os.environ.get("SLUICE_COMMAND")
        if not command:
            self.skipTest("SKIPPED: SLUICE_COMMAND names no sluice")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-any-user-"))
        self.addCleanup(shutil.rmtree, folder)
        folder.chmod(0o777)  # As an emptyDir without fsGroup.
        socket = folder / "sluice.sock"
        user = ["setpriv", "--reuid=1000620000", "--regid=0", "--clear-groups"]
        with subprocess.Popen([*user, command, "serve", "--listen", "off", "--socket", socket],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              cwd=folder, env={"PATH": os.environ["PATH"]}) as governor:
            try:
                for line in governor.stderr:
                    if "serves on" in line:
                        break
                asked = subprocess.run([*user, command, "drain", "--socket", socket], check=False,
                                       capture_output=True, text=True)
                self.assertEqual(asked.returncode, 0, asked.stderr)
            finally:
                governor.terminate()
                governor.stderr.read()

    def test_the_governor_is_a_native_sidecar_with_all_probes(self):
        for deployment in self.executors():
            sidecar, = pod_of(deployment)["initContainers"]
            self.assertEqual(sidecar["restartPolicy"], "Always")
            paths = {kind: sidecar[kind]["httpGet"]["path"]
                     for kind in ("startupProbe", "livenessProbe", "readinessProbe")}
            self.assertEqual(paths, {"startupProbe": "/readyz", "livenessProbe": "/livez",
                                     "readinessProbe": "/readyz"})

    def test_the_executor_attaches_drains_and_is_never_killed_by_a_probe(self):
        for deployment in self.executors():
            pod = pod_of(deployment)
            executor, = pod["containers"]
            self.assertEqual(executor["command"][:2], ["/opt/sluice/bin/sluice-attach", "--"])
            self.assertEqual(executor["lifecycle"]["preStop"]["exec"]["command"],
                             ["/opt/sluice/bin/sluice", "drain", "--wait"])
            self.assertIn("readinessProbe", executor)
            self.assertNotIn("livenessProbe", executor)
            self.assertGreaterEqual(pod["terminationGracePeriodSeconds"], 60)

    def test_the_number_of_executors_is_left_to_the_autoscaler(self):
        for deployment in self.executors():
            self.assertNotIn("replicas", deployment["spec"])

    def test_both_containers_agree_on_the_socket_in_memory(self):
        for deployment in self.executors():
            pod = pod_of(deployment)
            volume = next(each for each in pod["volumes"] if each["name"] == "run")
            self.assertEqual(volume["emptyDir"]["medium"], "Memory")
            for container in containers_of(pod):
                sockets = [each["value"] for each in container["env"]
                           if each["name"] == "SLUICE_SOCKET"]
                mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
                self.assertEqual(sockets, [mounts["run"] + "/sluice.sock"])

    def test_every_name_leads_somewhere(self):
        for name, objects in self.rendered.items():
            maps = {each["metadata"]["name"] for each in of_kind(objects, "ConfigMap")}
            accounts = {each["metadata"]["name"] for each in of_kind(objects, "ServiceAccount")}
            for deployment in of_kind(objects, "Deployment"):
                pod = pod_of(deployment)
                volumes = {each["name"]: each for each in pod["volumes"]}
                used = {each["name"] for container in containers_of(pod)
                        for each in container["volumeMounts"]}
                self.assertEqual(used, set(volumes), name)
                for volume in volumes.values():
                    if "configMap" in volume:
                        self.assertIn(volume["configMap"]["name"], maps, name)
                if "serviceAccountName" in pod:
                    self.assertIn(pod["serviceAccountName"], accounts, name)
                labels = deployment["spec"]["template"]["metadata"]["labels"]
                selected = deployment["spec"]["selector"]["matchLabels"]
                self.assertLessEqual(selected.items(), labels.items(), name)
            for container in containers_of(pod):
                ports = {each["name"] for each in container.get("ports", [])}
                for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                    port = container.get(probe, {}).get("httpGet", {}).get("port")
                    self.assertIn(port, {None, *ports}, name)

    def test_scaling_and_scraping_point_at_the_executor(self):
        for name, objects in self.rendered.items():
            executor = next(each for each in of_kind(objects, "Deployment")
                            if each["metadata"]["name"] == "executor")
            labels = executor["spec"]["template"]["metadata"]["labels"]
            ports = {port["name"] for each in containers_of(pod_of(executor))
                     for port in each.get("ports", [])}
            scalers = of_kind(objects, "ScaledObject") + of_kind(objects, "HorizontalPodAutoscaler")
            self.assertEqual(len(scalers), name in ("keda", "hpa"), name)
            for scaler in scalers:
                self.assertEqual(scaler["spec"]["scaleTargetRef"], {
                    "apiVersion": "apps/v1", "kind": "Deployment", "name": "executor"})
            for monitor in of_kind(objects, "PodMonitor"):
                selected = monitor["spec"]["selector"]["matchLabels"]
                self.assertLessEqual(selected.items(), labels.items())
                for endpoint in monitor["spec"]["podMetricsEndpoints"]:
                    self.assertIn(endpoint["port"], ports)
                self.assertEqual(labels[monitor["spec"]["jobLabel"]], "executor")

    def test_keda_takes_no_answer_for_no_answer_and_scales_in_slowly(self):
        scaled, = of_kind(self.rendered["keda"], "ScaledObject")
        spec = scaled["spec"]
        trigger, = spec["triggers"]
        self.assertEqual(trigger["metricType"], "AverageValue")
        self.assertEqual(trigger["metadata"]["ignoreNullValues"], "false")
        self.assertEqual(trigger["metadata"]["threshold"], "1")
        self.assertTrue(all(isinstance(each, str) for each in trigger["metadata"].values()))
        self.assertEqual(spec["fallback"]["behavior"], "currentReplicasIfHigher")
        self.assertGreaterEqual(spec["minReplicaCount"], 1)
        behaviour = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
        hpa, = of_kind(self.rendered["hpa"], "HorizontalPodAutoscaler")
        for each in (behaviour, hpa["spec"]["behavior"]):
            self.assertGreaterEqual(each["scaleDown"]["stabilizationWindowSeconds"], 1800)
            self.assertEqual(each["scaleDown"]["policies"],
                             [{"type": "Pods", "value": 1, "periodSeconds": 300}])

    def test_the_hpa_asks_for_what_the_adapter_gives(self):
        adapter = yaml.safe_load((KUBERNETES / "components/hpa/adapter-values.yaml").read_text())
        rule, = adapter["rules"]["external"]
        hpa, = of_kind(self.rendered["hpa"], "HorizontalPodAutoscaler")
        external = hpa["spec"]["metrics"][0]["external"]
        self.assertEqual(external["metric"]["name"], rule["name"]["as"])
        self.assertEqual(external["target"], {"type": "AverageValue", "averageValue": "1"})
        self.assertIs(rule["resources"]["namespaced"], False)

    def test_every_metric_that_is_asked_for_exists(self):
        exported = set(re.findall(r"^# TYPE (\S+)",
                                  (SOURCE / "tests/metrics/busy.prom").read_text(), re.M))
        recorded = {rule["record"] for group in rule_groups() for rule in group["rules"]
                    if "record" in rule}
        asked = [trigger["metadata"]["query"] for each in self.every("ScaledObject")
                 for trigger in each["spec"]["triggers"]]
        adapter = yaml.safe_load((KUBERNETES / "components/hpa/adapter-values.yaml").read_text())
        asked += [each["seriesQuery"] for each in adapter["rules"]["external"]]
        self.assertEqual(len(asked), 2)
        for query in asked:
            names = re.findall(r"sluice[_:][a-z_:]+", query)
            self.assertTrue(names, query)
            for name in names:
                self.assertIn(name, exported | recorded)

    def test_the_prometheus_rule_has_the_groups_of_deploy_prometheus(self):
        for each in self.every("PrometheusRule"):
            self.assertEqual(squeezed(each["spec"]["groups"]), squeezed(rule_groups()))

    def test_the_configurations_are_valid(self):
        command = os.environ.get("SLUICE_COMMAND")
        if not command:
            self.skipTest("SKIPPED: SLUICE_COMMAND names no sluice")
        for each in self.every("ConfigMap"):
            if "sluice.yaml" not in each["data"]:
                continue
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file, \
                    tempfile.NamedTemporaryFile("w") as token:
                token.write("0123456789abcdef" * 4)
                token.flush()
                # Of a Secret, which is not here.
                file.write(each["data"]["sluice.yaml"].replace("/etc/sluice-token/token",
                                                               token.name))
                file.flush()
                checked = subprocess.run([command, "config", "check", file.name], check=False,
                                         capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stderr + checked.stdout)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PROMETHEUS_RULE.write_text(updated_rule())
    else:
        unittest.main()
