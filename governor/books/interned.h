#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace sluice {

/// Maps values to numbers: equal values share a number, which stays theirs until `forget` was
/// called as often as `learn` and `add_use`. Number 0 is the default value and needs neither.
template <typename Value>
class Interned {
 public:
  Interned() { entries_.push_back({numbers_.emplace(Value{}, 0).first, 1}); }
  Interned(const Interned&) = delete;
  Interned& operator=(const Interned&) = delete;
  Interned(Interned&&) = default;
  Interned& operator=(Interned&&) = default;

  std::uint32_t learn(Value value) {
    const auto [found, is_new] = numbers_.emplace(std::move(value), next());
    if (!is_new) {
      add_use(found->second);
      return found->second;
    }
    if (free_.empty()) {
      entries_.push_back({found, 1});
    } else {
      free_.pop_back();
      entries_[found->second] = {found, 1};
    }
    return found->second;
  }

  /// Adds a use: one more `forget` is due.
  void add_use(std::uint32_t number) {
    if (number != 0) ++entries_[number].uses;
  }

  /// True if that was the last use: the number may be reused from now on.
  bool forget(std::uint32_t number) {
    if (number == 0 || --entries_[number].uses > 0) return false;
    numbers_.erase(entries_[number].value);
    free_.push_back(number);
    return true;
  }

  const Value& operator[](std::uint32_t number) const { return entries_[number].value->first; }

 private:
  using Numbers = std::map<Value, std::uint32_t>;
  struct Entry {
    typename Numbers::iterator value;
    std::uint64_t uses = 0;
  };

  std::uint32_t next() const {
    return free_.empty() ? static_cast<std::uint32_t>(entries_.size()) : free_.back();
  }

  Numbers numbers_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace sluice
