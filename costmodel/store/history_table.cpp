#include "costmodel/store/history_table.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/enum_names.h"
#include "base/seconds.h"
#include "base/state_schema.h"
#include "costmodel/cpu_profile.h"
#include "sluice/status.h"

namespace sluice {
namespace {

constexpr int kSchemaVersion = kHistorySchema;
constexpr int kBusyMilliseconds = 2000;

// Rows are numbered in the order in which they came, from whichever process; numbers are never
// reused, so "newer than the last one seen" misses nothing. Table names differ from those of schema
// 1, whose programs would file all users' runs under one.
constexpr const char* kSchema = R"(
CREATE TABLE kind (
  id INTEGER PRIMARY KEY,
  user TEXT NOT NULL,              -- '' is root, or whose file this is
  key TEXT NOT NULL,
  last INTEGER NOT NULL DEFAULT 0, -- its newest run
  UNIQUE (user, key)
);
CREATE INDEX kind_by_last ON kind (user, last);
CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind INTEGER NOT NULL REFERENCES kind (id),
  program TEXT NOT NULL,
  ended INTEGER NOT NULL,          -- seconds since 1970
  outcome TEXT NOT NULL,
  busy_cores REAL NOT NULL,
  peak_memory INTEGER NOT NULL,    -- bytes
  wall REAL NOT NULL,              -- seconds
  measured INTEGER NOT NULL,       -- by the governor itself; 0: a client said so
  variant TEXT NOT NULL DEFAULT '', -- what sets it apart from others of its key
  profile TEXT NOT NULL DEFAULT '', -- its need for CPUs over time: end in seconds, colon, cores
  memory TEXT NOT NULL DEFAULT ''  -- what it held over time: end in seconds, colon, bytes
);
CREATE INDEX run_by_kind ON run (kind, id);
PRAGMA user_version = 3;
)";

constexpr const char* kFromSchema1 = R"(
INSERT INTO kind (id, user, key, last) SELECT id, '', key, last FROM job;
INSERT INTO run SELECT id, job, program, ended, outcome, busy_cores, peak_memory, wall, 0, '', '', ''
  FROM sample;
DROP TABLE sample;
DROP TABLE job;
)";

constexpr std::size_t kMostUserBytes = 1024;
constexpr std::size_t kMostVariantBytes = 1024;

/// The latest deletions, for processes that have the data in memory.
constexpr const char* kForgotten = R"(
CREATE TABLE IF NOT EXISTS forgotten (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user TEXT,     -- NULL, as in the others: any
  key TEXT,
  since INTEGER  -- seconds since 1970
);
)";
constexpr const char* kHasForgotten =
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'forgotten'";
constexpr const char* kBoundForgotten =
    "DELETE FROM forgotten WHERE id <= (SELECT max(id) FROM forgotten) - 100";

/// Databases of schema 2 that predate variants lack the column.
constexpr const char* kHasVariants =
    "SELECT count(*) FROM pragma_table_info('run') WHERE name = 'variant'";
constexpr const char* kAddVariants = "ALTER TABLE run ADD COLUMN variant TEXT NOT NULL DEFAULT ''";

/// So do those of schema 3 that predate it.
constexpr const char* kHasMemory =
    "SELECT count(*) FROM pragma_table_info('run') WHERE name = 'memory'";
constexpr const char* kAddMemory = "ALTER TABLE run ADD COLUMN memory TEXT NOT NULL DEFAULT ''";

constexpr const char* kFromSchema2 = R"(
ALTER TABLE run ADD COLUMN profile TEXT NOT NULL DEFAULT '';
PRAGMA user_version = 3;
)";

/// False for anything that this program would not have written.
bool read_sample(const SqliteStatement& row, Sample& sample) {
  sample.key = row.text(1);
  sample.program = row.text(2);
  sample.ended = row.whole(3);
  const auto outcome = find_named<Outcome>(row.text(4), kOutcomes);
  const double cores = row.number(5), wall = row.number(7);
  const std::int64_t peak = row.whole(6);
  constexpr double kLongest = 1e9;
  sample.user = row.text(8);
  sample.variant = row.text(10);
  // A run without a profile that can be read is a run all the same.
  sample.profile = parse_profile(row.text(11)).value_or(CpuProfile{});
  sample.memory = parse_course(row.text(12)).value_or(MemoryCourse{});
  sample.seen_by = row.whole(9) != 0 ? SeenBy::governor : SeenBy::client;
  const bool sane = outcome && *outcome != Outcome::unknown && cores >= 0 && cores < 1e7 &&
                    peak >= 0 && wall >= 0 && wall < kLongest &&
                    sample.user.size() <= kMostUserBytes &&
                    sample.variant.size() <= kMostVariantBytes;
  if (!sane) return false;
  sample.outcome = *outcome;
  sample.busy_cores = cores;
  sample.peak_memory = Bytes{static_cast<std::uint64_t>(peak)};
  sample.wall = Duration(std::llround(wall * 1e9));
  return true;
}

/// Creates an empty file owned by the same user as another one. False if the name is taken.
bool make_beside(const std::string& path, const std::string& other) {
  const int made = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made < 0 && errno == EEXIST) return false;
  if (made < 0) throw std::system_error(errno, std::generic_category(), path);
  struct stat facts {};
  // Root may be reading another user's file.
  const bool known = stat(other.c_str(), &facts) == 0;
  [[maybe_unused]] const int given = known ? fchown(made, facts.st_uid, facts.st_gid) : 0;
  close(made);
  return true;
}

}  // namespace

HistoryTable::HistoryTable(const std::string& path)
    : path_(path), database_(path, kBusyMilliseconds) {
  prepare();
  read_forgotten();
}

void HistoryTable::prepare() {
  // Readers and a writer do not wait for each other; of what was written, a crash of the host may
  // lose the last samples, a crash of this process none. No page is written early, see
  // wal_check.cpp.
  database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_spill = 0;");
  int version = database_.user_version();
  if (is_current(version)) return;
  if (version > 0 && version < kSchemaVersion) back_up(version);
  SqliteTransaction transaction(database_);
  version = database_.user_version();
  if (version > kSchemaVersion) {
    throw std::runtime_error("it was written by a newer version of sluice (schema " +
                             std::to_string(version) + ", this one knows " +
                             std::to_string(kSchemaVersion) + "); use that version");
  }
  if (version < 2) database_.run(kSchema);
  if (version == 1) database_.run(kFromSchema1);
  if (!has(kHasVariants)) database_.run(kAddVariants);
  if (!has(kHasMemory)) database_.run(kAddMemory);
  if (version == 2) database_.run(kFromSchema2);
  database_.run(kForgotten);
  transaction.commit();
}

bool HistoryTable::is_current(int version) {
  return version == kSchemaVersion && has(kHasVariants) && has(kHasMemory) && has(kHasForgotten);
}

/// Whether a query counts any.
bool HistoryTable::has(const char* what) {
  SqliteStatement found = database_.prepare(what);
  return found.next() && found.whole(0) > 0;
}

void HistoryTable::back_up(int version) {
  std::string backup = path_ + ".schema-" + std::to_string(version);
  for (int number = 2; !make_beside(backup, path_); ++number) {
    backup = path_ + ".schema-" + std::to_string(version) + "." + std::to_string(number);
  }
  database_.prepare("VACUUM INTO ?").bind(1, backup).run();
}

bool matches(const SampleFilter& which, const Sample& sample) {
  return (!which.user || sample.user == *which.user) && (!which.key || sample.key == *which.key) &&
         (!which.since || sample.ended >= *which.since);
}

std::vector<Sample> HistoryTable::load() {
  read_forgotten();
  return read_since(0);
}

std::vector<SampleFilter> HistoryTable::read_forgotten() {
  SqliteStatement rows = database_.prepare(
      "SELECT id, user IS NULL, user, key IS NULL, key, since IS NULL, since FROM forgotten "
      "WHERE id > ? ORDER BY id");
  rows.bind(1, forgotten_seen_);
  std::vector<SampleFilter> all;
  while (rows.next()) {
    forgotten_seen_ = rows.whole(0);
    SampleFilter& each = all.emplace_back();
    if (rows.whole(1) == 0) each.user = rows.text(2);
    if (rows.whole(3) == 0) each.key = rows.text(4);
    if (rows.whole(5) == 0) each.since = rows.whole(6);
  }
  return all;
}

bool HistoryTable::others_wrote() {
  SqliteStatement version = database_.prepare("PRAGMA data_version");
  const std::int64_t now = version.next() ? version.whole(0) : 0;
  return std::exchange(data_version_, now) != now;
}

std::vector<Sample> HistoryTable::read_since(std::int64_t last) {
  SqliteStatement rows = database_.prepare(
      "SELECT run.id, key, program, ended, outcome, busy_cores, peak_memory, wall, user, measured, "
      "variant, profile, memory "
      "FROM run JOIN kind ON kind.id = run.kind WHERE run.id > ? ORDER BY run.id");
  rows.bind(1, last);
  std::vector<Sample> samples;
  seen_ = last;
  while (rows.next()) {
    seen_ = rows.whole(0);
    Sample sample;
    if (read_sample(rows, sample)) samples.push_back(std::move(sample));
  }
  return samples;
}

/// The statements that write samples, prepared once per transaction.
struct HistoryTable::Writing {
  explicit Writing(SqliteDatabase& database)
      : add_kind(database.prepare("INSERT OR IGNORE INTO kind (user, key) VALUES (?, ?)")),
        find_kind(database.prepare("SELECT id FROM kind WHERE user = ? AND key = ?")),
        add_run(database.prepare(
            "INSERT INTO run (kind, program, ended, outcome, busy_cores, peak_memory, wall, "
            "measured, variant, profile, memory) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
        mark(database.prepare("UPDATE kind SET last = ? WHERE id = ?")),
        bound(database.prepare(
            "DELETE FROM run WHERE kind = ?1 AND id <= "
            "(SELECT id FROM run WHERE kind = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)")),
        oldest(database.prepare(
            "SELECT id FROM kind WHERE user = '' ORDER BY last DESC LIMIT -1 OFFSET ?")),
        count_others(database.prepare("SELECT count(*) FROM kind WHERE user != ''")),
        oldest_of_others(database.prepare(
            "SELECT id FROM (SELECT id, last, row_number() OVER (PARTITION BY user ORDER BY last "
            "DESC) AS age FROM kind WHERE user != '') ORDER BY age, last DESC LIMIT -1 OFFSET ?")),
        drop_runs(database.prepare("DELETE FROM run WHERE kind = ?")),
        drop_kind(database.prepare("DELETE FROM kind WHERE id = ?")) {}

  /// Enforces the limits on keys, see `kMostKeys`.
  void bound_keys() {
    drop(oldest);
    count_others.next();
    const bool many = count_others.whole(0) > static_cast<std::int64_t>(kMostKeys);
    count_others.run();
    if (many) drop(oldest_of_others);
  }

  /// Deletes everything that the query returns beyond the first `kMostKeys`.
  void drop(SqliteStatement& query) {
    std::vector<std::int64_t> kinds;
    query.bind(1, static_cast<std::int64_t>(kMostKeys));
    while (query.next()) kinds.push_back(query.whole(0));
    for (const std::int64_t kind : kinds) {
      drop_runs.bind(1, kind).run();
      drop_kind.bind(1, kind).run();
    }
  }

  SqliteStatement add_kind, find_kind, add_run, mark, bound, oldest, count_others, oldest_of_others,
      drop_runs, drop_kind;
};

StoreNews HistoryTable::exchange(const std::vector<Sample>& samples) {
  const std::int64_t before = seen_, forgotten_before = forgotten_seen_;
  try {
    return exchange_at_once(samples);
  } catch (const SqliteError&) {
    seen_ = before;  // Nothing was written, and nobody received the changes.
    forgotten_seen_ = forgotten_before;
    throw;
  }
}

StoreNews HistoryTable::exchange_at_once(const std::vector<Sample>& samples) {
  SqliteTransaction transaction(database_);
  StoreNews news{read_forgotten(), read_since(seen_)};
  // These runs ended before this process learned that they are to be forgotten.
  const auto is_forgotten = [&](const Sample& sample) {
    return std::ranges::any_of(news.forgotten, [&](const auto& f) { return matches(f, sample); });
  };
  if (!samples.empty()) {
    Writing writing(database_);
    bool is_longer = false;
    for (const Sample& sample : samples) {
      if (!is_forgotten(sample)) is_longer = add(writing, sample) || is_longer;
    }
    if (is_longer) writing.bound_keys();
  }
  transaction.commit();
  return news;
}

bool HistoryTable::add(Writing& writing, const Sample& sample) {
  writing.add_kind.bind(1, sample.user).bind(2, sample.key).run();
  const bool is_new = database_.changed_rows() > 0;
  writing.find_kind.bind(1, sample.user).bind(2, sample.key).next();
  const std::int64_t kind = writing.find_kind.whole(0);
  writing.find_kind.run();
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  writing.add_run.bind(1, kind).bind(2, sample.program).bind(3, sample.ended);
  writing.add_run.bind(4, to_string(sample.outcome)).bind(5, sample.busy_cores);
  writing.add_run.bind(6, static_cast<std::int64_t>(std::min(sample.peak_memory.value, most)));
  writing.add_run.bind(7, to_seconds(sample.wall));
  const bool measured = sample.seen_by == SeenBy::governor;
  writing.add_run.bind(8, std::int64_t{measured ? 1 : 0}).bind(9, sample.variant);
  writing.add_run.bind(10, to_text(sample.profile)).bind(11, to_text(sample.memory)).run();
  seen_ = database_.last_row();
  writing.mark.bind(1, seen_).bind(2, kind).run();
  writing.bound.bind(1, kind).bind(2, static_cast<std::int64_t>(kSamplesPerKey)).run();
  return is_new;
}

std::vector<ForgottenKey> HistoryTable::forget(const SampleFilter& which) {
  // An unbound parameter is NULL.
  const std::string chosen =
      "FROM run JOIN kind ON kind.id = run.kind WHERE (?1 IS NULL OR user = ?1) AND "
      "(?2 IS NULL OR key = ?2) AND (?3 IS NULL OR ended >= ?3)";
  const auto bound = [&](SqliteStatement statement) {
    if (which.user) statement.bind(1, *which.user);
    if (which.key) statement.bind(2, *which.key);
    if (which.since) statement.bind(3, *which.since);
    return statement;
  };
  SqliteTransaction transaction(database_);
  std::vector<ForgottenKey> forgotten;
  {
    auto kinds = bound(database_.prepare("SELECT user, key, count(*) " + chosen +
                                         " GROUP BY kind.id ORDER BY key, user"));
    while (kinds.next()) {
      forgotten.push_back({kinds.text(0), kinds.text(1), static_cast<std::size_t>(kinds.whole(2))});
    }
    bound(database_.prepare("DELETE FROM run WHERE id IN (SELECT run.id " + chosen + ")")).run();
  }
  database_.run("DELETE FROM kind WHERE id NOT IN (SELECT kind FROM run)");
  // Also if nothing matched: others may have runs that they have not written yet.
  bound(database_.prepare("INSERT INTO forgotten (user, key, since) VALUES (?1, ?2, ?3)")).run();
  if (forgotten_seen_ + 1 == database_.last_row()) forgotten_seen_ = database_.last_row();
  database_.run(kBoundForgotten);
  transaction.commit();
  return forgotten;
}

}  // namespace sluice
