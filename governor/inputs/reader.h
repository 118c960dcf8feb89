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
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/varint.h"
#include "governor/inputs/listed.h"
#include "sluice/units.h"

namespace sluice::inputs {

/// Removes values from the front of bytes, whatever these are.
class Reader {
 public:
  /// Owns the text of every `string_view` read; must outlive the reader and those views.
  using Names = std::set<std::string, std::less<>>;

  Reader(std::string_view bytes, Names& names) : rest_(bytes), names_(names) {}
  void operator()(auto&... values) { (get(values), ...); }
  template <typename T>
  T next() {
    T value{};
    get(value);
    return value;
  }

  /// Whether every value read so far was complete and valid.
  bool good() const { return good_; }
  std::string_view rest() const { return rest_; }

 private:
  void get(bool& truth) { truth = byte() != 0; }
  template <std::unsigned_integral T>
  void get(T& value) {
    value = static_cast<T>(number());
  }
  template <std::signed_integral T>
  void get(T& value) {
    value = static_cast<T>(from_zigzag(number()));
  }
  void get(double& value) {
    good_ = good_ && rest_.size() >= sizeof value;
    if (!good_) return;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  template <typename T>
  requires std::is_enum_v<T>
  void get(T& value) { value = static_cast<T>(number()); }
  void get(std::string_view& text) {
    const std::string_view read = bytes();
    if (good_) text = *names_.emplace(read).first;
  }
  void get(std::string& text) {
    const std::string_view read = bytes();
    if (good_) text = read;
  }
  void get(Duration& duration) { duration = Duration(next<std::int64_t>()); }
  void get(TimePoint& at) { at = TimePoint(next<Duration>()); }
  template <typename T>
  void get(std::optional<T>& maybe) {
    maybe.reset();
    if (next<bool>()) get(maybe.emplace(T{}));
  }
  template <typename T>
  void get(std::shared_ptr<const T>& maybe) {
    if (next<bool>()) maybe = std::make_shared<const T>(next<T>());
  }
  template <Sequence T>
  void get(T& list) {
    list.clear();
    for (std::uint64_t left = number(); left > 0 && good_; --left) {
      good_ = !rest_.empty();
      if (good_) get(list.emplace_back());
    }
  }
  template <typename T, std::size_t N>
  void get(std::array<T, N>& list) {
    for (T& each : list) get(each);
  }
  template <typename Key, typename T>
  void get(std::map<Key, T>& map) {
    map.clear();
    for (std::uint64_t left = number(); left > 0 && good_; --left) {
      good_ = !rest_.empty();
      if (!good_) return;
      Key key = next<Key>();
      get(map[std::move(key)]);
    }
  }
  template <typename... Ts>
  void get(std::variant<Ts...>& either) {
    const std::uint64_t index = number();
    std::uint64_t at = 0;
    bool is_found = false;
    ((at++ == index ? void((is_found = true, get(either.template emplace<Ts>()))) : void()), ...);
    good_ = good_ && is_found;
  }
  template <Listed T>
  void get(T& value) {
    fields(value, *this);
  }

  /// As many as the number in front of them says.
  std::string_view bytes() {
    const std::uint64_t size = number();
    good_ = good_ && size <= rest_.size();
    const std::string_view read = rest_.substr(0, good_ ? size : 0);
    rest_.remove_prefix(read.size());
    return read;
  }
  unsigned char byte() {
    good_ = good_ && !rest_.empty();
    if (!good_) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  std::uint64_t number() {
    const auto number = good_ ? cut_varint(rest_) : std::nullopt;
    good_ = number.has_value();
    return number.value_or(0);
  }

  std::string_view rest_;
  Names& names_;
  bool good_ = true;
};

}  // namespace sluice::inputs
