#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::cli {

/// A file without a name that goes away with its last descriptor.
class NamelessFile {
 public:
  NamelessFile() = default;
  /// In TMPDIR or /tmp; throws std::runtime_error where none can be made.
  static std::shared_ptr<NamelessFile> make();
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::uint64_t size() const;

 private:
  int descriptor_ = -1;
};

/// Where one job writes: its standard output and its standard error.
struct JobStreams {
  std::shared_ptr<NamelessFile> output, error;

  static JobStreams make();
  std::uint64_t size() const { return output->size() + error->size(); }
  /// What was written, cut to `most` bytes.
  static std::string text_of(const NamelessFile& file, std::size_t most);
  /// The last line that says something of the error stream, else of the output; "" for none.
  std::string last_words() const;
};

/// Passes on what jobs wrote to this process's standard streams, each job's as a whole and never
/// mixed, as they end or in the order of the input. Never waits for a reader: it writes as much as
/// is taken at once, so that a slow one does not keep the jobs from being looked after.
class BatchOutput {
 public:
  enum class Order { as_they_end, as_given };

  /// `plain`: byte for byte. `tagged`: each line is preceded by its job's tag and a tab, and ended
  /// where the job left its last one open.
  enum class Lines { plain, tagged };

  BatchOutput(Order order, Lines lines) : order_(order), lines_(lines) {}

  /// What a job wrote, once it has ended.
  void add(std::size_t seq, const JobStreams& streams, const std::string& tag);
  /// A job that has nothing to say.
  void skip(std::size_t seq);
  /// Text of ours for standard output, between the jobs'.
  void add_text(std::string text);
  /// No job will come any more: those that are missing in the order are not waited for.
  void close();

  /// Writes what is taken without waiting. False: it cannot be written any more; see `error`.
  bool pump();
  /// Why the last write failed: an errno; 0 if none did.
  int error() const { return error_; }

  bool idle() const { return queue_.empty() && buffer_.empty(); }
  /// The descriptor whose reader has to take more first; -1: none.
  int blocked_on() const { return idle() ? -1 : target_; }
  /// Pieces that wait to be written.
  std::size_t backlog() const { return queue_.size(); }

 private:
  struct Piece {
    std::shared_ptr<NamelessFile> file;  ///< None: `text`.
    std::uint64_t at = 0, end = 0;
    int target = 1;
    std::string tag;
    std::string text;
  };
  using Pieces = std::vector<Piece>;

  Pieces spooled(Pieces pieces);
  void release_in_order();
  bool refill();
  std::string tagged(const std::string& chunk, const std::string& tag);
  bool write_some(std::size_t most);

  Order order_;
  Lines lines_;
  std::size_t next_ = 1;                ///< The job whose turn it is.
  std::map<std::size_t, Pieces> held_;  ///< Of jobs whose turn it is not yet.
  std::shared_ptr<NamelessFile> spool_;
  std::deque<Piece> queue_;
  std::string buffer_;  ///< Taken from the first piece, to be written.
  int target_ = 1;
  bool at_line_start_ = true;  ///< Of the first piece; always, where no lines are tagged.
  int error_ = 0;
};

}  // namespace sluice::cli
