#include "record/codec.h"

#include <algorithm>
#include <concepts>

#include "base/varint.h"

namespace sluice::record {
namespace {

/// More than a governor has sensors, or a job locks; a bound for what a damaged file may ask for.
constexpr std::uint64_t kMostItems = 10000;

/// At most what a Duration holds: only damage brings more.
Duration from_micros(std::int64_t count) {
  constexpr std::int64_t kMost = micros(Duration::max());
  return std::chrono::microseconds(std::clamp(count, -kMost, kMost));
}

TimePoint moved(TimePoint from, std::int64_t count) {
  const auto since = static_cast<std::uint64_t>(from.time_since_epoch().count()) +
                     static_cast<std::uint64_t>(from_micros(count).count());
  return TimePoint(Duration(static_cast<std::int64_t>(since)));
}

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}
  void operator()(const auto&... fields) { (write(fields), ...); }

 private:
  /// Also a truth: 0 or 1.
  void write(std::unsigned_integral auto number) { append_varint(out_, number); }
  void write(std::signed_integral auto number) { append_signed_varint(out_, number); }
  void write(const std::string& text) {
    append_varint(out_, text.size());
    out_ += text;
  }
  void write(const Name& name) { write(name.text); }
  void write(JobId job) { append_varint(out_, job.value); }
  void write(Points points) { append_signed_varint(out_, points.value); }
  void write(Bytes bytes) { append_varint(out_, bytes.value); }
  void write(Duration duration) { append_signed_varint(out_, micros(duration)); }
  void write(TimePoint at) { write(at.time_since_epoch()); }
  template <typename T>
  void write(const std::optional<T>& maybe) {
    write(maybe.has_value());
    if (maybe) write(*maybe);
  }
  template <typename A, typename B>
  void write(const std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename T>
  void write(const std::vector<T>& items) {
    append_varint(out_, items.size());
    for (const T& each : items) write(each);
  }
  /// With its length before it: a newer Sluice appends to it.
  template <HasFields T>
  void write(const T& part) {
    std::string fields;
    T::fields(part, FieldWriter(fields));
    write(fields);
  }

  std::string& out_;
};

/// Leaves the defaults of fields that are missing at the end.
class FieldReader {
 public:
  explicit FieldReader(std::string_view rest) : rest_(rest) {}
  void operator()(auto&... fields) { (read(fields), ...); }
  bool good() const { return good_; }

 private:
  std::uint64_t number() {
    const auto number = cut_varint(rest_);
    good_ = good_ && number;
    return number.value_or(0);
  }
  std::int64_t signed_number() {
    const auto number = cut_signed_varint(rest_);
    good_ = good_ && number;
    return number.value_or(0);
  }
  bool ends() const { return rest_.empty() || !good_; }

  template <std::unsigned_integral T>
  void read(T& value) {
    if (!ends()) value = static_cast<T>(number());
  }
  template <std::signed_integral T>
  void read(T& value) {
    if (!ends()) value = static_cast<T>(signed_number());
  }
  void read(std::string& text) {
    if (ends()) return;
    const std::uint64_t size = number();
    good_ = good_ && size <= rest_.size();
    if (!good_) return;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void read(Name& name) { read(name.text); }
  void read(JobId& job) { read(job.value); }
  void read(Points& points) { read(points.value); }
  void read(Bytes& bytes) { read(bytes.value); }
  void read(Duration& duration) {
    if (!ends()) duration = from_micros(signed_number());
  }
  void read(TimePoint& at) {
    if (!ends()) at = TimePoint(from_micros(signed_number()));
  }
  template <typename T>
  void read(std::optional<T>& maybe) {
    bool has_value = false;
    read(has_value);
    if (has_value) read(maybe.emplace());
  }
  template <typename A, typename B>
  void read(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename T>
  void read(std::vector<T>& items) {
    if (ends()) return;
    const std::uint64_t count = number();
    good_ = good_ && count <= kMostItems;
    for (std::uint64_t at = 0; at < count && good_; ++at) {
      good_ = !rest_.empty();
      if (good_) read(items.emplace_back());
    }
  }
  template <HasFields T>
  void read(T& part) {
    std::string fields;
    read(fields);
    FieldReader reader(fields);
    T::fields(part, reader);
    good_ = good_ && reader.good();
  }

  std::string_view rest_;
  bool good_ = true;
};

/// A default entry of each type, by its number less 1.
template <std::size_t... At>
std::optional<Entry> blank(std::uint64_t index, std::index_sequence<At...>) {
  std::optional<Entry> entry;
  ((At == index ? void(entry.emplace(std::in_place_index<At>)) : void()), ...);
  return entry;
}

}  // namespace

void append_entry(std::string& out, TimePoint before, TimePoint at, const Entry& entry) {
  append_varint(out, entry.index() + 1);
  append_signed_varint(out, micros(at.time_since_epoch()) - micros(before.time_since_epoch()));
  // One byte for the length, and more if it takes more.
  const std::size_t length_at = out.size();
  out += '\0';
  std::visit(
      [&](const auto& each) {
        std::remove_cvref_t<decltype(each)>::fields(each, FieldWriter(out));
      },
      entry);
  const std::size_t length = out.size() - length_at - 1;
  if (length < 0x80) {
    out[length_at] = static_cast<char>(length);
    return;
  }
  std::string longer;
  append_varint(longer, length);
  out.replace(length_at, 1, longer);
}

std::variant<Entry, UnknownEntry, BadEntry> cut_entry(std::string_view& rest, TimePoint& at) {
  const auto type = cut_varint(rest);
  const auto passed = cut_signed_varint(rest);
  const auto length = cut_varint(rest);
  if (!type || !passed || !length || *length > rest.size()) return BadEntry{};
  at = moved(at, *passed);
  FieldReader reader(rest.substr(0, *length));
  rest.remove_prefix(*length);
  auto entry = blank(*type - 1, std::make_index_sequence<std::variant_size_v<Entry>>{});
  if (!entry) return UnknownEntry{};
  std::visit([&](auto& each) { std::remove_cvref_t<decltype(each)>::fields(each, reader); },
             *entry);
  if (!reader.good()) return BadEntry{};
  return *std::move(entry);
}

}  // namespace sluice::record
