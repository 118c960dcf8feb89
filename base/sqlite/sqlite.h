#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace sluice {

/// An error from SQLite.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}

  /// The file is not a database, or no longer one.
  bool is_broken() const;

 private:
  int code_;
};

/// One prepared statement; reset by `run`, and by `next` after the last row.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* database, std::string_view text);

  SqliteStatement& bind(int place, std::int64_t value);  ///< Places count from 1.
  SqliteStatement& bind(int place, double value);
  SqliteStatement& bind(int place, std::string_view value);

  void run();   ///< Runs to completion; ignores rows.
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

  /// Reads a file. `unchanging`: that nobody changes meanwhile; works on a full disk. `watched`: to
  /// which another process may be writing; changes nothing, and fails unless it has a log and its
  /// index (-wal, -shm).
  enum class Access { unchanging, watched };
  SqliteDatabase(const std::string& path, Access);

  SqliteStatement prepare(std::string_view text) { return {database_.get(), text}; }
  void run(const char* text);  ///< One statement or several.
  int user_version();
  std::int64_t last_row() const;
  /// By the last INSERT, UPDATE or DELETE.
  int changed_rows() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  /// `place`: a path or a URI.
  void open(const std::string& place, int flags);

  std::unique_ptr<sqlite3, Close> database_;
};

/// Makes all changes to a database until `commit` atomic.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteDatabase& database);
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction();  ///< Rolls back unless committed.

  void commit();

 private:
  SqliteDatabase* database_;
};

}  // namespace sluice
