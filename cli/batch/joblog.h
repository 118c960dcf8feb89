#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace sluice::cli {

/// One job's line in a joblog: GNU parallel's nine columns, in its order and form, then ours.
struct JoblogLine {
  std::size_t seq = 0;
  double started = 0;          ///< Seconds since 1970.
  double runtime = 0;          ///< Seconds.
  std::uint64_t received = 0;  ///< Bytes of its output; 0 where it is passed through.
  int exit_status = 0;         ///< -1: ended by a timeout. 127: could not be started.
  int signal = 0;              ///< That killed it.
  std::string command;
  std::string id, key;
  std::string outcome;  ///< "ok", "failed", "oom", "timeout"
  int attempt = 1;
  double waited = 0;              ///< Seconds between its being ready to run and its last start.
  std::int64_t cost = 0;          ///< Points.
  double cpu_seconds = 0;         ///< User and system.
  std::uint64_t peak_memory = 0;  ///< Bytes.
};

std::string joblog_header();
/// With its end of line. Tabs and ends of lines in a text are written as \t and \n.
std::string to_text(const JoblogLine& line);

/// What a joblog says of earlier runs of the same input.
class JoblogPast {
 public:
  enum class Verdict { unknown, ended_ok, failed, other_command };

  Verdict verdict(std::size_t seq, std::string_view command) const;
  /// The command that it has for a job; empty: none.
  std::string command_of(std::size_t seq) const;
  std::size_t size() const { return jobs_.size(); }
  /// Bytes of whole lines: what follows was torn off while being written.
  std::size_t whole_bytes() const { return whole_bytes_; }

 private:
  friend std::variant<JoblogPast, std::string> parse_joblog(std::string_view text);
  struct Job {
    bool ok = false;
    std::string command;  ///< As written.
  };
  std::map<std::size_t, Job> jobs_;  ///< The last line of each job counts.
  std::size_t whole_bytes_ = 0;
};

/// Reads a joblog of ours or of GNU parallel; otherwise "LINE: what is wrong". Pure.
std::variant<JoblogPast, std::string> parse_joblog(std::string_view text);

/// A joblog that is being written: each line with one write, so that it is whole or not there. What
/// a write that failed has left of a line is cut away before the next one.
class Joblog {
 public:
  enum class Start { truncate, append };

  /// Opens the file, in which `keep` bytes are to stay if it is appended to; otherwise why it
  /// cannot be written.
  static std::variant<std::unique_ptr<Joblog>, std::string> open(const std::string& path,
                                                                 Start start, std::size_t keep);
  ~Joblog();
  Joblog(const Joblog&) = delete;
  Joblog& operator=(const Joblog&) = delete;

  /// What is wrong if the line cannot be written; else empty.
  std::string add(const JoblogLine& line);
  /// Lines that could not be written: another run would take their jobs for not done.
  std::size_t missing() const { return missing_; }

 private:
  Joblog(int file, std::string path) : file_(file), path_(std::move(path)) {}
  std::string write_whole(const std::string& text);
  std::string cut_torn();

  int file_;
  std::string path_;
  std::size_t whole_bytes_ = 0;  ///< Of the file, as far as its lines are whole.
  std::size_t missing_ = 0;
  bool torn_ = false;  ///< Something may follow the whole lines.
};

}  // namespace sluice::cli
