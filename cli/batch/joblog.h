#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/descriptors.h"

namespace sluice::cli {

/// One job's line in a joblog: GNU parallel's nine columns, in its order and format, then ours.
struct JoblogLine {
  std::size_t seq = 0;
  double started = 0;          ///< Seconds since 1970.
  double runtime = 0;          ///< Seconds.
  std::uint64_t received = 0;  ///< Bytes of output; 0 if it is passed through.
  int exit_status = 0;         ///< -1: ended by a timeout. 127: not started.
  int signal = 0;              ///< The signal that killed it.
  std::string command;
  std::string id, key;
  std::string outcome;  ///< "ok", "failed", "oom", "timeout", "refused"
  int attempt = 1;
  double waited = 0;              ///< Seconds from being ready to run to its last start.
  std::int64_t cost = 0;          ///< Points.
  double cpu_seconds = 0;         ///< User and system.
  std::uint64_t peak_memory = 0;  ///< Bytes.
};

std::string joblog_header();
/// With its newline. Tabs and newlines in a text become \t and \n.
std::string to_text(const JoblogLine& line);

/// The results of earlier runs of the same input, from a joblog.
class JoblogPast {
 public:
  enum class Verdict { unknown, ended_ok, failed, other_command };

  Verdict verdict(std::size_t seq, std::string_view command) const;
  /// The command recorded for a job, with \t and \n for tabs and newlines; empty if there is none.
  std::string command_of(std::size_t seq) const;
  std::size_t size() const { return jobs_.size(); }
  /// Bytes of complete lines: anything after them is an incomplete write.
  std::size_t whole_bytes() const { return whole_bytes_; }

 private:
  friend std::variant<JoblogPast, std::string> parse_joblog(std::string_view text);
  struct Job {
    enum class By { sluice, parallel };

    /// GNU parallel quotes in another way, so that its commands are compared by their words.
    bool has(std::string_view wanted) const;

    bool ok = false;
    By by = By::sluice;
    std::string command;  ///< As written; of parallel with its tabs and newlines.
  };
  std::map<std::size_t, Job> jobs_;  ///< The last line of each job counts.
  std::size_t whole_bytes_ = 0;
};

/// Reads a joblog of ours or of GNU parallel; otherwise returns "LINE: problem". Pure.
std::variant<JoblogPast, std::string> parse_joblog(std::string_view text);

/// A joblog being written: one write per line, so that a line is there completely or not at all.
/// After a failed write, the remains are cut off before the next line.
class Joblog {
 public:
  enum class Start { truncate, append };

  /// Opens the file, keeping its first `keep` bytes if it is appended to, or says why it cannot be
  /// written.
  static std::variant<std::unique_ptr<Joblog>, std::string> open(const std::string& path,
                                                                 Start start, std::size_t keep);

  /// Returns the problem if the line cannot be written, so that a later run would treat its job as
  /// not done; else empty.
  std::string add(const JoblogLine& line);

 private:
  Joblog(int file, std::string path) : file_(file), path_(std::move(path)) {}
  std::string write_whole(const std::string& text);
  std::string cut_torn();

  Descriptor file_;
  std::string path_;
  std::size_t whole_bytes_ = 0;  ///< Length of the file's complete lines.
  bool torn_ = false;            ///< The file may have more after the complete lines.
};

}  // namespace sluice::cli
