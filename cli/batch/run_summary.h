#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <vector>

#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice::cli {

/// Collects the figures of a demo or a batch for its final summary.
class RunSummary {
 public:
  explicit RunSummary(TimePoint began) : began_(began), seen_(began), running_since_(began) {}

  /// Takes the governor's current state; charges the time since the last call to the limit seen
  /// then.
  void observe(const Status& status);
  void record_change(const WindowChange& change) { changes_.push_back(change); }
  void note_finished(bool ok, double seconds);
  /// So many jobs run from `now` on.
  void note_running(std::size_t jobs, TimePoint now);
  /// A job that was ended because the batch was.
  void note_stopped() { ++stopped_; }
  /// A failure of which nothing ran: an invalid line of the input, or a refused job.
  void note_failed_unrun(std::string what);
  void note_failure(std::string what) { failures_.push_back(std::move(what)); }

  std::size_t finished() const { return finished_; }
  std::size_t failed() const { return failed_; }
  std::size_t stopped() const { return stopped_; }
  /// Seconds, by how many jobs ran, until the last `note_running`.
  const std::map<std::size_t, double>& at_once() const { return at_once_; }
  /// Seconds, by what the first waiting job waited for.
  const std::map<std::string, double>& waited_for() const { return limits_; }
  /// How often each sensor made the window smaller.
  std::map<std::string, std::size_t> cuts() const;
  double elapsed(TimePoint now) const;
  /// Seconds left at the rate so far; negative while no job has finished.
  double eta(TimePoint now, std::size_t total) const;

  /// For people, and the same as one JSON object. Leaves out the governor (null in JSON) if
  /// `observe` was never called.
  std::string text(std::size_t total, TimePoint now) const;
  boost::json::object object(std::size_t total, TimePoint now) const;

 private:
  /// Usage, window and limits; only valid after `observe`.
  std::string governor_text() const;

  TimePoint began_;
  TimePoint seen_;
  std::string limited_by_;                ///< At the last `observe`.
  std::map<std::string, double> limits_;  ///< Seconds, by what the first waiting job waits for.
  std::map<std::size_t, double> at_once_;
  std::size_t running_ = 0;
  TimePoint running_since_;
  std::vector<WindowChange> changes_;
  std::vector<std::string> failures_;
  std::size_t finished_ = 0;
  std::size_t failed_ = 0;
  std::size_t stopped_ = 0;
  double job_seconds_ = 0;
  Points first_size_, last_size_, least_size_, most_size_, peak_usage_;
  bool observed_ = false;
};

}  // namespace sluice::cli
