#include "config/source_text.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

namespace sluice {
namespace {

constexpr std::size_t kMostErrors = 100;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::vector<ConfigError> cannot_read(const std::string& path, int error) {
  return {{path, 0, 0, "cannot be read: " + std::generic_category().message(error)}};
}

}  // namespace

std::string larger_than(std::size_t bytes) {
  return "the file is larger than " + std::to_string(bytes) + " bytes";
}

ConfigError in_file(const std::string& file, const DocumentError& error) {
  return {file, error.at.line, error.at.column, error.message};
}

std::vector<ConfigError> sorted_by_position(std::vector<ConfigError> errors) {
  const auto place = [](const ConfigError& error) { return std::pair(error.line, error.column); };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const ConfigError& a, const ConfigError& b) { return place(a) < place(b); });
  errors.erase(std::unique(errors.begin(), errors.end()), errors.end());
  if (errors.size() > kMostErrors) {
    const std::string more = std::to_string(errors.size() - kMostErrors) + " more errors";
    const std::string file = errors.front().file;
    errors.resize(kMostErrors);
    errors.push_back({file, 0, 0, more});
  }
  return errors;
}

std::variant<std::string, std::vector<ConfigError>> read_text(const std::string& path,
                                                              std::size_t most) {
  // A blocking open of a pipe would stall the caller, such as the daemon, until another process
  // opens it for writing. With O_NONBLOCK it reads as an empty file, which is a valid
  // configuration.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot_read(path, errno);
  const File file(::fdopen(descriptor, "rb"), std::fclose);
  struct stat about {};
  if (::fstat(descriptor, &about) != 0) return cannot_read(path, errno);
  if (S_ISFIFO(about.st_mode)) {
    return std::vector<ConfigError>{{path, 0, 0, "cannot be read: it is a pipe"}};
  }
  // Reading one byte more than allowed reveals a larger file.
  std::string text(most + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return cannot_read(path, errno);
  return text;
}

}  // namespace sluice
