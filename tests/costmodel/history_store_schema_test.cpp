// Files of older and newer versions.
#include <gtest/gtest.h>

#include <stdexcept>

#include "costmodel/store/history_table.h"
#include "history_store_fixture.h"

namespace sluice::history_store_test {
namespace {

TEST_F(HistoryStoreTest, LeavesTheFileOfANewerVersionAlone) {
  { SqliteDatabase(database(), 100).run("PRAGMA user_version = 99; CREATE TABLE theirs (x)"); }
  const auto store = open_store();
  EXPECT_TRUE(store->load().empty());
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("newer version"), std::string::npos) << said_[0];
  EXPECT_TRUE(broken().empty());
}

TEST_F(HistoryStoreTest, ThrowsForAReaderOfTheFileOfANewerVersion) {
  { SqliteDatabase(database(), 100).run("PRAGMA user_version = 99; CREATE TABLE theirs (x)"); }
  const auto store = open_stored_history(folder_.string(), {});
  EXPECT_THROW(store->load(), std::runtime_error);
  EXPECT_THROW(store->forget({}), std::runtime_error);
  EXPECT_TRUE(broken().empty());
}

/// As written by version 0.1.0.
void write_schema_1(const std::string& path) {
  SqliteDatabase(path, 100).run(R"(
PRAGMA journal_mode = WAL;
CREATE TABLE job (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
                  last INTEGER NOT NULL DEFAULT 0);
CREATE INDEX job_by_last ON job (last);
CREATE TABLE sample (id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL REFERENCES job (id), program TEXT NOT NULL, ended INTEGER NOT NULL,
  outcome TEXT NOT NULL, busy_cores REAL NOT NULL, peak_memory INTEGER NOT NULL,
  wall REAL NOT NULL);
CREATE INDEX sample_by_job ON sample (job, id);
PRAGMA user_version = 1;
INSERT INTO job VALUES (1, 'k', 2), (2, 'other', 3);
INSERT INTO sample VALUES (1, 1, 'g++', 1700000000, 'ok', 1.5, 1000, 2.5),
  (2, 1, 'g++', 1700000001, 'oom', 1.5, 2000, 2.5),
  (3, 2, 'ld', 1700000002, 'ok', 0.5, 3000, 2.5);
)");
}

TEST_F(HistoryStoreTest, TakesOverTheFirstSchemaAndKeepsTheFileAsItWas) {
  write_schema_1(database());
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 3U);
  EXPECT_EQ(loaded[1].key, "k");
  EXPECT_EQ(loaded[1].program, "g++");
  EXPECT_EQ(loaded[1].outcome, Outcome::oom);
  EXPECT_EQ(loaded[1].peak_memory, Bytes{2000});
  EXPECT_EQ(loaded[1].user, "") << "root's, or that of whom the file belongs to";
  EXPECT_EQ(loaded[1].seen_by, SeenBy::client);
  open_store()->add(sample("k", 4));
  EXPECT_EQ(load().size(), 4U);
  EXPECT_TRUE(said_.empty()) << said_[0];

  SqliteDatabase backup(database() + ".schema-1", 100);
  EXPECT_EQ(backup.user_version(), 1);
  SqliteStatement rows = backup.prepare("SELECT count(*) FROM sample");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.whole(0), 3);
  EXPECT_EQ(fs::status(database() + ".schema-1").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(fs::exists(database() + ".schema-1.2"));
}

TEST_F(HistoryStoreTest, AProgramOfTheFirstSchemaFilesNothingUnderRootInTheNewOne) {
  write_schema_1(database());
  SqliteDatabase before(database(), 100);
  EXPECT_EQ(before.user_version(), 1);
  load();
  EXPECT_EQ(before.user_version(), 3) << "what it refuses, as a newer version's";
  EXPECT_THROW(before.run("INSERT INTO job (key) VALUES ('liars')"), SqliteError);
}

/// As written by the versions that knew no profiles; without variants, as the first of them.
void write_schema_2(const std::string& path) {
  SqliteDatabase(path, 100).run(R"(
PRAGMA journal_mode = WAL;
CREATE TABLE kind (id INTEGER PRIMARY KEY, user TEXT NOT NULL, key TEXT NOT NULL,
                   last INTEGER NOT NULL DEFAULT 0, UNIQUE (user, key));
CREATE INDEX kind_by_last ON kind (user, last);
CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind INTEGER NOT NULL REFERENCES kind (id), program TEXT NOT NULL, ended INTEGER NOT NULL,
  outcome TEXT NOT NULL, busy_cores REAL NOT NULL, peak_memory INTEGER NOT NULL,
  wall REAL NOT NULL, measured INTEGER NOT NULL);
CREATE INDEX run_by_kind ON run (kind, id);
PRAGMA user_version = 2;
INSERT INTO kind VALUES (1, '1000', 'k', 1), (2, '', 'other', 2);
INSERT INTO run VALUES (1, 1, 'g++', 1700000000, 'ok', 1.5, 1000, 2.5, 1),
  (2, 2, 'ld', 1700000002, 'oom', 0.5, 3000, 2.5, 0);
)");
}

TEST_F(HistoryStoreTest, TakesOverTheSecondSchemaAndKeepsTheFileAsItWas) {
  write_schema_2(database());
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 2U);
  EXPECT_EQ(loaded[0].user, "1000");
  EXPECT_EQ(loaded[0].key, "k");
  EXPECT_EQ(loaded[0].seen_by, SeenBy::governor);
  EXPECT_EQ(loaded[0].peak_memory, Bytes{1000});
  EXPECT_EQ(loaded[0].profile.count, 0U) << "nobody saw it";
  EXPECT_EQ(loaded[1].outcome, Outcome::oom);
  open_store()->add(sample("k", 4));
  EXPECT_EQ(load().size(), 3U);
  EXPECT_TRUE(said_.empty()) << said_[0];

  SqliteDatabase backup(database() + ".schema-2", 100);
  EXPECT_EQ(backup.user_version(), 2);
  SqliteStatement rows = backup.prepare("SELECT count(*) FROM run");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.whole(0), 2);
  EXPECT_FALSE(fs::exists(database() + ".schema-2.2"));
}

TEST_F(HistoryStoreTest, AProgramOfTheSecondSchemaThatHasTheFileOpenGoesOnWriting) {
  write_schema_2(database());
  SqliteDatabase before(database(), 100);
  EXPECT_EQ(before.user_version(), 2);
  load();
  EXPECT_EQ(before.user_version(), 3) << "what it refuses when it opens the file";
  before.run(
      "INSERT INTO run (kind, program, ended, outcome, busy_cores, peak_memory, wall, "
      "measured) VALUES (2, 'ld', 1700000003, 'ok', 0.5, 3000, 2.5, 0)");
  ASSERT_EQ(load().size(), 3U);
  EXPECT_EQ(load()[2].profile.count, 0U);
}

/// As written by the first versions of the third schema, which knew no memory over time.
void write_schema_3(const std::string& path) {
  write_schema_2(path);
  SqliteDatabase(path, 100).run(R"(
ALTER TABLE run ADD COLUMN variant TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN profile TEXT NOT NULL DEFAULT '';
PRAGMA user_version = 3;
)");
}

TEST_F(HistoryStoreTest, AnOlderVersionOfTheThirdSchemaGoesOnToUseTheFile) {
  write_schema_3(database());
  ASSERT_EQ(load().size(), 2U);
  EXPECT_EQ(load()[0].memory.count, 0U);
  Sample late = sample("late", 1);
  late.memory = parse_course("60:100 80:900").value();
  open_store()->add(late);
  SqliteDatabase older(database(), 100);
  EXPECT_EQ(older.user_version(), 3) << "what it takes for its own";
  older.run(
      "INSERT INTO run (kind, program, ended, outcome, busy_cores, peak_memory, wall, measured, "
      "variant, profile) VALUES (2, 'ld', 1700000003, 'ok', 0.5, 3000, 2.5, 0, '', '')");
  const std::vector<Sample> loaded = load();
  ASSERT_EQ(loaded.size(), 4U);
  EXPECT_EQ(loaded[2].memory, late.memory);
  EXPECT_EQ(loaded[3].memory.count, 0U);
  EXPECT_TRUE(said_.empty()) << said_[0];
}

}  // namespace
}  // namespace sluice::history_store_test
