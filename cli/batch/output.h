#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/batch/nameless_file.h"
#include "cli/terminal/live_screen.h"

namespace sluice::cli {

/// The files for one job's standard output and standard error.
struct JobStreams {
  std::shared_ptr<NamelessFile> output, error;

  static JobStreams make(NamelessFiles& files);
  /// Once the job's first process has started, if it was given what `open_writer` returned.
  void close_writers() const;
  std::uint64_t size() const { return output->size() + error->size(); }
  /// The contents of a file, cut to `most` bytes.
  static std::string text_of(const NamelessFile& file, std::size_t most);
  /// The last non-blank line of the error stream, else of the output; "" if there is none.
  std::string last_words() const;
};

/// Passes the jobs' output on to this process's standard streams, each job's as a whole and never
/// mixed, as jobs end or in the order of the input. Never waits for a reader: it writes as much as
/// is taken at once, so that a slow reader does not delay the supervision of jobs.
class BatchOutput {
 public:
  enum class Order { as_they_end, as_given };

  /// `plain`: byte for byte. `tagged`: each line starts with its job's tag and a tab, and a last
  /// line left open gets a newline.
  enum class Lines { plain, tagged };

  BatchOutput(Order order, Lines lines) : order_(order), lines_(lines) {}

  /// Adds the output of a job that has ended.
  void add(std::size_t seq, const JobStreams& streams, const std::string& tag);
  /// Marks a job that will have no output.
  void skip(std::size_t seq);
  /// Adds text of ours for standard output, between the jobs'.
  void add_text(std::string text);
  /// No more jobs will come: missing ones no longer hold up the order.
  void close();

  /// Writes as much as possible without blocking. Returns false if the output is no longer
  /// writable; see `error`. `screen`, if any: text for its terminal appears above its lines, where
  /// a line that a job left open ends with the job.
  bool pump(LiveScreen* screen = nullptr);
  /// errno of the last failed write; 0 if none failed.
  int error() const { return error_; }

  bool idle() const { return queue_.empty() && buffer_.empty(); }
  /// The descriptor whose reader has to take more first; -1 if there is none.
  int blocked_on() const { return idle() ? -1 : target_; }
  /// Pieces waiting to be written.
  std::size_t backlog() const { return queue_.size(); }
  /// Maximum of the files that it holds open.
  std::size_t most_files() const;

 private:
  struct Piece {
    std::shared_ptr<NamelessFile> file;  ///< Null: `text` instead.
    std::uint64_t at = 0, end = 0;
    int target = 1;
    std::string tag;
    std::string text;
  };
  using Pieces = std::vector<Piece>;

  Pieces spooled(Pieces pieces);
  void release_in_order();
  bool refill();
  void read_on();
  std::string tagged(const std::string& chunk, const std::string& tag);
  bool write_some(std::size_t most);
  bool write_above(LiveScreen& screen);
  std::string take_lines(std::size_t most);

  Order order_;
  Lines lines_;
  std::size_t next_ = 1;                ///< The job whose turn it is.
  std::map<std::size_t, Pieces> held_;  ///< Of jobs that come later in the order.
  std::shared_ptr<NamelessFile> spool_;
  std::deque<Piece> queue_;
  std::string buffer_;  ///< From the first piece, to be written.
  int target_ = 1;
  bool has_rest_ = false;      ///< More of the buffer's piece is in its file.
  bool at_line_start_ = true;  ///< Of the first piece; always true without tags.
  int error_ = 0;
};

}  // namespace sluice::cli
