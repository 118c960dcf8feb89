#include "promtool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace sluice {
namespace {

bool is_program(const std::string& path) {
  return !path.empty() && ::access(path.c_str(), X_OK) == 0 &&
         std::filesystem::is_regular_file(path);
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::optional<std::string> find_promtool() {
  const std::string below_build = "/tools/prometheus/usr/bin/promtool";
  std::vector<std::string> places{from_environment("SLUICE_PROMTOOL"), SLUICE_BINARY + below_build,
                                  SLUICE_SOURCE "/build" + below_build};
  std::istringstream folders(from_environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    places.push_back(folder + "/promtool");
  }
  for (const std::string& place : places) {
    if (is_program(place)) return place;
  }
  return std::nullopt;
}

Said run_promtool(const std::string& promtool, const std::string& arguments,
                  const std::string& input) {
  std::string file = (std::filesystem::temp_directory_path() / "sluice-promtool-XXXXXX").string();
  const int fd = ::mkstemp(file.data());
  if (fd < 0) return {};
  ::close(fd);
  std::ofstream(file) << input;

  Said said;
  const std::string command =
      shell_word(promtool) + " " + arguments + " < " + shell_word(file) + " 2>&1";
  if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
      said.output.append(buffer, n);
    }
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) said.status = WEXITSTATUS(status);
  }
  std::filesystem::remove(file);
  return said;
}

}  // namespace sluice
