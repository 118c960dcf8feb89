#include "service/jobs/job_store.h"

#include <fcntl.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/blocked_signals.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/sqlite/wal_check.h"
#include "base/state_file.h"
#include "service/jobs/job_table.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

JobTable::Clocks read_clocks() {
  return {Clock::now(), std::chrono::system_clock::now().time_since_epoch()};
}

/// One daemon's lock on the file. Forked processes do not inherit it, and it ends with the daemon.
class StateClaim {
 public:
  /// Returns what prevents the lock. If the lock file cannot be written, no other process writes
  /// either.
  std::optional<std::string> acquire(const std::string& path) {
    if (file_) return std::nullopt;
    file_.reset(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file_) return std::nullopt;
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (fcntl(file_.get(), F_SETLK, &lock) == 0) return std::nullopt;
    std::string who = "another process";
    if (fcntl(file_.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
      who = "process " + std::to_string(lock.l_pid);
    }
    file_.reset();
    return who + " keeps its jobs there";
  }

 private:
  Descriptor file_;
};

/// Checkpoints the write-ahead log of an SQLite file from time to time. Runs on its own thread,
/// because a checkpoint waits for the disk and admission must not. If a checkpoint fails, the log
/// grows until one succeeds.
class JobCheckpoint {
 public:
  explicit JobCheckpoint(std::string path) : path_(std::move(path)) {
    // Leave signals to the threads that wait for them.
    const BlockedSignals blocked;
    thread_ = std::thread([this] { work(); });
  }
  ~JobCheckpoint() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    due_.notify_one();
    thread_.join();
  }

  /// Reports that `rows` more rows were written.
  void wrote(std::size_t rows) {
    const std::lock_guard lock(mutex_);
    written_ += rows;
    if (written_ >= kRowsBetween) due_.notify_one();
  }

 private:
  /// A row usually takes one 4 KiB page of the log: 16 MiB.
  static constexpr std::size_t kRowsBetween = 4096;
  /// With more pages than this in the log, a checkpoint blocks writers for a moment so that the log
  /// can restart: under steady load it would never be checkpointed to its end.
  static constexpr std::int64_t kLongLog = 16384;
  static constexpr int kBusyMilliseconds = 2000;

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      due_.wait(lock, [this] { return stopping_ || written_ >= kRowsBetween; });
      if (stopping_) return;
      written_ = 0;
      lock.unlock();
      try {
        checkpoint();
      } catch (const SqliteError&) {
        // The writer meets the same disk and reports it.
      }
      lock.lock();
    }
  }

  void checkpoint() const {
    SqliteDatabase database(path_, kBusyMilliseconds);
    database.run("PRAGMA synchronous = NORMAL");
    std::int64_t pages = 0;
    {
      SqliteStatement folded = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
      if (folded.next()) pages = folded.whole(1);
    }
    if (pages > kLongLog) database.run("PRAGMA wal_checkpoint(RESTART)");
  }

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable due_;
  std::size_t written_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

class SqliteJobStore final : public JobStore {
 public:
  SqliteJobStore(const std::string& folder, std::string boot, SayState say)
      : folder_(folder),
        path_((fs::path(folder) / "jobs.db").string()),
        boot_(std::move(boot)),
        say_(std::move(say)) {}

  StoredState load() override {
    StoredState state;
    try {
      try {
        state = read();
      } catch (const SqliteError& error) {
        if (!error.is_broken()) throw;
        move_aside(error.what(), "is broken");
        state = read();
      }
      was_read_ = true;
      secret_ = state.permit_secret;
      table_->trim();
      checkpoint_.emplace(path_);
    } catch (const NewerState& error) {
      throw NewerState(path_ + ": " + error.what());
    } catch (const std::exception& error) {
      const auto found = read_unchanged();
      was_read_ = found.has_value();
      if (found) state = *found;
      failed(error.what());
    }
    return state;
  }

  void put(const StoredJob& job) override {
    write(1, [&](JobTable& table) { table.put(job, read_clocks()); });
  }

  void remove(JobId job, End end) override {
    write(1, [&](JobTable& table) { table.remove(job, end); });
    if (failing_ && end == End::badly && unkept_failures_.size() < kRememberedFailures) {
      unkept_failures_.push_back(job);
    }
  }

  void renew(const std::vector<std::pair<JobId, TimePoint>>& renewals) override {
    if (renewals.empty()) return;
    write(renewals.size(), [&](JobTable& table) { table.renew(renewals); });
  }

  void replace(const std::vector<StoredJob>& jobs) override {
    if (is_taken_) return;
    try {
      open_or_replace_broken();
      was_read_ = true;
      try {
        table_->replace(boot_, jobs, unkept_failures_, read_clocks());
      } catch (const SqliteError& error) {
        if (!error.is_broken()) throw;
        move_aside(error.what(), "is broken");
        open_table();
        table_->replace(boot_, jobs, unkept_failures_, read_clocks());
      }
      if (!secret_.empty()) table_->store_secret(secret_);
      if (!checkpoint_) checkpoint_.emplace(path_);
      checkpoint_->wrote(jobs.size());
    } catch (const std::exception& error) {
      return failed(error.what());
    }
    unkept_failures_.clear();
    if (!failing_) return;
    failing_.reset();
    say_("state " + path_ + " is usable again: all " + std::to_string(jobs.size()) +
         " jobs are in it");
  }

  void store_secret(const std::string& secret) override {
    secret_ = secret;
    write(1, [&](JobTable& table) { table.store_secret(secret); });
  }

  void release_memory() override {
    write(0, [](JobTable& table) { table.release_memory(); });
  }

  std::optional<std::string> failing() const override { return failing_; }
  std::string path() const override { return path_; }

 private:
  void open_table() {
    if (table_) return;
    std::error_code problem;
    if (fs::create_directories(folder_, problem)) {
      fs::permissions(folder_, fs::perms::owner_all, problem);
    }
    refuse_irregular(path_ + ".lock");
    if (auto taken = claim_.acquire(path_ + ".lock")) {
      is_taken_ = true;
      throw std::runtime_error(*taken);
    }
    // Only those the daemon admits may see what jobs declare, and another process's lock on the
    // file would block the daemon.
    keep_private(path_);
    // After the file is opened, damage can no longer be detected.
    if (const auto damage = damage_of_wal(path_ + "-wal")) {
      say_("the log " + path_ + "-wal is damaged: " + damage->sentence() +
           "; jobs recorded only there are ignored");
    }
    table_.emplace(path_);
  }

  /// Reads what is there on a disk that accepts no more writes.
  std::optional<StoredState> read_unchanged() {
    std::error_code none;
    const auto log_size = fs::file_size(path_ + "-wal", none);
    if (is_taken_ || (!none && log_size > 0)) return std::nullopt;
    try {
      refuse_irregular(path_);
      return taken_from(JobTable(path_, JobTable::ReadOnly{}).load(boot_, read_clocks()));
    } catch (const NewerState&) {
      throw;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  StoredState taken_from(JobTable::Loaded loaded) const {
    for (const std::string& line : loaded.unreadable) {
      say_("state " + path_ + ": " + line +
           ": unreadable; if processes of that job still run, they are not counted");
    }
    return std::move(loaded.state);
  }

  /// Replaces a file that is broken, or that could not be read at the start, with a new one.
  void open_or_replace_broken() {
    try {
      open_table();
      if (was_read_ || !table_->has_jobs()) return;
      move_aside("it could not be read at the start", "came too late");
    } catch (const SqliteError& error) {
      if (!error.is_broken()) throw;
      move_aside(error.what(), "is broken");
    }
    open_table();
  }

  StoredState read() {
    open_table();
    StoredState state = taken_from(table_->load(boot_, read_clocks()));
    table_->name_boot(boot_);
    return state;
  }

  void move_aside(const std::string& problem, std::string_view what) {
    checkpoint_.reset();
    table_.reset();
    const std::string aside = path_ + ".broken-" + std::to_string(unix_seconds());
    fs::rename(path_, aside);
    std::error_code none;
    for (const char* part : {"-wal", "-shm"}) fs::rename(path_ + part, aside + part, none);
    say_("state " + path_ + " " + std::string(what) + " (" + problem + "); moved it to " + aside +
         " and started a new one; jobs recorded only there are ignored");
  }

  void failed(const std::string& problem) {
    if (!failing_) {
      say_("state " + path_ + " is unusable (" + problem + "): keeping jobs in memory only" +
           (is_taken_ ? "" : " until it works again"));
    }
    failing_ = problem;
  }

  template <typename Write>
  void write(std::size_t rows, Write write) {
    if (failing_) return;
    try {
      write(*table_);
      if (checkpoint_) checkpoint_->wrote(rows);
    } catch (const std::exception& error) {
      failed(error.what());
    }
  }

  const std::string folder_, path_, boot_;
  const SayState say_;
  StateClaim claim_;
  std::optional<JobTable> table_;
  std::optional<JobCheckpoint> checkpoint_;
  std::optional<std::string> failing_;
  std::vector<JobId> unkept_failures_;  ///< While it is failing.
  std::string secret_;                  ///< To write into a new file that replaces another.
  bool was_read_ = false;               ///< The file holds only what was read or written here.
  bool is_taken_ = false;               ///< By another process, for good.
};

}  // namespace

std::unique_ptr<JobStore> open_job_store(const std::string& folder, std::string boot,
                                         SayState say) {
  return std::make_unique<SqliteJobStore>(
      folder, std::move(boot), say ? std::move(say) : [](const std::string&) {});
}

}  // namespace sluice
