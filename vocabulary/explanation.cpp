#include "sluice/explanation.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "vocabulary/phrases.h"

namespace sluice {
namespace {

/// Lists name this many jobs and count the rest.
constexpr std::size_t kMostNamed = 8;

class Writer {
 public:
  Writer(const Explanation& explanation, TimePoint now, const JobNames& names)
      : explanation_(explanation), view_(explanation.job), now_(now), names_(names) {}

  std::vector<std::string> pending() && {
    lines_.push_back("waits: " + (view_.refusal ? to_sentence(*view_.refusal, names_)
                                                : "for the next pass, which may start it"));
    for (std::size_t i = 1; i < explanation_.blockers.size(); ++i) {
      lines_.push_back("and: " + to_sentence(explanation_.blockers[i], names_));
    }
    if (view_.frozen && !is_refused_for(RefusalCode::frozen)) lines_.push_back("frozen by hand");
    add_place();
    add_weight();
    add_resources();
    add_conflicts();
    return std::move(lines_);
  }

  std::vector<std::string> running() && {
    const TimePoint since = view_.admitted.value_or(view_.arrived);
    lines_.push_back("has run for " + duration(now_ - since) + ", holds " + in_points(view_.cost));
    for (const HeldItems& held : view_.items) {
      lines_.push_back("holds from " + held.manager + ": " + join_words(held.items));
    }
    add_resources();
    return std::move(lines_);
  }

 private:
  static std::string duration(Duration span) { return duration_text(span, Precision::seconds); }

  /// At most four decimals, without trailing zeros except the first.
  static std::string decimal(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.4f", value);
    std::string result = text.data();
    while (result.ends_with("0") && !result.ends_with(".0")) result.pop_back();
    return result;
  }

  std::string job(JobId id) const { return job_text(id, names_); }

  bool is_refused_for(RefusalCode code) const {
    return view_.refusal && view_.refusal->code == code;
  }

  void add_place() {
    std::string line = "place " + std::to_string(view_.place);
    if (!view_.request.queue.empty()) line += " in queue " + view_.request.queue;
    lines_.push_back(line + ", priority " + std::to_string(view_.request.priority.value_or(0)) +
                     ", " + in_points(view_.cost) + ", has waited " +
                     duration(now_ - view_.arrived));
  }

  void add_weight() {
    if (explanation_.levels.empty()) {
      lines_.push_back("contention is off: its queue is ordered by priority and arrival only");
      return;
    }
    lines_.push_back("weight " + decimal(explanation_.weight) + age_text());
    std::size_t widest = std::string_view("base").size();
    for (const LevelWeight& level : explanation_.levels) {
      widest = std::max(widest, level.level.size());
    }
    const auto row = [&](std::string name, int value, const std::string& cause) {
      name.resize(widest, ' ');
      lines_.push_back("  " + name + "  " + in_tenths(value) + cause);
    };
    row("base", explanation_.base_tenths, "");
    if (has_global_lock()) {
      lines_.push_back("  " + global_lock_text());
      return;
    }
    for (const LevelWeight& level : explanation_.levels) {
      row(level.level, level.tenths, level.by.value ? "  against " + job(level.by) : "");
    }
  }

  /// " = sum 7.3 x (1 - age 4/30), lightest first; 0 in 12 min 55 s"
  std::string age_text() const {
    const std::string sum = "sum " + in_tenths(explanation_.spv_tenths);
    if (!explanation_.aging_ticks) return " = " + sum + ", lightest first; jobs do not age";
    const std::int64_t most = *explanation_.aging_ticks;
    if (explanation_.age_ticks >= most) return ": " + sum + ", but its age is saturated";
    std::string text = " = " + sum + " x (1 - age " + std::to_string(explanation_.age_ticks) + "/" +
                       std::to_string(most) + "), lightest first";
    if (explanation_.saturates) text += "; 0 in " + duration(*explanation_.saturates - now_);
    return text;
  }

  bool has_global_lock() const {
    return view_.request.global_lock || explanation_.global_lock_by.value != 0;
  }

  std::string global_lock_text() const {
    const JobId by = explanation_.global_lock_by;
    const int added = explanation_.spv_tenths - explanation_.base_tenths;
    const std::string value = "global lock  " + in_tenths(std::max(added, 0));
    if (!view_.request.global_lock) return value + "  held by " + job(by);
    return value + (by.value ? "  wanted, while " + job(by) + " runs" : "  wanted");
  }

  void add_resources() {
    for (const NeededResource& need : explanation_.resources) {
      const std::string held = view_.state == JobState::running ? "holds " : "needs ";
      const std::string free = need.free < 0
                                   ? std::to_string(need.total - need.free) + " in use of "
                                   : std::to_string(need.free) + " free of ";
      lines_.push_back(held + std::to_string(need.needs) + " of " + need.manager + ", " + free +
                       std::to_string(need.total) + (need.is_short ? ": short" : ""));
    }
  }

  void add_conflicts() {
    const std::vector<JobId>& conflicts = explanation_.certain_conflicts;
    if (conflicts.empty()) return;
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(conflicts.size(), kMostNamed); ++i) {
      named.push_back(job(conflicts[i]));
    }
    std::string line = "would certainly block on " + join_words(named);
    if (conflicts.size() > named.size()) {
      line += " and " + std::to_string(conflicts.size() - named.size()) + " more";
    }
    lines_.push_back(line);
  }

  const Explanation& explanation_;
  const JobView& view_;
  const TimePoint now_;
  const JobNames& names_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> to_lines(const Explanation& explanation, TimePoint now,
                                  const JobNames& names) {
  Writer writer(explanation, now, names);
  if (explanation.job.state == JobState::running) return std::move(writer).running();
  return std::move(writer).pending();
}

}  // namespace sluice
