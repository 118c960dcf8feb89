#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace sluice {

/// SQLite said no.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}

  /// The file is not a database, or not one any more.
  bool is_broken() const;
  /// Somebody else has had it for longer than the timeout.
  bool is_busy() const;

 private:
  int code_;
};

/// One prepared statement; reset by `run` and when `next` finds no more rows.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* database, std::string_view text);

  SqliteStatement& bind(int place, std::int64_t value);  ///< Places count from 1.
  SqliteStatement& bind(int place, double value);
  SqliteStatement& bind(int place, std::string_view value);

  void run();   ///< To its end; rows are ignored.
  bool next();  ///< False after the last row.

  std::int64_t whole(int column) const;  ///< Columns count from 0.
  double number(int column) const;
  std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open database. Everything throws SqliteError.
class SqliteDatabase {
 public:
  explicit SqliteDatabase(const std::string& path, int busy_milliseconds);

  /// Reads a file that nobody changes meanwhile, on a disk that takes nothing more.
  enum class Access { unchanging };
  SqliteDatabase(const std::string& path, Access);

  SqliteStatement prepare(std::string_view text) { return {database_.get(), text}; }
  void run(const char* text);  ///< One statement or several.
  int user_version();
  std::int64_t last_row() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

/// All of what is done to a database until `commit`, or nothing of it.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteDatabase& database);
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction();  ///< Undoes what was not committed.

  void commit();

 private:
  SqliteDatabase* database_;
};

}  // namespace sluice
