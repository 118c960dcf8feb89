#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "record/name_hash.h"
#include "record/segment_writer.h"

namespace sluice::record {

/// A byte ring from one producer thread to one consumer thread, without locks or waits.
class Ring {
 public:
  /// `capacity` is a power of two. The memory is allocated and touched here: a page fault would
  /// come in `push`, which the governor's calls wait for.
  explicit Ring(std::size_t capacity)
      : capacity_(capacity), bytes_(std::make_unique<char[]>(capacity)) {}

  /// Copies all of the bytes, or none and returns false if there is no room. Producer only.
  bool push(std::string_view bytes) noexcept;
  /// Bytes for which there is room. Producer only.
  std::size_t room() const noexcept;

  /// Removes everything that was pushed, and appends it. Consumer only.
  void drain_to(std::string& out);

 private:
  const std::size_t capacity_;
  const std::unique_ptr<char[]> bytes_;
  alignas(64) std::atomic<std::uint64_t> pushed_{0};   ///< Bytes, ever.
  alignas(64) std::atomic<std::uint64_t> drained_{0};  ///< Likewise.
};

struct RecorderOptions {
  std::string folder;
  Limits limits;
  /// Of the key for hashed names; empty: names are written as they are.
  std::string secret_file;
  SegmentStart start;
  /// Bytes of the ring, for the entries recorded between two writes; a power of two.
  std::size_t room = kBlockContents;
  Blocks blocks = Blocks::alone;
};

/// How a recording goes.
struct Recording {
  std::uint64_t bytes = 0;             ///< Of all segments, when last written.
  std::uint64_t lost = 0;              ///< Entries lost since the start.
  std::optional<std::string> failing;  ///< Why nothing is written at the moment.
};

/// Records entries from one thread at a time, and writes them on another. A disk that is full or a
/// folder that another daemon uses stops the recording; it is tried again every `kRetry`.
class Recorder {
 public:
  static constexpr Duration kRetry = std::chrono::seconds(30);
  static constexpr Duration kInterval = std::chrono::milliseconds(500);

  /// `problem`: called for each change of `Recording::failing`, from the writing thread.
  using OnFailing = std::function<void(const std::optional<std::string>& problem)>;

  Recorder(RecorderOptions options, OnFailing on_failing);
  /// Writes the rest.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Copies the entry. Never waits for the disk or the other thread, and never throws: an entry
  /// for which there is no room becomes part of a gap. One thread at a time calls this.
  void record(TimePoint at, const Entry& entry) noexcept;
  /// The same for an entry that could not even be made.
  void miss(TimePoint at) noexcept;

  /// Bytes that can be recorded until the next write. The recording thread calls this.
  std::size_t room() const noexcept { return ring_.room(); }

  /// Starts the thread that writes. Without it, call `flush`.
  void start();
  /// Writes everything recorded so far. One thread calls this.
  void flush(const Clocks& now);

  /// On any thread.
  Recording recording() const;
  /// On any thread: counts how often something came after which readers may lack what was recorded
  /// before, namely gaps, and segments other than the first. The earlier ones are removed some day.
  std::uint64_t breaks() const { return breaks_.load(std::memory_order_relaxed); }

 private:
  /// What could not be recorded or written, until a gap says so.
  struct Lost {
    std::uint64_t entries = 0;
    TimePoint from, to;
    void add(TimePoint first, TimePoint last, std::uint64_t count);
  };

  bool push(TimePoint at, const Entry& entry);
  void run();
  std::vector<Timed> drained();
  std::optional<std::string> write(std::vector<Timed> block, const Clocks& now);
  std::optional<std::string> open();
  void remember(const std::optional<std::string>& problem);

  const RecorderOptions options_;
  const OnFailing on_failing_;
  Ring ring_;
  // Of the recording thread.
  std::string encoded_;
  Lost overrun_;
  std::atomic<std::uint64_t> overruns_{0}, breaks_{0};
  // Of the writing thread.
  std::unique_ptr<SegmentWriter> writer_;
  bool has_begun_ = false;  ///< A segment.
  std::optional<NameHash> hash_;
  std::string raw_;
  Lost unwritten_;
  std::optional<TimePoint> retry_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Recording recording_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace sluice::record
