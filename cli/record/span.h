#pragma once

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

/// From when until when a record reaches, by the wall clock, which may have been set back.
class Reach {
 public:
  void add(const record::Dated& dated);
  /// nullopt without entries.
  const std::optional<Span>& span() const { return span_; }

 private:
  std::optional<Span> span_;
};

/// Why the record in `path` has nothing of the span, in a sentence with the times between which it
/// reaches; nullopt if it reaches into the span, and for a span without borders.
std::optional<std::string> nothing_of(const Span& span, const std::string& path,
                                      const Reach& reach);

/// The span that the options name now. Throws std::runtime_error, with a line for the user, if they
/// name none.
Span span_asked_for(const std::string& from, const std::string& to);

/// Throws std::runtime_error, with a line for the user, if the record has nothing of the span.
void require_part(const Span& span, const record::RecordFolder& folder, const Reach& reach);

}  // namespace sluice::cli
