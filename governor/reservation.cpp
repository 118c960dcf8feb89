#include "governor/reservation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice {
namespace {

double number(Bytes bytes) { return static_cast<double>(bytes.value); }

Bytes bytes(double number) {
  return Bytes{number > 0 ? static_cast<std::uint64_t>(std::llround(number)) : 0};
}

}  // namespace

Reservation::Charge Reservation::charge_of(const MemoryNeed& need, std::optional<Bytes> used) {
  const double held = used ? number(*used) : 0;
  const double surprise = std::max(0.0, held - need.mean);
  const double deviation = std::max(need.deviation, surprise);
  return {std::max(held, need.mean), deviation * deviation, used.has_value()};
}

void Reservation::configure(const ReservationOptions& options) { options_ = options; }

void Reservation::fix(std::optional<Bytes> total) {
  if (!total && !fixed_) return;
  fixed_ = total.has_value();
  levels_.clear();
  if (total) levels_.push_back({{"memory", *total, Bytes{0}}, 0});
}

void Reservation::observe(std::vector<MemoryLimit> limits, double used) {
  if (fixed_ || limits.empty()) return;
  levels_.clear();
  for (MemoryLimit& limit : limits) {
    const double unmeasured_use = std::max(0.0, number(limit.used) - used);
    levels_.push_back({std::move(limit), unmeasured_use});
  }
}

void Reservation::add(const Charge& charge) {
  mean_ += charge.mean;
  variance_ += charge.variance;
  if (!charge.measured) unmeasured_ += charge.mean;
}

void Reservation::remove(const Charge& charge) {
  mean_ -= charge.mean;
  variance_ = std::max(0.0, variance_ - charge.variance);
  if (!charge.measured) unmeasured_ -= charge.mean;
}

double Reservation::margin(double more_variance) const {
  return options_.z * std::sqrt(variance_ + more_variance);
}

double Reservation::promised(const Level& level) const {
  return fixed_ ? number(level.seen.limit) : (1 - options_.reserve) * number(level.seen.limit);
}

/// What unmeasured jobs use is in there too; it is charged already as far as memory is kept for
/// them.
double Reservation::others(const Level& level) const {
  return std::max(0.0, level.unmeasured_use - unmeasured_);
}

const Reservation::Level& Reservation::tightest() const {
  return *std::min_element(levels_.begin(), levels_.end(), [&](const Level& a, const Level& b) {
    return promised(a) - others(a) < promised(b) - others(b);
  });
}

std::optional<Reservation::Standing> Reservation::standing(const MemoryNeed& need) const {
  if (levels_.empty()) return std::nullopt;
  const Level& level = tightest();
  const double margin_now = margin(0);
  return Standing{need.mean + margin(need.deviation * need.deviation) - margin_now,
                  promised(level) - others(level) - mean_ - margin_now, promised(level)};
}

std::optional<MemoryStatus> Reservation::status() const {
  if (levels_.empty()) return std::nullopt;
  const Level& level = tightest();
  MemoryStatus status;
  status.where = level.seen.where;
  status.limit = level.seen.limit;
  status.used = level.seen.used;
  status.promised = bytes(promised(level));
  status.others = bytes(others(level));
  status.kept = bytes(mean_);
  status.margin = bytes(margin(0));
  return status;
}

}  // namespace sluice
