#include "cli/terminal/gnuplot.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/text.h"
#include "cli/terminal/output_file.h"
#include "cli/terminal/terminal.h"

extern char** environ;

namespace sluice::cli {
namespace {

/// A temporary file, removed with this object.
class ScratchFile {
 public:
  ScratchFile() : descriptor_(mkstemp(name_.data())) {}
  ~ScratchFile() {
    if (descriptor_) unlink(name_.data());
  }
  const char* name() const { return name_.data(); }
  int descriptor() const { return descriptor_.get(); }

  /// The last few lines of the file.
  std::string end() const {
    std::string text(2000, '\0');
    const off_t size = lseek(descriptor(), 0, SEEK_END);
    const off_t start = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
    const ssize_t got = pread(descriptor(), text.data(), text.size(), start);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return text;
  }

 private:
  std::string name_ = temporary_folder() + "/sluice-plot-XXXXXX";
  Descriptor descriptor_;
};

/// gnuplot's complaint, in one line and without its position: that lies in a temporary file with a
/// new name each time.
std::string complaint_in(const std::string& said) {
  const std::size_t place = said.rfind("\n\"");
  const std::size_t colon = place == said.npos ? place : said.find(": ", place);
  std::istringstream lines(colon == said.npos ? said : said.substr(colon + 2));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) text += (text.empty() ? "" : "; ") + line;
  }
  return text.empty() ? "no error message" : cut(harmless(text), 300);
}

/// Returns 0 and sets the child's pid, or the error that kept it from starting. The child's
/// standard error goes to `errors`.
int start(const std::string& program, const std::string& argument, int errors, pid_t& child) {
  std::string name = program, word = argument;
  std::array<char*, 3> arguments{name.data(), word.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const int failure =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

}  // namespace

std::string gnuplot_quoted(const std::string& text) {
  return "'" + replaced(text, "'", "''") + "'";
}

std::string gnuplot_terminal(const std::string& picture, const std::string& size, int font) {
  const bool svg = picture.ends_with(".svg");
  // Fonts in pixels look smaller in a picture than on a page.
  return std::string("set terminal ") +
         (svg ? "svg noenhanced background '#ffffff'" : "pngcairo noenhanced") + " size " + size +
         " font 'DejaVu Sans," + std::to_string(svg ? font + 3 : font) + "'\n";
}

std::optional<std::string> run_gnuplot(const std::string& script) {
  const ScratchFile file, errors;
  if (write_all(file.descriptor(), script) < script.size() || errors.descriptor() < 0) {
    const int why = errno;
    return errno_text("cannot write the plot's data below " + temporary_folder(), why);
  }
  pid_t child = 0;
  const int failure = start("gnuplot", file.name(), errors.descriptor(), child);
  if (failure == ENOENT) {
    return "plots need gnuplot, which is not installed; on Debian and Ubuntu: apt-get install "
           "gnuplot-nox";
  }
  if (failure != 0) return errno_text("cannot start gnuplot", failure);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return "gnuplot could not draw the picture: " + complaint_in(errors.end());
}

}  // namespace sluice::cli
