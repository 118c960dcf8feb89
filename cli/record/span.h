#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "record/folder.h"

namespace sluice::cli {

/// A part of the time of a record, borders included.
struct Span {
  record::WallTime from = record::WallTime::min(), to = record::WallTime::max();
  bool operator==(const Span&) const = default;
};

/// The span that --from and --to name, in the forms of `moment_of`; an empty text is no border.
/// Printed times are cut to milliseconds, so `to` includes the whole of its millisecond. Else a
/// sentence that says why they name no span, for example that --from is after --to.
std::variant<Span, std::string> span_between(const std::string& from, const std::string& to,
                                             record::WallTime now);

/// Where an entry lies to what is asked for, in the order of the record.
enum class Side { before, within, after };

/// The part of a record that a span names: from the first entry of that time to the last one, with
/// all between them. A clock that is set back passes times again, and an entry between may have a
/// time outside the span.
class RecordPart {
 public:
  explicit RecordPart(const Span& span);

  /// For each entry, at a first reading. Without one, a span without borders has every entry.
  void find(const record::Dated& dated);
  /// For each entry, at the next reading: where it lies.
  Side next();
  /// Why the record in `path` has nothing of the span, in a sentence with the times between which
  /// it reaches; nullopt if it reaches into the span, and for a span without borders.
  std::optional<std::string> problem(const std::string& path) const;

 private:
  Span span_;
  std::optional<Span> reach_;  ///< By the wall clock.
  /// By their places in the record: the first entry of the part, and the one after its last.
  std::size_t begin_ = 0, end_ = std::numeric_limits<std::size_t>::max();
  std::size_t found_ = 0, told_ = 0;
  bool has_begun_ = false;
};

/// The span that the options name now. Throws std::runtime_error, with a line for the user, if they
/// name none.
Span span_asked_for(const std::string& from, const std::string& to);

/// Calls `each` for every entry of the record, in their order, and prints what is wrong with its
/// segments. Throws std::runtime_error, with a line for the user, if it has nothing of the span.
void read_part(const record::RecordFolder& folder, const Span& span,
               const std::function<void(const record::Dated&, Side)>& each);

}  // namespace sluice::cli
