#include "governor/inputs/answer_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "governor/inputs/fields.h"
#include "governor/inputs/writer.h"

namespace sluice::inputs {
namespace {

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;

class Hash {
 public:
  void add(std::uint64_t word) { hash_ = std::rotl((hash_ ^ word) * kFactor, 29); }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    std::uint64_t word = 0;
    for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
      std::memcpy(&word, text.data(), sizeof word);
      add(word);
    }
    if (text.empty()) return;
    word = 0;
    for (std::size_t at = text.size(); at-- > 0;) {  // A call of memcpy takes longer.
      word = word << 8 | static_cast<unsigned char>(text[at]);
    }
    add(word);
  }
  std::uint64_t value() const { return hash_ ^ (hash_ >> 32); }

 private:
  std::uint64_t hash_ = kFactor;
};

/// Whether both have the same bits.
class Same {
 public:
  bool operator()(double a, double b) const {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (Listed<T>) {
      bool same = false;
      fields(a, [&](const auto&... as) {
        fields(b, [&](const auto&... bs) { same = ((*this)(as, bs) && ...); });
      });
      return same;
    } else {
      return a == b;
    }
  }
  template <typename T>
  bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
    return a.has_value() == b.has_value() && (!a || (*this)(*a, *b));
  }
  template <typename T, std::size_t N>
  bool operator()(const std::array<T, N>& a, const std::array<T, N>& b) const {
    for (std::size_t at = 0; at < N; ++at) {
      if (!(*this)(a[at], b[at])) return false;
    }
    return true;
  }
  template <typename T>
  bool operator()(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b) const {
    return a == b || (a && b && (*this)(*a, *b));
  }
};

/// Different predictions seldom share a place.
std::size_t place_of(const Prediction& prediction) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(prediction.cost.value));
  hash.add(prediction.memory ? prediction.memory->mean : -1);
  hash.add(prediction.memory ? prediction.memory->deviation : -1);
  hash.add(static_cast<std::uint64_t>(prediction.duration.value_or(Duration{0}).count()));
  hash.add(prediction.cores.value_or(-1));
  return hash.value() % LastAnswers::kAnswers;
}

}  // namespace

std::uint64_t question_of(const JobRequest& job) {
  Hash hash;
  for (const std::string* text : {&job.key, &job.program, &job.variant, &job.user}) hash.add(*text);
  hash.add(std::uint64_t{job.measured} | std::uint64_t{job.suspendable} << 1 |
           std::uint64_t{job.takes_turns} << 2);
  hash.add(static_cast<std::uint64_t>(job.inventory.value_or(-1)));
  hash.add(static_cast<std::uint64_t>(job.cost ? job.cost->value : -1));
  hash.add(job.memory ? job.memory->value : ~std::uint64_t{0});
  return hash.value();
}

const Prediction* LastAnswers::answer_to(std::uint64_t question) const {
  const Asked& last = asked[question % kQuestions];
  const Known& answer = known[last.place];
  const bool is_known =
      last.version != 0 && last.question == question && answer.version == last.version;
  return is_known ? &answer.prediction : nullptr;
}

void LastAnswers::clear() noexcept {
  std::ranges::fill(known, Known{});
  std::ranges::fill(asked, Asked{});
}

bool AnswerTable::append_if_new(std::string& out, std::uint64_t asked, const JobRequest& job,
                                const Prediction& answer) {
  const std::uint64_t question = question_of(job);
  const Prediction* before = last_.answer_to(question);
  if (before && Same{}(*before, answer)) return false;
  const std::size_t place = place_of(answer);
  LastAnswers::Known& known = last_.known[place];
  const bool is_new = known.version == 0 || !Same{}(known.prediction, answer);
  if (is_new) {
    known.prediction = answer;
    ++known.version;
  }
  last_.last(question) = {question, static_cast<std::uint32_t>(place), known.version};
  Writer write(out);
  write(asked, place, is_new);
  if (is_new) write(answer);
  return true;
}

void RecordedAnswers::begin_call(Reader& reader) {
  changes_.clear();
  next_ = asked_ = 0;
  is_as_recorded_ = true;
  std::uint64_t at = 0;
  while (const auto asked = reader.next<std::uint64_t>()) {
    at += asked;
    const auto place = reader.next<std::uint64_t>();
    const bool is_new = reader.next<bool>();
    if (!reader.good() || place >= last_.known.size()) return;
    changes_.push_back({at, static_cast<std::uint32_t>(place), std::nullopt});
    if (is_new) reader(changes_.back().is_new.emplace());
  }
}

Prediction RecordedAnswers::answer(const JobRequest& job) {
  const std::uint64_t question = question_of(job);
  ++asked_;
  if (next_ < changes_.size() && changes_[next_].at == asked_) {
    auto& [at, place, is_new] = changes_[next_++];
    LastAnswers::Known& known = last_.known[place];
    if (is_new) {
      known.prediction = *std::move(is_new);
      ++known.version;
    }
    last_.last(question) = {question, place, known.version};
  }
  if (const Prediction* answer = last_.answer_to(question)) return *answer;
  is_as_recorded_ = false;
  return {};
}

}  // namespace sluice::inputs
