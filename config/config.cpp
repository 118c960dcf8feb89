#include "config/config.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "config/checks.h"
#include "config/document.h"
#include "config/reader.h"
#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::size_t kMostErrors = 100;

void append(std::vector<ConfigError>& errors, std::vector<ConfigError> more) {
  for (ConfigError& error : more) errors.push_back(std::move(error));
}

ConfigError in_file(const std::string& file, const DocumentError& error) {
  return {file, error.at.line, error.at.column, error.message};
}

/// In the order of the file; an error in an aliased value once, however often it is used.
std::vector<ConfigError> put_in_order(std::vector<ConfigError> errors) {
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

std::string too_large() {
  return "the file is larger than " + std::to_string(kMostConfigBytes) + " bytes";
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::vector<ConfigError> cannot_read(const std::string& path, int error) {
  return {{path, 0, 0, "cannot be read: " + std::generic_category().message(error)}};
}

}  // namespace

std::string to_string(const ConfigError& error) {
  std::string place;
  if (error.line > 0) {
    place = std::to_string(error.line) + ":" + std::to_string(error.column) + ": ";
  }
  return error.file + ":" + (error.line > 0 ? "" : " ") + place + error.message;
}

ConfigResult parse_config(std::string_view text, std::string file_name, double cpus) {
  Config config;
  config.file = std::move(file_name);
  config.cpus = cpus;
  if (text.size() > kMostConfigBytes) {
    return std::vector<ConfigError>{{config.file, 0, 0, too_large()}};
  }
  const DocumentResult result = parse_document(text);
  if (const auto* error = std::get_if<DocumentError>(&result)) {
    return std::vector<ConfigError>{in_file(config.file, *error)};
  }
  const auto& document = std::get<YamlDocument>(result);
  std::vector<ConfigError> errors = read_document(config_schema(), document.root, config);
  for (const DocumentError& repeated : document.repeated) {
    errors.push_back(in_file(config.file, repeated));
  }
  append(errors, find_contradictions(config));
  if (errors.empty()) return config;
  return put_in_order(std::move(errors));
}

ConfigResult read_config(const std::string& path, double cpus) {
  // Opening a pipe would hold up who asks, the daemon for one, until somebody writes to it; opened
  // without waiting it reads as an empty file, which is a configuration.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot_read(path, errno);
  const File file(::fdopen(descriptor, "rb"), std::fclose);
  struct stat about {};
  if (::fstat(descriptor, &about) != 0) return cannot_read(path, errno);
  if (S_ISFIFO(about.st_mode)) {
    return std::vector<ConfigError>{{path, 0, 0, "cannot be read: it is a pipe"}};
  }
  // One byte more than allowed shows that there is more.
  std::string text(kMostConfigBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return cannot_read(path, errno);
  return parse_config(text, path, cpus);
}

}  // namespace sluice
