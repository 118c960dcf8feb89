#include "record/recorder.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "record/codec.h"

namespace sluice::record {
namespace {

/// Cut where a block has enough contents.
std::vector<std::vector<Timed>> blocks_of(std::vector<Timed> entries) {
  std::vector<std::vector<Timed>> blocks;
  std::size_t size = kBlockContents;
  for (Timed& each : entries) {
    if (size >= kBlockContents) {
      blocks.emplace_back();
      size = 0;
    }
    size += size_of(each);
    blocks.back().push_back(std::move(each));
  }
  return blocks;
}

}  // namespace

std::size_t Ring::room() const noexcept {
  const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
  return capacity_ - (pushed - drained_.load(std::memory_order_acquire));
}

bool Ring::push(std::string_view bytes) noexcept {
  if (bytes.size() > room()) return false;
  const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
  const std::size_t at = pushed & (capacity_ - 1);
  const std::size_t to_end = std::min(bytes.size(), capacity_ - at);
  std::memcpy(bytes_.get() + at, bytes.data(), to_end);
  std::memcpy(bytes_.get(), bytes.data() + to_end, bytes.size() - to_end);
  pushed_.store(pushed + bytes.size(), std::memory_order_release);
  return true;
}

void Ring::drain_to(std::string& out) {
  const std::uint64_t drained = drained_.load(std::memory_order_relaxed);
  const std::uint64_t pushed = pushed_.load(std::memory_order_acquire);
  const std::size_t count = pushed - drained;
  const std::size_t at = drained & (capacity_ - 1);
  const std::size_t to_end = std::min(count, capacity_ - at);
  out.append(bytes_.get() + at, to_end);
  out.append(bytes_.get(), count - to_end);
  drained_.store(pushed, std::memory_order_release);
}

Recorder::Recorder(RecorderOptions options, OnFailing on_failing)
    : options_(std::move(options)), on_failing_(std::move(on_failing)), ring_(options_.room) {
  encoded_.reserve(4096);
}

Recorder::~Recorder() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Recorder::Lost::add(TimePoint first, TimePoint last, std::uint64_t count) {
  if (entries == 0) from = first;
  to = last;
  entries += count;
}

void Recorder::record(TimePoint at, const Entry& entry) noexcept {
  bool is_recorded = false;
  try {
    if (overrun_.entries > 0 &&
        push(at, Gap{overrun_.entries, overrun_.from, overrun_.to, "overrun"})) {
      overrun_ = {};
      breaks_.fetch_add(1, std::memory_order_relaxed);
    }
    is_recorded = overrun_.entries == 0 && push(at, entry);
  } catch (...) {
    // Out of memory.
  }
  if (!is_recorded) miss(at);
}

void Recorder::miss(TimePoint at) noexcept {
  overrun_.add(at, at, 1);
  overruns_.fetch_add(1, std::memory_order_relaxed);
}

bool Recorder::push(TimePoint at, const Entry& entry) {
  encoded_.clear();
  append_entry(encoded_, TimePoint{}, at, entry);
  return ring_.push(encoded_);
}

void Recorder::start() {
  thread_ = std::thread([this] { run(); });
}

void Recorder::run() {
  prctl(PR_SET_NAME, "sluice-record");
  bool is_last = false;
  while (!is_last) {
    {
      std::unique_lock lock(mutex_);
      is_last = wake_.wait_for(lock, kInterval, [this] { return stopping_; });
    }
    flush(clocks_now());
  }
}

std::vector<Timed> Recorder::drained() {
  raw_.clear();
  ring_.drain_to(raw_);
  std::vector<Timed> entries;
  std::string_view rest = raw_;
  while (!rest.empty()) {
    TimePoint at;
    auto entry = cut_entry(rest, at);
    auto* known = std::get_if<Entry>(&entry);
    if (!known) break;  // Never: `push` has written it.
    entries.push_back({at, std::move(*known)});
  }
  return entries;
}

void Recorder::flush(const Clocks& now) {
  std::vector<Timed> entries = drained();
  if (entries.empty()) return;
  const bool is_due = !retry_ || now.now >= *retry_;
  std::optional<std::string> problem;
  for (std::vector<Timed>& block : blocks_of(std::move(entries))) {
    const TimePoint first = block.front().at, last = block.back().at;
    const std::uint64_t count = block.size();
    if (is_due && !problem) problem = write(std::move(block), now);
    if (is_due && !problem) {
      unwritten_ = {};
    } else {
      unwritten_.add(first, last, count);
      const std::lock_guard lock(mutex_);
      recording_.lost += count;
    }
  }
  if (!is_due) return;
  retry_.reset();
  if (problem) {
    writer_.reset();
    retry_ = now.now + kRetry;
  }
  remember(problem);
}

std::optional<std::string> Recorder::write(std::vector<Timed> block, const Clocks& now) try {
  if (!writer_) {
    if (auto problem = open()) return problem;
  }
  const bool has_gap = unwritten_.entries > 0;
  if (has_gap) {
    const Gap gap{unwritten_.entries, unwritten_.from, unwritten_.to,
                  recording().failing.value_or("")};
    block.insert(block.begin(), Timed{unwritten_.to, gap});
  }
  if (hash_) {
    for (Timed& each : block) hash_->hash_names(each.entry);
  }
  const std::uint64_t segment = writer_->segment();
  auto problem = writer_->append(std::move(block), now);
  const bool is_another = !problem && writer_->segment() != segment;
  const bool is_first = is_another && !std::exchange(has_begun_, true);
  if (has_gap ? !problem : is_another && !is_first) {
    breaks_.fetch_add(1, std::memory_order_relaxed);
  }
  return problem;
} catch (const std::exception& error) {
  return error.what();
}

std::optional<std::string> Recorder::open() {
  auto folder = RecordFolder::open_to_write(options_.folder);
  if (auto* problem = std::get_if<std::string>(&folder)) return std::move(*problem);
  if (!options_.secret_file.empty() && !hash_) {
    auto secret = secret_in(options_.secret_file);
    if (auto* problem = std::get_if<std::string>(&secret)) return std::move(*problem);
    hash_.emplace(std::get<NameHash::Secret>(secret));
  }
  writer_ = std::make_unique<SegmentWriter>(std::move(std::get<RecordFolder>(folder)),
                                            options_.limits, options_.start, options_.blocks);
  return std::nullopt;
}

void Recorder::remember(const std::optional<std::string>& problem) {
  bool has_changed = false;
  {
    const std::lock_guard lock(mutex_);
    has_changed = recording_.failing.has_value() != problem.has_value();
    recording_.failing = problem;
    if (writer_) recording_.bytes = writer_->bytes();
  }
  if (has_changed && on_failing_) on_failing_(problem);
}

Recording Recorder::recording() const {
  const std::lock_guard lock(mutex_);
  Recording now = recording_;
  now.lost += overruns_.load(std::memory_order_relaxed);
  return now;
}

}  // namespace sluice::record
