"""The Python package itself: types, versions, the wheel and the sdist, and the examples of docs/python.md."""
import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

from world import COMMAND, PACKAGE, SOURCE, DaemonTest

MODULES = sorted((PACKAGE / "sluice").glob("*.py"))


def output_of(*words, **settings):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, **settings)
    assert done.returncode == 0, done.stdout
    return done.stdout


class Sources(unittest.TestCase):
    def test_are_python_3_9(self):
        self.assertGreater(len(MODULES), 8)
        for module in MODULES:
            ast.parse(module.read_text(), feature_version=(3, 9))

    def test_have_the_types_that_mypy_strict_asks_for(self):
        with tempfile.TemporaryDirectory() as cache:
            environment = dict(os.environ, MYPYPATH=str(PACKAGE))
            for subject in (["-p", "sluice"], [str(Path(__file__).with_name("typed_use.py"))]):
                output = output_of("mypy", "--strict", "--python-version", "3.9", "--cache-dir", cache, *subject,
                                   env=environment, cwd=cache)
                self.assertIn("no issues found", output)

    def test_need_no_other_package(self):
        for module in MODULES:
            for node in ast.walk(ast.parse(module.read_text())):
                names = ([each.name for each in node.names] if isinstance(node, ast.Import) else
                         [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else [])
                for name in names:
                    # Only pytest imports its plug-in.
                    own = {"pytest"} if module.name == "pytest_plugin.py" else set()
                    self.assertIn(name.split(".")[0], sys.stdlib_module_names | own, module)

    def test_have_the_version_of_the_project(self):
        header = (SOURCE / "include/sluice/version.h").read_text()
        version = re.search(r'kVersion = "([0-9.]+)"', header)[1]
        self.assertEqual((PACKAGE / "sluice/_version.py").read_text(), f'__version__ = "{version}"\n')
        self.assertEqual(output_of(COMMAND, "--version"), f"sluice {version}\n")


class Import(unittest.TestCase):
    def test_leaves_out_what_most_programs_do_not_use(self):
        code = ("import sys; before = set(sys.modules); import sluice; print(*set(sys.modules) - before)\n"
                "sluice.aio; sluice.Governor; print('asyncio' in sys.modules)")
        added, has_asyncio = output_of(sys.executable, "-c", code,
                                       env=dict(os.environ, PYTHONPATH=str(PACKAGE))).splitlines()
        self.assertFalse({"asyncio", "subprocess", "socket", "json", "typing"} & set(added.split()))
        self.assertEqual(has_asyncio, "True")


class Distributions(unittest.TestCase):
    def build(self, folder):
        """The wheel and the sdist as pip and `build` make them, by the backend that pyproject.toml names."""
        source = Path(folder, "source")
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        code = ("from setuptools import build_meta; import sys; folder = sys.argv[1]; "
                "build_meta.build_wheel(folder); build_meta.build_sdist(folder)")
        output_of("/usr/bin/python3", "-c", code, folder, cwd=source)
        return next(Path(folder).glob("*.whl")), next(Path(folder).glob("*.tar.gz"))

    def test_are_built_offline_and_whole(self):
        version = re.search('"(.*)"', (PACKAGE / "sluice/_version.py").read_text())[1]
        with tempfile.TemporaryDirectory() as folder:
            wheel, sdist = self.build(folder)
            self.assertEqual(wheel.name, f"sluice-{version}-py3-none-any.whl")
            with zipfile.ZipFile(wheel) as archive:
                names = set(archive.namelist())
                archive.extractall(Path(folder, "installed"))
                metadata = archive.read(f"sluice-{version}.dist-info/METADATA").decode()
            self.assertLessEqual({f"sluice/{module.name}" for module in MODULES} | {"sluice/py.typed"}, names)
            self.assertIn("Requires-Python: >=3.9", metadata)
            self.assertNotIn("Requires-Dist", metadata)
            with tarfile.open(sdist) as archive:
                self.assertLessEqual({f"sluice-{version}/sluice/{module.name}" for module in MODULES},
                                     set(archive.getnames()))
            found = output_of(sys.executable, "-c", "import sluice; print(sluice.__version__, sluice.__file__)",
                              cwd=folder, env=dict(os.environ, PYTHONPATH=str(Path(folder, "installed"))))
            self.assertEqual(found.split()[0], version)
            self.assertIn(str(Path(folder, "installed")), found)
            options = output_of("/usr/bin/python3", "-m", "pytest", "--help", cwd=folder,
                                env=dict(os.environ, PYTHONPATH=str(Path(folder, "installed"))))
            self.assertIn("--no-sluice", options, "pytest does not find its plug-in")

    def test_are_the_same_from_another_folder(self):
        wheels = []
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH")
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                wheels.append(self.build(folder)[0].read_bytes())
        names = [zipfile.ZipFile(io.BytesIO(wheel)).namelist() for wheel in wheels]
        self.assertEqual(names[0], names[1])
        self.assertEqual(wheels[0], wheels[1])


class Examples(DaemonTest):
    def test_of_the_document_work_as_they_are(self):
        self.start_daemon()
        environment = dict(os.environ, PYTHONPATH=str(PACKAGE), SLUICE_SOCKET=self.place,
                           XDG_STATE_HOME=str(self.folder), PATH=f"{Path(COMMAND).parent}:{os.environ['PATH']}")
        text = (SOURCE / "docs/python.md").read_text() + (PACKAGE / "README.md").read_text()
        examples = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        self.assertEqual(len(examples), 8)
        outputs = [output_of(sys.executable, "-", input=example, env=environment) for example in examples]
        self.assertRegex(outputs[1], r"^points: \d+\nfor commands .*SLUICE_PERMIT")
        self.assertRegex(outputs[2], r"^\d+ points\n")
        self.assertEqual(outputs[3], f"{list(range(20))}\n")
        self.assertRegex(outputs[4], r"^20\n\d+\n")
        self.assertIn("NoDaemonWarning: work runs without permits: no sluice daemon found", outputs[6])
        self.assertIn("governed: False", outputs[6])


if __name__ == "__main__":
    unittest.main()
