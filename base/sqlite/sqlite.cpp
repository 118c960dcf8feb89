#include "base/sqlite/sqlite.h"

#include <sqlite3.h>

#include "base/target.h"

namespace sluice {
namespace {

[[noreturn]] void fail(sqlite3* database, int code) {
  throw SqliteError(code, database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
}

void check(sqlite3* database, int code) {
  if (code != SQLITE_OK) fail(database, code);
}

}  // namespace

bool SqliteError::is_broken() const {
  return (code_ & 0xff) == SQLITE_NOTADB || (code_ & 0xff) == SQLITE_CORRUPT;
}

SqliteStatement::SqliteStatement(sqlite3* database, std::string_view text) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  check(database, sqlite3_prepare_v2(database, text.data(), static_cast<int>(text.size()),
                                     &statement, nullptr));
  statement_.reset(statement);
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteStatement& SqliteStatement::bind(int place, std::int64_t value) {
  check(database_, sqlite3_bind_int64(statement_.get(), place, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int place, double value) {
  check(database_, sqlite3_bind_double(statement_.get(), place, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int place, std::string_view value) {
  check(database_, sqlite3_bind_text(statement_.get(), place, value.data(),
                                     static_cast<int>(value.size()), SQLITE_TRANSIENT));
  return *this;
}

void SqliteStatement::run() {
  while (next()) {
  }
}

bool SqliteStatement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) fail(database_, code);
  return false;
}

std::int64_t SqliteStatement::whole(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double SqliteStatement::number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string SqliteStatement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (!text) return "";
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

SqliteDatabase::SqliteDatabase(const std::string& path, int busy_milliseconds) {
  open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  check(database_.get(), sqlite3_busy_timeout(database_.get(), busy_milliseconds));
}

SqliteDatabase::SqliteDatabase(const std::string& path, Access access) {
  constexpr int kReaderMilliseconds = 100;
  // An index that is read-only is not recovered, and the last to close does not write the log back.
  const char* const how = access == Access::unchanging ? "immutable=1" : "readonly_shm=1";
  open("file:" + percent_encode(path) + "?mode=ro&" + how, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  check(database_.get(), sqlite3_busy_timeout(database_.get(), kReaderMilliseconds));
}

void SqliteDatabase::open(const std::string& place, int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(place.c_str(), &database, flags, nullptr);
  database_.reset(database);
  check(database, code);
  sqlite3_extended_result_codes(database, 1);
}

void SqliteDatabase::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

void SqliteDatabase::run(const char* text) {
  check(database_.get(), sqlite3_exec(database_.get(), text, nullptr, nullptr, nullptr));
}

int SqliteDatabase::user_version() {
  SqliteStatement statement = prepare("PRAGMA user_version");
  statement.next();
  return static_cast<int>(statement.whole(0));
}

std::int64_t SqliteDatabase::last_row() const { return sqlite3_last_insert_rowid(database_.get()); }

int SqliteDatabase::changed_rows() const { return sqlite3_changes(database_.get()); }

SqliteTransaction::SqliteTransaction(SqliteDatabase& database) : database_(&database) {
  database.run("BEGIN IMMEDIATE");
}

SqliteTransaction::~SqliteTransaction() {
  if (!database_) return;
  try {
    database_->run("ROLLBACK");
  } catch (const SqliteError&) {  // SQLite has already rolled back.
  }
}

void SqliteTransaction::commit() {
  database_->run("COMMIT");
  database_ = nullptr;
}

}  // namespace sluice
