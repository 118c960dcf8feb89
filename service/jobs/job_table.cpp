#include "service/jobs/job_table.h"

#include <algorithm>
#include <charconv>

#include "base/state_schema.h"
#include "costmodel/job_key.h"
#include "service/protocol/job_text.h"

namespace sluice {
namespace {

constexpr int kTableVersion = kJobsSchema;
constexpr int kBusyMilliseconds = 2000;

/// Reserve numbers in batches, or each job would write one more row.
constexpr std::uint64_t kReserve = 1024;

/// No daemon gets this far; a larger number is not from a daemon.
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 62;

constexpr const char* kSchema = R"(
CREATE TABLE meta (
  name TEXT PRIMARY KEY,           -- boot, last, permit_secret
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE job (
  number INTEGER PRIMARY KEY,
  request TEXT NOT NULL,           -- JSON, in the words of POST /v1/jobs
  cost INTEGER NOT NULL,           -- points
  running INTEGER NOT NULL,        -- 0: it pends
  starting INTEGER NOT NULL,
  frozen INTEGER NOT NULL,
  arrived INTEGER NOT NULL,        -- nanoseconds on the monotonic clock of meta.boot
  arrived_wall INTEGER NOT NULL,   -- the same instant in nanoseconds since 1970
  admitted INTEGER NOT NULL,       -- as arrived; 0 of one that pends
  arrival INTEGER NOT NULL,        -- order of pending jobs
  place INTEGER NOT NULL,
  part INTEGER NOT NULL,
  items TEXT NOT NULL,             -- JSON: {"manager": ["item"]}; may be empty
  hold INTEGER NOT NULL,           -- 1: the lease hangs on a connection
  pid INTEGER NOT NULL,            -- 0: on no process
  pid_started INTEGER NOT NULL,    -- clock ticks since boot
  heartbeat INTEGER NOT NULL,      -- nanoseconds; 0: none
  renewed INTEGER NOT NULL,        -- as arrived
  owner INTEGER NOT NULL           -- the user whose it is; -1: it came over TCP
);
CREATE TABLE failed (              -- jobs that did not end ok
  number INTEGER PRIMARY KEY
);
PRAGMA user_version = 1;
)";

constexpr const char* kPut =
    "INSERT OR REPLACE INTO job VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kRows =
    "SELECT number, request, cost, running, starting, frozen, arrived, arrived_wall, admitted, "
    "arrival, place, part, items, hold, pid, pid_started, heartbeat, renewed, owner "
    "FROM job ORDER BY number";

std::int64_t as_whole(TimePoint time) { return time.time_since_epoch().count(); }
std::int64_t as_whole(std::uint64_t number) { return static_cast<std::int64_t>(number); }
std::int64_t as_whole(bool truth) { return truth ? 1 : 0; }
TimePoint as_time(std::int64_t whole) { return TimePoint(Duration(whole)); }

std::uint64_t parse_number(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

JobTable::JobTable(const std::string& path) : database_(path, kBusyMilliseconds) { prepare(); }

JobTable::JobTable(const std::string& path, ReadOnly)
    : database_(path, SqliteDatabase::Access::unchanging) {
  refuse_newer();
}

int JobTable::refuse_newer() {
  const int version = database_.user_version();
  if (version <= kTableVersion) return version;
  throw NewerState("it was written by a newer version of sluice (schema " +
                   std::to_string(version) + ", this one knows " + std::to_string(kTableVersion) +
                   "): start that version, or move the file away to start without its jobs");
}

void JobTable::prepare() {
  // Written data is in the kernel when a call returns, which is all that kill -9 leaves. The
  // checkpoint thread waits for the disk instead. Pages are not spilled before the commit, see
  // wal_check.cpp. The limit takes effect when the log begins again, see job_store.cpp.
  database_.run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; "
      "PRAGMA journal_size_limit = 4194304; PRAGMA cache_spill = 0;");
  if (refuse_newer() == 0) {
    SqliteTransaction transaction(database_);
    database_.run(kSchema);
    transaction.commit();
  }
  put_.emplace(database_.prepare(kPut));
  remove_.emplace(database_.prepare("DELETE FROM job WHERE number = ?"));
  fail_.emplace(database_.prepare("INSERT OR IGNORE INTO failed VALUES (?)"));
}

std::string JobTable::meta(std::string_view name) {
  SqliteStatement row = database_.prepare("SELECT value FROM meta WHERE name = ?");
  row.bind(1, name);
  return row.next() ? row.text(0) : "";
}

void JobTable::set_meta(std::string_view name, std::string_view value) {
  database_.prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(1, name).bind(2, value).run();
}

bool JobTable::has_jobs() {
  SqliteStatement row = database_.prepare("SELECT 1 FROM job LIMIT 1");
  return row.next();
}

JobTable::Loaded JobTable::load(const std::string& boot, const Clocks& clocks) {
  Loaded loaded;
  StoredState& state = loaded.state;
  const std::string before = meta("boot");
  state.boot =
      before.empty() || before == boot ? StoredState::Boot::same : StoredState::Boot::other;
  reserved_ = std::min(parse_number(meta("last")), kMostNumber);
  state.last = JobId{reserved_};
  state.permit_secret = meta("permit_secret");
  const std::string no_number = "its number is not a valid job number";
  rows_.emplace(database_.prepare(kRows));
  while (rows_->next()) {
    const JobId number{static_cast<std::uint64_t>(rows_->whole(0))};
    if (number.value <= kMostNumber) state.last = std::max(state.last, number);
    auto request = parse_request(rows_->text(1), kTokenKey);
    auto items = parse_items(rows_->text(12));
    const std::string* problem = std::get_if<std::string>(&request);
    if (!problem) problem = std::get_if<std::string>(&items);
    if (number.value == 0 || number.value > kMostNumber) problem = &no_number;
    if (problem) {
      loaded.unreadable.push_back("job " + std::to_string(number.value) + ": " + *problem);
      continue;
    }
    StoredJob job = read_job(clocks, state.boot);
    job.job.id = number;
    auto& stored = std::get<StoredRequest>(request);
    job.job.request = std::move(stored.request);
    job.batch = std::move(stored.batch);
    job.declared = {rows_->text(1).size(), elements_of(job.job.request)};
    job.job.items = std::move(std::get<std::vector<HeldItems>>(items));
    state.jobs.push_back(std::move(job));
  }
  rows_.reset();
  SqliteStatement failed = database_.prepare(
      "SELECT number FROM (SELECT number FROM failed ORDER BY number DESC LIMIT ?) "
      "ORDER BY number");
  failed.bind(1, as_whole(std::uint64_t{kRememberedFailures}));
  while (failed.next()) {
    state.failed.push_back(JobId{static_cast<std::uint64_t>(failed.whole(0))});
  }
  return loaded;
}

/// The row's columns except its texts.
StoredJob JobTable::read_job(const Clocks& clocks, StoredState::Boot boot) {
  const SqliteStatement& row = *rows_;
  StoredJob stored;
  JobSnapshot& job = stored.job;
  job.cost = Points{row.whole(2)};
  const bool other = boot == StoredState::Boot::other;
  // Another boot's monotonic clock means nothing here; the wall clock continued.
  job.arrived = other ? clocks.now - (clocks.wall - Duration(row.whole(7))) : as_time(row.whole(6));
  if (row.whole(3) != 0) job.admitted = other ? job.arrived : as_time(row.whole(8));
  job.starting = row.whole(4) != 0;
  job.frozen = row.whole(5) != 0;
  job.order = {static_cast<std::uint64_t>(row.whole(9)), row.whole(10),
               static_cast<std::uint64_t>(row.whole(11))};
  StoredLease& lease = stored.lease;
  if (row.whole(13) != 0) lease.hold = StoredLease::Hold::connection;
  if (row.whole(14) != 0) {
    lease.process =
        LeaseProcess{static_cast<pid_t>(row.whole(14)), static_cast<std::uint64_t>(row.whole(15))};
  }
  if (row.whole(16) != 0) lease.heartbeat = Duration(row.whole(16));
  lease.renewed = as_time(row.whole(17));
  if (row.whole(18) >= 0) stored.owner = static_cast<uid_t>(row.whole(18));
  return stored;
}

void JobTable::reserve(JobId number) {
  if (number.value <= reserved_) return;
  set_meta("last", std::to_string(number.value + kReserve));
  reserved_ = number.value + kReserve;
}

void JobTable::put(const StoredJob& stored, const Clocks& clocks) {
  const JobSnapshot& job = stored.job;
  const StoredLease& lease = stored.lease;
  reserve(job.id);
  SqliteStatement& row = *put_;
  row.bind(1, as_whole(job.id.value));
  row.bind(2, request_text(job.request, kTokenKey, stored.batch));
  row.bind(3, job.cost.value).bind(4, as_whole(job.admitted.has_value()));
  row.bind(5, as_whole(job.starting)).bind(6, as_whole(job.frozen));
  row.bind(7, as_whole(job.arrived));
  row.bind(8, (clocks.wall - (clocks.now - job.arrived)).count());
  row.bind(9, job.admitted ? as_whole(*job.admitted) : 0);
  row.bind(10, as_whole(job.order.arrival)).bind(11, job.order.whole);
  row.bind(12, as_whole(job.order.part)).bind(13, items_text(job.items));
  row.bind(14, as_whole(lease.hold == StoredLease::Hold::connection));
  const LeaseProcess process = lease.process.value_or(LeaseProcess{});
  row.bind(15, std::int64_t{process.pid}).bind(16, as_whole(process.started));
  row.bind(17, lease.heartbeat.value_or(Duration{0}).count()).bind(18, as_whole(lease.renewed));
  row.bind(19, stored.owner ? std::int64_t{*stored.owner} : -1);
  row.run();
}

void JobTable::remove(JobId job, JobStore::End end) {
  if (end == JobStore::End::badly) {
    SqliteTransaction transaction(database_);
    fail_->bind(1, as_whole(job.value)).run();
    remove_->bind(1, as_whole(job.value)).run();
    transaction.commit();
    return;
  }
  remove_->bind(1, as_whole(job.value)).run();
}

void JobTable::renew(const std::vector<std::pair<JobId, TimePoint>>& renewals) {
  SqliteTransaction transaction(database_);
  SqliteStatement row = database_.prepare("UPDATE job SET renewed = ? WHERE number = ?");
  for (const auto& [job, time] : renewals) {
    row.bind(1, as_whole(time)).bind(2, as_whole(job.value)).run();
  }
  transaction.commit();
}

void JobTable::replace(const std::string& boot, const std::vector<StoredJob>& jobs,
                       const std::vector<JobId>& failed, const Clocks& clocks) {
  const std::uint64_t reserved = reserved_;
  try {
    SqliteTransaction transaction(database_);
    set_meta("boot", boot);
    database_.run("DELETE FROM job");
    for (const StoredJob& job : jobs) put(job, clocks);
    for (const JobId job : failed) fail_->bind(1, as_whole(job.value)).run();
    transaction.commit();
  } catch (const SqliteError&) {
    reserved_ = reserved;
    throw;
  }
}

void JobTable::name_boot(const std::string& boot) {
  if (meta("boot").empty()) set_meta("boot", boot);
}

void JobTable::trim() {
  database_.run(
      ("DELETE FROM failed WHERE number <= (SELECT number FROM failed ORDER BY number DESC "
       "LIMIT 1 OFFSET " +
       std::to_string(kRememberedFailures) + ")")
          .c_str());
}

}  // namespace sluice
