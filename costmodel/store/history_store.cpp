#include "costmodel/store/history_store.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/blocked_signals.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/sqlite/wal_check.h"
#include "base/state_file.h"
#include "costmodel/store/history_table.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

/// Samples waiting to be written; beyond this the oldest are dropped.
constexpr std::size_t kMostWaiting = 10'000;

/// Runs that end within this time are written in one transaction, sooner if so many wait: one for
/// each would take as much CPU time as a short run. A process that is killed forgets them.
constexpr Duration kGathering = std::chrono::milliseconds(250);
constexpr std::size_t kGathered = 256;

/// Held while the file is opened and perhaps moved aside: two processes that find it broken must
/// not move each other's new one.
Descriptor lock_opening(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file) flock(file.get(), LOCK_EX);
  return file;
}

/// What follows where the file cannot be used.
enum class Failure { is_said, is_thrown };

class HistoryStore final : public SampleStore {
 public:
  HistoryStore(const std::string& folder, SayLine say, Failure failure)
      : folder_(folder),
        path_((fs::path(folder) / "history.db").string()),
        say_(say ? std::move(say) : [](const std::string&) {}),
        failure_(failure) {}
  HistoryStore(const HistoryStore&) = delete;
  HistoryStore& operator=(const HistoryStore&) = delete;

  ~HistoryStore() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_one();
    }
    if (writer_.joinable()) writer_.join();
  }

  /// The writer thread blocks all signals: other threads wait for them.
  void start() {
    const BlockedSignals blocked;
    writer_ = std::thread([this] { write_on(); });
  }

  std::vector<Sample> load() override {
    std::vector<Sample> samples;
    with_table([&](HistoryTable& table) { samples = table.load(); });
    return samples;
  }

  void add(const Sample& sample) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(sample);
    drop_beyond(kMostWaiting);
    const bool is_first = !std::exchange(due_, true);
    ++gathered_;
    if (is_first || gathered_ == kGathered) changed_.notify_one();
  }

  std::vector<ForgottenKey> forget(const SampleFilter& which) override {
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(waiting_, [&](const Sample& each) { return matches(which, each); });
    }
    std::vector<ForgottenKey> forgotten;
    with_table([&](HistoryTable& table) { forgotten = table.forget(which); });
    return forgotten;
  }

  StoreNews news() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }

  void poll() override {
    const std::lock_guard lock(mutex_);
    poll_due_ = true;
    changed_.notify_one();
  }

  StorePlace place() const override {
    const std::lock_guard lock(mutex_);
    return {path_, problem_};
  }

 private:
  void write_on() {
    std::unique_lock lock(mutex_);
    for (bool over = false; !over;) {
      changed_.wait(lock, [&] { return stopping_ || due_ || poll_due_; });
      changed_.wait_for(lock, kGathering, [&] { return stopping_ || gathered_ >= kGathered; });
      gathered_ = 0;
      over = stopping_;
      due_ = false;
      const bool polls = std::exchange(poll_due_, false) && !over;
      if (waiting_.empty() && !polls) continue;
      const std::vector<Sample> samples(waiting_.begin(), waiting_.end());
      waiting_.clear();
      lock.unlock();
      write(samples);
      lock.lock();
    }
  }

  void write(const std::vector<Sample>& samples) {
    const bool written = with_table([&](HistoryTable& table) {
      const bool changed = table.others_wrote();
      if (samples.empty() && !changed) return;
      StoreNews news = table.exchange(samples);
      const std::lock_guard lock(mutex_);
      // Deletions also apply to earlier additions.
      for (const SampleFilter& which : news.forgotten) {
        std::erase_if(news_.added, [&](const Sample& each) { return matches(which, each); });
      }
      std::ranges::move(news.forgotten, std::back_inserter(news_.forgotten));
      std::ranges::move(news.added, std::back_inserter(news_.added));
    });
    if (written) return;
    // They wait for the next sample, or for the destructor.
    const std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.begin(), samples.begin(), samples.end());
    drop_beyond(kMostWaiting);
  }

  /// Call with `mutex_` held.
  void drop_beyond(std::size_t most) {
    for (; waiting_.size() > most; ++dropped_) waiting_.pop_front();
  }

  /// Runs `work` on the table, and again on a new one if the old one is broken. False on failure.
  template <typename Work>
  bool with_table(Work work) {
    const std::lock_guard lock(table_mutex_);
    try {
      try {
        if (!table_) open_table();
        work(*table_);
      } catch (const SqliteError& error) {
        if (!error.is_broken()) throw;
        move_aside(error.what());
        open_table();
        work(*table_);
      }
      succeeded();
      return true;
    } catch (const std::exception& error) {
      failed(error.what());
      return false;
    }
  }

  void open_table() {
    std::error_code problem;
    if (fs::create_directories(folder_, problem)) {
      fs::permissions(folder_, fs::perms::owner_all, problem);
    }
    refuse_irregular(path_ + ".lock");
    const Descriptor lock = lock_opening(path_ + ".lock");
    keep_private(path_);
    // Opening the database destroys the evidence.
    if (const auto damage = damage_of_wal(path_ + "-wal")) {
      say_("the log " + path_ + "-wal is damaged: " + damage->sentence());
    }
    table_.emplace(path_);
  }

  void move_aside(const std::string& problem) {
    table_.reset();
    const Descriptor lock = lock_opening(path_ + ".lock");
    try {
      HistoryTable(path_).load();
      return;  // Another process has already replaced it.
    } catch (const SqliteError& error) {
      if (!error.is_broken()) throw;
    }
    const std::string aside = path_ + ".broken-" + std::to_string(unix_seconds());
    fs::rename(path_, aside);
    std::error_code none;
    for (const char* part : {"-wal", "-shm"}) fs::rename(path_ + part, aside + part, none);
    say_("the history " + path_ + " is broken (" + problem + "); moved it to " + aside +
         " and started a new one");
  }

  void failed(const std::string& problem) {
    if (failure_ == Failure::is_thrown) {
      throw std::runtime_error("the history " + path_ + " cannot be used: " + problem);
    }
    {
      const std::lock_guard lock(mutex_);
      problem_ = problem;
    }
    if (!std::exchange(failing_, true)) {
      say_("the history " + path_ + " is unusable (" + problem +
           "): new runs are kept in memory until it works again");
    }
  }

  void succeeded() {
    if (!std::exchange(failing_, false)) return;
    const std::lock_guard lock(mutex_);
    problem_.reset();
    const std::string lost = std::exchange(dropped_, 0) == 0 ? "nothing" : "the oldest runs";
    say_("the history " + path_ + " is usable again; lost " + lost + " in between");
  }

  const std::string folder_, path_;
  const SayLine say_;
  const Failure failure_;

  std::mutex table_mutex_;  ///< Lock before `mutex_` when taking both.
  std::optional<HistoryTable> table_;
  bool failing_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> problem_;  ///< Why the table cannot be used.
  std::deque<Sample> waiting_;
  std::size_t gathered_ = 0;  ///< Of these, since the last attempt to write.
  StoreNews news_;
  std::size_t dropped_ = 0;
  bool stopping_ = false, due_ = false, poll_due_ = false;
  std::thread writer_;
};

}  // namespace

std::shared_ptr<SampleStore> open_history_store(const std::string& folder, SayLine say) {
  auto store = std::make_shared<HistoryStore>(folder, std::move(say), Failure::is_said);
  store->start();
  return store;
}

std::shared_ptr<SampleStore> open_stored_history(const std::string& folder, SayLine say) {
  return std::make_shared<HistoryStore>(folder, std::move(say), Failure::is_thrown);
}

}  // namespace sluice
