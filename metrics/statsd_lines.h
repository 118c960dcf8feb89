#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/status.h"

namespace sluice {

/// `raw` as one part of a statsd name: everything but letters, digits, '_' and '-' becomes '_',
/// for the rest separates names, values, types or tags somewhere.
std::string statsd_part(std::string_view raw);

/// The prefix of all names with its dot, or nothing; see `StatsdOptions::prefix`.
std::string statsd_prefix(std::string_view prefix, std::string_view host);

/// Collects lines and packs them into datagrams. Names are given without the common base.
class StatsdLines {
 public:
  /// `base` is put in front of every name as it is.
  explicit StatsdLines(std::string base) : base_(std::move(base)) {}

  void gauge(std::string_view name, double value);
  void gauge(std::string_view name, Points value);

  /// What `now` has more than `previous`; all of `now` if it has less, for then it was restarted.
  void counter(std::string_view name, std::uint64_t now, std::uint64_t previous);

  std::vector<std::string> take() &&;

 private:
  void append(std::string_view lines);

  std::string base_;
  std::vector<std::string> datagrams_;
};

/// The lines of each set of names, without the prefix.
void append_sluice_lines(StatsdLines& lines, const Status& now, const Status& previous);
void append_zuul_lines(StatsdLines& lines, const Status& now, const Status& previous);

}  // namespace sluice
