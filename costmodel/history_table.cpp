#include "costmodel/history_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sluice {
namespace {

constexpr int kVersion = 1;
constexpr int kBusyMilliseconds = 2000;

// Rows are numbered in the order in which they came, by whichever process; a number is never given
// twice, so that "newer than the last that I saw" misses nothing.
constexpr const char* kSchema = R"(
CREATE TABLE job (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  last INTEGER NOT NULL DEFAULT 0  -- its newest sample
);
CREATE INDEX job_by_last ON job (last);
CREATE TABLE sample (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL REFERENCES job (id),
  program TEXT NOT NULL,
  ended INTEGER NOT NULL,          -- seconds since 1970
  outcome TEXT NOT NULL,
  busy_cores REAL NOT NULL,
  peak_memory INTEGER NOT NULL,    -- bytes
  wall REAL NOT NULL               -- seconds
);
CREATE INDEX sample_by_job ON sample (job, id);
PRAGMA user_version = 1;
)";

constexpr std::array kOutcomes{Outcome::ok, Outcome::failed, Outcome::oom, Outcome::cancelled};

/// False for what this program would not have written.
bool read_sample(const SqliteStatement& row, Sample& sample) {
  sample.key = row.text(1);
  sample.program = row.text(2);
  sample.ended = row.whole(3);
  const std::string outcome = row.text(4);
  const auto named =
      std::ranges::find_if(kOutcomes, [&](Outcome each) { return outcome == to_string(each); });
  const double cores = row.number(5), wall = row.number(7);
  const std::int64_t peak = row.whole(6);
  constexpr double kLongest = 1e9;
  const bool sane = named != kOutcomes.end() && cores >= 0 && cores < 1e7 && peak >= 0 &&
                    wall >= 0 && wall < kLongest;
  if (!sane) return false;
  sample.outcome = *named;
  sample.busy_cores = cores;
  sample.peak_memory = Bytes{static_cast<std::uint64_t>(peak)};
  sample.wall = Duration(std::llround(wall * 1e9));
  return true;
}

}  // namespace

HistoryTable::HistoryTable(const std::string& path) : database_(path, kBusyMilliseconds) {
  prepare();
}

void HistoryTable::prepare() {
  // Readers and a writer do not wait for each other; a crash of the host may cost the last samples,
  // a crash of this process none.
  database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  if (database_.user_version() == kVersion) return;
  SqliteTransaction transaction(database_);
  const int version = database_.user_version();
  if (version > kVersion) {
    throw std::runtime_error("it was written by a newer version of sluice (schema " +
                             std::to_string(version) + ")");
  }
  if (version == 0) database_.run(kSchema);
  transaction.commit();
}

std::vector<Sample> HistoryTable::load() { return read_since(0); }

std::vector<Sample> HistoryTable::read_since(std::int64_t last) {
  SqliteStatement rows = database_.prepare(
      "SELECT sample.id, key, program, ended, outcome, busy_cores, peak_memory, wall "
      "FROM sample JOIN job ON job.id = sample.job WHERE sample.id > ? ORDER BY sample.id");
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

/// The statements that write samples, prepared once for a transaction.
struct HistoryTable::Writing {
  explicit Writing(SqliteDatabase& database)
      : add_job(database.prepare("INSERT OR IGNORE INTO job (key) VALUES (?)")),
        find_job(database.prepare("SELECT id FROM job WHERE key = ?")),
        add_sample(database.prepare(
            "INSERT INTO sample (job, program, ended, outcome, busy_cores, peak_memory, wall) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)")),
        mark(database.prepare("UPDATE job SET last = ? WHERE id = ?")),
        bound(database.prepare(
            "DELETE FROM sample WHERE job = ?1 AND id <= "
            "(SELECT id FROM sample WHERE job = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)")),
        oldest(database.prepare("SELECT id FROM job ORDER BY last DESC LIMIT -1 OFFSET ?")),
        drop_samples(database.prepare("DELETE FROM sample WHERE job = ?")),
        drop_job(database.prepare("DELETE FROM job WHERE id = ?")) {}

  /// Keeps the bound on keys: those whose last run is longest ago go.
  void bound_keys() {
    oldest.bind(1, static_cast<std::int64_t>(kMostKeys));
    while (oldest.next()) {
      drop_samples.bind(1, oldest.whole(0)).run();
      drop_job.bind(1, oldest.whole(0)).run();
    }
  }

  SqliteStatement add_job, find_job, add_sample, mark, bound, oldest, drop_samples, drop_job;
};

std::vector<Sample> HistoryTable::exchange(const std::vector<Sample>& samples) {
  const std::int64_t before = seen_;
  try {
    return exchange_at_once(samples);
  } catch (const SqliteError&) {
    seen_ = before;  // Nothing of it was written, and its news go to nobody.
    throw;
  }
}

std::vector<Sample> HistoryTable::exchange_at_once(const std::vector<Sample>& samples) {
  SqliteTransaction transaction(database_);
  std::vector<Sample> news = read_since(seen_);
  {
    Writing writing(database_);
    for (const Sample& sample : samples) add(writing, sample);
    writing.bound_keys();
  }
  transaction.commit();
  return news;
}

void HistoryTable::add(Writing& writing, const Sample& sample) {
  writing.add_job.bind(1, sample.key).run();
  writing.find_job.bind(1, sample.key).next();
  const std::int64_t job = writing.find_job.whole(0);
  writing.find_job.run();
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  writing.add_sample.bind(1, job).bind(2, sample.program).bind(3, sample.ended);
  writing.add_sample.bind(4, to_string(sample.outcome)).bind(5, sample.busy_cores);
  writing.add_sample.bind(6, static_cast<std::int64_t>(std::min(sample.peak_memory.value, most)));
  writing.add_sample.bind(7, std::chrono::duration<double>(sample.wall).count()).run();
  seen_ = database_.last_row();
  writing.mark.bind(1, seen_).bind(2, job).run();
  writing.bound.bind(1, job).bind(2, static_cast<std::int64_t>(kSamplesPerKey)).run();
}

void HistoryTable::forget(std::string_view key) {
  SqliteTransaction transaction(database_);
  database_.prepare("DELETE FROM sample WHERE job = (SELECT id FROM job WHERE key = ?)")
      .bind(1, key)
      .run();
  database_.prepare("DELETE FROM job WHERE key = ?").bind(1, key).run();
  transaction.commit();
}

}  // namespace sluice
