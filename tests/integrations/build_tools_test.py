"""CMake, CTest, Meson and ccache themselves, with the presets and the prefix that the documents name."""
import json
import unittest

from daemons import INTEGRATIONS
from licences import LicensedBuildTest

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
MAIN = "#include <stdlib.h>\nint main(void) { return system(\"licensed true\") != 0; }\n"
CMAKE = """\
cmake_minimum_required(VERSION 3.23)
project(p C)
add_executable(prog main.c {sources})
enable_testing()
foreach(number 1 2 3 4 5 6)
  add_test(NAME test${{number}} COMMAND prog)
endforeach()
"""
PRESETS = {
    "version": 4, "include": [str(INTEGRATIONS / "cmake/sluice.json")],
    "configurePresets": [{"name": "plain", "generator": "Ninja", "binaryDir": "${sourceDir}/plain"},
                         {"name": "governed", "inherits": ["sluice", "plain"], "binaryDir": "${sourceDir}/governed"}],
    "buildPresets": [{"name": "plain", "configurePreset": "plain", "jobs": 8},
                     {"name": "governed", "inherits": "sluice", "configurePreset": "governed"}],
    "testPresets": [{"name": "plain", "configurePreset": "plain", "execution": {"jobs": 8}},
                    {"name": "governed", "inherits": "sluice", "configurePreset": "governed"}]}
MESON = """\
project('p', 'c')
prog = executable('prog', 'main.c', {sources})
foreach number : ['1', '2', '3', '4', '5', '6']
  test('test' + number, prog)
endforeach
"""
MAKE = "all: {objects}\n%.o: %.c\n\t$(CC) -c $< -o $@\n"


class BuildTools(LicensedBuildTest):
    def setUp(self):
        super().setUp()
        self.write("main.c", MAIN)
        for name in NAMES:
            self.write(f"{name}.c", f"int {name}(void) {{ return 0; }}\n")
        sources = [f"{name}.c" for name in NAMES]
        self.write("CMakeLists.txt", CMAKE.format(sources=" ".join(sources)))
        self.write("CMakePresets.json", json.dumps(PRESETS))
        self.write("meson.build", MESON.format(sources=", ".join(f"'{source}'" for source in sources)))
        self.write("Makefile", MAKE.format(objects=" ".join(f"{name}.o" for name in NAMES)))
        self.environment.update(CCACHE_DIR=str(self.folder / "ccache"), CC="cc")

    def test_cmake_overruns_the_host_without_the_preset_and_not_with_it(self):
        self.succeed("cmake", "--preset", "plain")
        self.succeed("cmake", "--preset", "governed")
        self.overruns("cmake", "--build", "--preset", "plain")
        self.fits("cmake", "--build", "--preset", "governed")

    def test_cmake_goes_on_when_the_daemon_dies(self):
        self.succeed("cmake", "--preset", "governed")
        output = self.outlives_the_daemon("cmake", "--build", "--preset", "governed")
        self.assertEqual(output.count("not governed"), 1, output)

    def test_ctest_overruns_the_host_without_the_preset_and_not_with_it(self):
        for preset in ("plain", "governed"):
            self.succeed("cmake", "--preset", preset)
            self.succeed("cmake", "--build", "--preset", preset)
        self.overruns("ctest", "--preset", "plain")
        self.fits("ctest", "--preset", "governed", "--output-on-failure")

    def test_ctest_goes_on_when_the_daemon_dies(self):
        self.succeed("cmake", "--preset", "governed")
        self.succeed("cmake", "--build", "--preset", "governed")
        self.outlives_the_daemon("ctest", "--preset", "governed")

    def test_meson_overruns_the_host_without_the_native_file_and_not_with_it(self):
        self.succeed("meson", "setup", "plain")
        self.succeed("meson", "setup", "governed", "--native-file", str(INTEGRATIONS / "meson/sluice.ini"))
        self.overruns("ninja", "-C", "plain", "-j8")
        self.fits("ninja", "-C", "governed", "-j8")

    def test_meson_goes_on_when_the_daemon_dies(self):
        self.succeed("meson", "setup", "governed", "--native-file", str(INTEGRATIONS / "meson/sluice.ini"))
        output = self.outlives_the_daemon("ninja", "-C", "governed", "-j8")
        self.assertEqual(output.count("not governed"), 1, output)

    def test_meson_tests_overrun_the_host_without_the_wrapper_and_not_with_it(self):
        self.succeed("meson", "setup", "plain")
        self.succeed("ninja", "-C", "plain")
        words = ["meson", "test", "-C", "plain", "--no-rebuild", "--num-processes", "8"]
        self.overruns(*words)
        self.fits(*words, "--wrapper", "sluice-launch")

    def test_meson_tests_go_on_when_the_daemon_dies(self):
        self.succeed("meson", "setup", "plain")
        self.succeed("ninja", "-C", "plain")
        output = self.outlives_the_daemon("meson", "test", "-C", "plain", "--no-rebuild", "--num-processes", "8",
                                          "--wrapper", "sluice-launch")
        self.assertRegex(output, r"Ok: +6\b")

    def test_ccache_overruns_the_host_without_the_prefix_and_not_with_it(self):
        words = ["make", "-j8", "CC=ccache gcc"]
        self.overruns(*words)
        self.succeed("sh", "-c", "rm -f *.o")
        self.fits(*words, CCACHE_PREFIX="sluice-launch", CCACHE_DIR=str(self.folder / "empty"))

    def test_ccache_goes_on_when_the_daemon_dies(self):
        output = self.outlives_the_daemon("make", "-j8", "CC=ccache gcc", CCACHE_PREFIX="sluice-launch")
        self.assertEqual(output.count("not governed"), 1, output)


if __name__ == "__main__":
    unittest.main()
