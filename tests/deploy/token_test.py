"""components/token of deploy/kubernetes: who gets the Secret `sluice-token`, and who can read it."""

import os
import pathlib
import tempfile
import unittest

from manifests_test import (KUBERNETES, RENDERED, SOURCE, cannot_render, containers_of, of_kind,
                            pod_of, render, yaml)


def render_with(*components):
    """The base with these components."""
    with tempfile.TemporaryDirectory() as folder:
        there = os.path.relpath(KUBERNETES, os.path.realpath(folder))
        kustomization = {"resources": [f"{there}/base"],
                         "components": [f"{there}/components/{each}" for each in components]}
        (pathlib.Path(folder) / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        return render(folder)


def token_pods(objects):
    """The pods that mount the token, each with the mode of its file."""
    pods = [pod_of(each) for each in of_kind(objects, "Deployment")]
    return [(pod, each["secret"]["defaultMode"]) for pod in pods for each in pod["volumes"]
            if each.get("secret", {}).get("secretName") == "sluice-token"]


@unittest.skipIf(cannot_render(), cannot_render() or "")
class Token(unittest.TestCase):
    def test_the_autoscaler_has_the_token_of_the_governors_and_the_executors_do_not(self):
        def mounted_secret(pod, name):
            container = next(each for each in containers_of(pod) if each["name"] == name)
            secrets = {each["name"]: each["secret"] for each in pod["volumes"] if "secret" in each}
            return {secrets[each["name"]]["secretName"]: each["mountPath"]
                    for each in container["volumeMounts"] if each["name"] in secrets}

        objects = render(KUBERNETES / "overlays/autoscaler")
        pods = {each["metadata"]["name"]: pod_of(each) for each in of_kind(objects, "Deployment")}
        scaler = mounted_secret(pods["sluice-autoscaler"], "autoscaler")
        governor = mounted_secret(pods["executor"], "sluice")
        self.assertEqual(set(scaler), {"sluice-token"})
        self.assertEqual(set(governor), {"sluice-token"})
        self.assertEqual(mounted_secret(pods["executor"], "executor"), {})
        args = pods["sluice-autoscaler"]["containers"][0]["args"]
        self.assertIn(f"--token-file={scaler['sluice-token']}/token", args)
        config, = of_kind(objects, "ConfigMap")
        service = yaml.safe_load(config["data"]["sluice.yaml"])["service"]
        self.assertEqual(service["token_file"], governor["sluice-token"] + "/token")
        self.assertIn("create secret generic sluice-token --from-file=token=",
                      (SOURCE / "docs/kubernetes.md").read_text())

    def test_the_tokens_component_changes_nothing_else_of_the_configuration(self):
        base = yaml.safe_load((KUBERNETES / "base/sluice.yaml").read_text())
        token = yaml.safe_load((KUBERNETES / "components/token/sluice.yaml").read_text())
        del token["service"]["token_file"]
        self.assertEqual(token, base)

    def test_whatever_runs_as_it_is_gives_the_governor_a_group_that_reads_the_token(self):
        rendered = [render(folder) for folder in RENDERED.values()]
        rendered.append(render_with("token", "one-user"))
        pods = [each for objects in rendered for each in token_pods(objects)]
        self.assertEqual(len(pods), 3)
        for pod, mode in pods:
            self.assertEqual(mode, 0o440, "the governor refuses what everybody can read")
            self.assertGreater(pod["securityContext"].get("fsGroup", 0), 0)

    def test_the_component_alone_leaves_the_group_to_openshift_and_says_that_one_is_needed(self):
        (pod, mode), = token_pods(render_with("token"))
        self.assertEqual(mode, 0o440)
        self.assertFalse({"runAsUser", "runAsGroup", "fsGroup"} & set(pod["securityContext"]))
        component = (KUBERNETES / "components/token/kustomization.yaml").read_text()
        self.assertIn("The pod needs an `fsGroup`", component)
        self.assertIn("`components/token` needs an `fsGroup`",
                      (SOURCE / "docs/kubernetes.md").read_text())


if __name__ == "__main__":
    unittest.main()
