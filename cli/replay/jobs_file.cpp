#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/values.h"
#include "cli/replay/jobs.h"

namespace sluice::cli {
namespace {

/// Reads a file line by line; each line is a view of the buffer.
class LineReader {
 public:
  explicit LineReader(std::FILE* file) : file_(file), buffer_(kMostJobLineBytes) {}

  enum class Found { line, end, too_long, unreadable };

  Found next(std::string_view& line) {
    while (true) {
      const char* begin = buffer_.data() + begin_;
      const void* feed = std::memchr(begin, '\n', end_ - begin_);
      if (feed) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(feed) - begin);
        line = {begin, length};
        begin_ += length + 1;
        return Found::line;
      }
      if (ended_) return last(line);
      if (end_ - begin_ == buffer_.size()) return Found::too_long;
      fill();
      if (std::ferror(file_.get())) return Found::unreadable;
    }
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  /// The text after the last newline.
  Found last(std::string_view& line) {
    if (begin_ == end_) return Found::end;
    line = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    return Found::line;
  }

  void fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const std::size_t got =
        std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
    end_ += got;
    ended_ = got == 0;
  }

  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool ended_ = false;
};

class JobFile {
 public:
  JobFile(std::FILE* file, std::string path) : lines_(file), path_(std::move(path)) {}

  std::variant<std::monostate, ScenarioJob, ConfigError> next() {
    std::string_view text;
    while (true) {
      const auto found = lines_.next(text);
      if (found == LineReader::Found::end) return std::monostate{};
      ++line_;
      if (found == LineReader::Found::too_long) {
        return error("the line is longer than " + std::to_string(kMostJobLineBytes) + " bytes");
      }
      if (found == LineReader::Found::unreadable) return error(std::strerror(errno));
      if (text.find_first_not_of(" \t\r") != std::string_view::npos) return parse(text);
    }
  }

 private:
  std::variant<std::monostate, ScenarioJob, ConfigError> parse(std::string_view text) {
    auto parsed = parser_.parse(text);
    if (auto* problem = std::get_if<std::string>(&parsed)) return error(std::move(*problem));
    auto& job = std::get<ScenarioJob>(parsed);
    job.line = line_;
    if (job.at < latest_) {
      return error("at: " + print_duration(job.at) + " is before the " + print_duration(latest_) +
                   " of the line above: the replay reads the lines as it goes, so they must be in "
                   "order of `at`");
    }
    latest_ = job.at;
    return std::move(job);
  }

  ConfigError error(std::string message) const { return {path_, line_, 0, std::move(message)}; }

  LineReader lines_;
  std::string path_;
  JobLineParser parser_;
  int line_ = 0;
  Duration latest_{0};
};

}  // namespace

std::variant<JobSource, ConfigError> jobs_from_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return ConfigError{path, 0, 0, std::strerror(errno)};
  // std::function must be copyable, and a file is not.
  auto jobs = std::make_shared<JobFile>(file, path);
  return JobSource([jobs] { return jobs->next(); });
}

}  // namespace sluice::cli
