#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/varint.h"
#include "governor/inputs/listed.h"
#include "sluice/units.h"

// Values as bytes, so that what is read equals what was written to the last bit. Numbers are
// varints (base/varint.h); a double is its eight bytes; text and lists have their length before
// them; a struct is its fields in order.

namespace sluice::inputs {

/// Appends values.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  void operator()(const auto&... values) { (put(values), ...); }

 private:
  void put(bool truth) { out_ += truth ? '\1' : '\0'; }
  void put(std::unsigned_integral auto number) { put_number(number); }
  void put(std::signed_integral auto number) { append_signed_varint(out_, number); }
  void put(double number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out_.append(bytes, sizeof bytes);
  }
  template <typename T>
  requires std::is_enum_v<T>
  void put(T value) { put_number(static_cast<std::uint64_t>(value)); }
  void put(std::string_view text) {
    put_number(text.size());
    out_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(Duration duration) { put(duration.count()); }
  void put(TimePoint at) { put(at.time_since_epoch().count()); }
  template <typename T>
  void put(const std::optional<T>& maybe) {
    put(maybe.has_value());
    if (maybe) put(*maybe);
  }
  template <typename T>
  void put(const std::shared_ptr<T>& maybe) {
    put(maybe != nullptr);
    if (maybe) put(*maybe);
  }
  template <Sequence T>
  void put(const T& list) {
    put_number(list.size());
    for (const auto& each : list) put(each);
  }
  template <typename T, std::size_t N>
  void put(const std::array<T, N>& list) {
    for (const T& each : list) put(each);
  }
  template <typename Key, typename T>
  void put(const std::map<Key, T>& map) {
    put_number(map.size());
    for (const auto& [key, value] : map) (*this)(key, value);
  }
  template <typename... Ts>
  void put(const std::variant<Ts...>& either) {
    put_number(either.index());
    std::visit([this](const auto& each) { this->put(each); }, either);
  }
  template <Listed T>
  void put(const T& value) {
    fields(value, *this);
  }

  void put_number(std::uint64_t number) { append_varint(out_, number); }

  std::string& out_;
};

}  // namespace sluice::inputs
