#include "cli/terminal/output_file.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/errno_text.h"

namespace sluice::cli {

std::string temporary_folder() {
  std::error_code failed;
  const auto folder = std::filesystem::temp_directory_path(failed);
  return failed ? P_tmpdir : folder.string();
}

OutputFile::OutputFile(const std::string& path) : path_(path), file_(stdout) {
  if (path.empty()) return;
  file_ = std::fopen(path.c_str(), "wb");
  if (!file_) throw std::runtime_error(errno_text(path));
}

OutputFile::~OutputFile() {
  if (file_ != stdout) std::fclose(file_);
}

void OutputFile::keep_short() {
  constexpr std::size_t kEnough = std::size_t{1} << 18;
  if (buffer_.size() >= kEnough) write_out();
}

void OutputFile::close() {
  write_out();
  if (std::fflush(file_) != 0) fail();
}

void OutputFile::write_out() {
  const bool wrote = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
  buffer_.clear();
  if (!wrote) fail();
}

void OutputFile::fail() const {
  throw std::runtime_error(
      errno_text("cannot write to " + (path_.empty() ? "standard output" : path_)));
}

}  // namespace sluice::cli
