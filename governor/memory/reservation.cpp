#include "governor/memory/reservation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice {
namespace {

double number(Bytes bytes) { return static_cast<double>(bytes.value); }

Bytes bytes(double number) {
  return Bytes{number > 0 ? static_cast<std::uint64_t>(std::llround(number)) : 0};
}

constexpr double kGrown = 1.05;
constexpr double kNoise = 8 << 20;
constexpr Duration kSettled = std::chrono::seconds(4);
constexpr Duration kSettledIdle = std::chrono::seconds(1);
constexpr int kIdle = 10;  ///< An idle job used at most 1/kIdle of its active time.
constexpr double kSmall = 0.01;
constexpr double kOnProbation = 0.25;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// No job is limited to less: its page cache and its shell count too.
constexpr double kLeastLimit = 64 << 20;

Duration active_time(const JobUsage& usage) {
  return std::max(Duration{0}, usage.wall - usage.cpu_delay);
}

}  // namespace

MemoryUse MemoryUse::first(const JobUsage& usage, TimePoint now) {
  const Duration active = active_time(usage);
  const bool is_measured = usage.source != JobUsage::Source::reported;
  return {.held = usage.memory,
          .peak = usage.memory,
          .grew_at = now,
          .active = active,
          .active_at_growth = active,
          .cpu = usage.cpu,
          .cpu_at_growth = usage.cpu,
          .is_measured = is_measured,
          .progress = unimpeded(usage.wall, usage.cpu, usage.cpu_delay),
          .wall = usage.wall,
          .delay = usage.cpu_delay};
}

MemoryUse MemoryUse::part(double fraction) const {
  MemoryUse use = *this;
  use.held = bytes(number(held) * fraction);
  use.peak = bytes(number(peak) * fraction);
  return use;
}

void MemoryUse::see(const JobUsage& usage, TimePoint now) {
  // A measurement and a report are not comparable.
  if (is_measured != (usage.source != JobUsage::Source::reported)) *this = first(usage, now);
  const Duration span = std::max(Duration{0}, usage.wall - wall);
  progress += unimpeded(span, std::max(Duration{0}, usage.cpu - cpu),
                        std::max(Duration{0}, usage.cpu_delay - delay));
  wall = usage.wall;
  delay = usage.cpu_delay;
  held = usage.memory;
  active = active_time(usage);
  cpu = usage.cpu;
  if (number(held) <= std::max(number(peak) * kGrown, number(peak) + kNoise)) return;
  peak = held;
  grew_at = now;
  active_at_growth = active;
  cpu_at_growth = cpu;
}

bool MemoryUse::has_settled(TimePoint now) const {
  if (active <= Duration{0}) return now - grew_at >= kSettled;
  const Duration since = active - active_at_growth;
  const bool is_idle = (cpu - cpu_at_growth) * kIdle <= since;
  return since >= (is_idle ? kSettledIdle : kSettled);
}

MemoryNeed need_while_running(const Prediction& expected, const std::optional<MemoryUse>& use,
                              TimePoint now) {
  const MemoryNeed need = expected.memory.value_or(MemoryNeed{});
  const bool settled = use && !vouches(expected.rung) && use->has_settled(now);
  if (!settled) return need;
  const MemoryNeed shown{number(use->peak), number(use->peak) / 4};
  if (use->is_measured) return shown;
  return {std::min(need.mean, shown.mean), std::min(need.deviation, shown.deviation)};
}

Bytes reserved_peak(const ReservationOptions& options, const MemoryNeed& need) {
  return bytes(expected_peak(options.z, need).bytes);
}

EnforcedLimits enforced_limits(const ReservationOptions& options, const Prediction& expected) {
  using Enforce = ReservationOptions::Enforce;
  const bool is_known = expected.memory && vouches(expected.rung);
  if (options.enforce == Enforce::off || !is_known) return {};
  const double most = expected.memory->mean + options.z * expected.memory->deviation;
  const Bytes limit = bytes(std::max(most, kLeastLimit));
  return options.enforce == Enforce::high ? EnforcedLimits{limit, {}} : EnforcedLimits{{}, limit};
}

Reservation::Charge Reservation::charge_of(const MemoryNeed& need,
                                           const std::optional<MemoryUse>& use) {
  const double held = use ? number(use->held) : 0;
  const bool is_measured = use && use->is_measured;
  const double surprise = is_measured ? std::max(0.0, held - need.mean) : 0;
  const double deviation = std::max(need.deviation, surprise);
  const double mean = std::max(held, need.mean);
  // A job that holds more than it ever did may go on.
  const double beyond = held > need.most ? kUnbounded : need.most - mean;
  return {.mean = mean, .variance = deviation * deviation, .beyond = beyond};
}

void Reservation::set_declared_total(std::optional<Bytes> total) {
  if (!total && !declared_only_) return;
  declared_only_ = total.has_value();
  levels_.clear();
  if (total) levels_.push_back({{"memory", *total, Bytes{0}}, 0});
}

void Reservation::observe(std::vector<MemoryLimit> limits, double used) {
  if (declared_only_ || limits.empty()) return;
  levels_.clear();
  for (MemoryLimit& limit : limits) {
    const double unmeasured_use = std::max(0.0, number(limit.used) - used);
    levels_.push_back({std::move(limit), unmeasured_use});
  }
}

void Reservation::take_over(std::vector<ReservationLevel> levels, const ReservationSums& sums) {
  levels_ = std::move(levels);
  sums_ = sums;
}

double Reservation::believed_part(double reported) const {
  if (levels_.empty()) return 0;
  double most = levels_.front().unmeasured_use;
  for (const ReservationLevel& level : levels_) most = std::min(most, level.unmeasured_use);
  return reported > most ? most / reported : 1;
}

std::optional<Bytes> Reservation::machine() const {
  if (declared_only_ || levels_.empty()) return std::nullopt;
  Bytes most;
  for (const ReservationLevel& level : levels_) most = std::max(most, level.seen.limit);
  return most;
}

void Reservation::add(const Charge& charge) {
  sums_.mean += charge.mean;
  sums_.variance += charge.variance;
  count_beyond(charge, 1);
  if (charge.among_others) sums_.among_others += charge.mean;
}

void Reservation::remove(const Charge& charge) {
  sums_.mean -= charge.mean;
  sums_.variance = std::max(0.0, sums_.variance - charge.variance);
  count_beyond(charge, -1);
  if (charge.among_others) sums_.among_others -= charge.mean;
}

void Reservation::count_beyond(const Charge& charge, int by) {
  if (charge.beyond < kUnbounded) {
    sums_.beyond = std::max(0.0, sums_.beyond + by * charge.beyond);
  } else if (charge.variance > 0) {
    sums_.without_most += by;
  }
}

double Reservation::margin(double more_variance, double more_beyond) const {
  const double deviations = options_.z * std::sqrt(sums_.variance + more_variance);
  return sums_.without_most > 0 ? deviations : std::min(deviations, sums_.beyond + more_beyond);
}

double Reservation::promised(const ReservationLevel& level) const {
  return declared_only_ ? number(level.seen.limit)
                        : (1 - options_.reserve) * number(level.seen.limit);
}

/// A reading includes the use of jobs that are not measured, for which memory is reserved already.
/// That of jobs admitted since is not in it: what the others use is not taken for theirs.
double Reservation::others(const ReservationLevel& level) const {
  return std::max(0.0, level.unmeasured_use - sums_.among_others);
}

const ReservationLevel& Reservation::tightest() const {
  return *std::ranges::min_element(
      levels_, {}, [&](const ReservationLevel& each) { return promised(each) - others(each); });
}

std::optional<Reservation::Standing> Reservation::standing(const MemoryNeed& need) const {
  if (levels_.empty()) return std::nullopt;
  const ReservationLevel& level = tightest();
  const double margin_now = margin();
  const double variance = need.deviation * need.deviation;
  const double beyond = variance > 0 ? need.most - need.mean : 0;
  return Standing{need.mean + margin(variance, beyond) - margin_now,
                  promised(level) - others(level) - sums_.mean - margin_now, promised(level)};
}

std::optional<Reservation::Standing> Reservation::standing_on_probation(
    const MemoryNeed& need) const {
  auto result = standing({need.mean * kOnProbation, 0});
  if (!result || need.mean > kSmall * result->total) return result;
  return Standing{need.mean, result->free + margin(), result->total};
}

std::optional<Reservation::Standing> Reservation::standing_beside(const Charge& running,
                                                                  const MemoryNeed& need) const {
  if (levels_.empty()) return std::nullopt;
  const ReservationLevel& level = tightest();
  const double variance = running.variance + need.deviation * need.deviation;
  const double beyond = running.beyond + std::max(0.0, need.most - need.mean);
  const double margin = std::min(options_.z * std::sqrt(variance), beyond);
  return Standing{need.mean, promised(level) - others(level) - running.mean - margin,
                  promised(level)};
}

std::optional<MemoryStatus> Reservation::status() const {
  if (levels_.empty()) return std::nullopt;
  const ReservationLevel& level = tightest();
  MemoryStatus status;
  status.where = level.seen.where;
  status.limit = level.seen.limit;
  status.used = level.seen.used;
  status.promised = bytes(promised(level));
  status.others = bytes(others(level));
  status.kept = bytes(sums_.mean);
  status.margin = bytes(margin());
  return status;
}

}  // namespace sluice
