#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "record/entry.h"

// Entries as bytes: a type, the time since the entry before it, the length of the fields, the
// fields. Numbers are varints (base/varint.h); text has its length before it; times are in
// microseconds.

namespace sluice::record {

constexpr std::int64_t micros(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

/// Appends an entry that follows one at `before`.
void append_entry(std::string& out, TimePoint before, TimePoint at, const Entry& entry);

/// An entry of a type that a newer Sluice writes.
struct UnknownEntry {};
/// Not an entry.
struct BadEntry {};

/// Removes an entry from the front of `rest` and moves `at` from the entry before it to its time.
std::variant<Entry, UnknownEntry, BadEntry> cut_entry(std::string_view& rest, TimePoint& at);

}  // namespace sluice::record
