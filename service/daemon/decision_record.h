#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "config/config.h"
#include "metrics/service_facts.h"
#include "record/recorder.h"
#include "service/api/route_callbacks.h"
#include "service/gearman/run.h"
#include "service/jobs/job_record.h"
#include "service/jobs/known_jobs.h"
#include "service/options.h"
#include "sluice/governor.h"

namespace sluice {

/// Tells the record what the daemon decides, and what its decisions depend on. Does nothing if
/// there is no record. Everything is called on the service's thread and nothing throws: an entry
/// that cannot be made becomes part of a gap.
class DecisionRecord {
 public:
  /// The memory kept for a running job, if any is.
  using KeptFor = std::function<std::optional<Bytes>(const JobRecord&)>;
  /// A job as the governor has it; nullopt if it has ended.
  using ViewOf = std::function<std::optional<JobView>(JobId)>;

  /// With more pending jobs, only those that started and ended are recorded, not why each waits.
  static constexpr std::size_t kMostWaits = 20000;

  /// `state_folder`: nullopt for no record.
  DecisionRecord(const RecordOptions& options, const std::optional<std::string>& state_folder,
                 const Log& log);

  /// Of `GovernorEvents::on_call`; empty if calls are not recorded.
  std::function<void(TimePoint at, std::string_view call)> on_call() const;
  /// Begins to write. The state folder exists. `jobs`: those of the daemon before, too, which are
  /// told again.
  void start(const KnownJobs::Records& jobs);
  /// Sets the callbacks about jobs, replacing any set before, and adds itself to `operated`, whose
  /// previous function is still called.
  void add_to_callbacks(RouteCallbacks& callbacks, KeptFor kept_for, ViewOf view_of);

  /// The same for jobs that work sources fetch.
  std::function<void(const gearman::JobEvent&)> on_fetched_job();

  void tell(std::string what, std::string_view detail);
  /// The configuration in force from now on.
  void configure(const Config& config);
  void window(const WindowChange& change);
  void sensor(const SensorStatus& sensor);
  /// Call about once a second: how full the governor is, and why jobs wait. Why a job waits at
  /// first is recorded when it comes, except in a burst. `jobs`: all of the API. At a new segment
  /// and after a gap, all that lives is told again, with the configuration.
  void poll(const Governor& governor, const KnownJobs::Records& jobs);

  void sample(const Status& status);
  /// Records the reasons that are news, for as many jobs as the recorder has room for.
  void waits(const std::vector<JobView>& jobs, TimePoint now);

  std::optional<RecordFacts> facts() const;
  /// Why what is in the folder is not of this daemon; nullopt if it is.
  std::optional<std::string> foreign() const;

 private:
  /// Why a job waited when that was last recorded.
  struct Wait {
    Refusal refusal;
    std::size_t place;
    TimePoint at;
  };

  template <typename Make>
  void record(TimePoint at, Make&& make);
  void submitted(const JobRecord& job);
  void changed(const JobRecord& job, const Change& change);
  void first_wait(JobId job);
  void fetched(const gearman::JobEvent& event);
  void began(const JobRecord& job);
  void over(const JobRecord& job);
  Bytes kept_for(const JobRecord& job) const;
  /// Tells again which jobs wait and run, and `beside_jobs`, and has everything told again that is
  /// recorded only as it changes: readers may have lost it.
  void restate(const KnownJobs::Records& jobs, record::Restated beside_jobs);
  void record_configuration(TimePoint now);
  bool is_news(const JobView& job, TimePoint now) const;

  std::string folder_;
  std::unique_ptr<record::Recorder> recorder_;  ///< Null if there is no record.
  std::shared_ptr<record::Recorder> calls_;     ///< Null unless calls are recorded.
  std::uint64_t room_for_restated_ = 0;         ///< Bytes.
  std::uint64_t breaks_ = 0;  ///< Of the recorder, after which all was told again.
  KeptFor kept_for_;
  ViewOf view_of_;
  std::string configuration_;
  std::set<std::string> paused_queues_;  ///< By the configuration.
  double cpus_ = 0;
  Bytes memory_;                 ///< The limit as of the last poll; 0 if none was read.
  TimePoint configuration_due_;  ///< When to record it again.
  Points size_, usage_;  ///< As last sampled, and as jobs of the API have changed them since.
  std::optional<record::Level> level_;
  std::map<std::string, double> pressures_;  ///< As last recorded.
  std::unordered_map<std::uint64_t, Wait> waits_;
  std::map<JobId, JobRecord> fetched_;  ///< Those that wait or run.
  TimePoint waits_due_, first_wait_due_;
};

}  // namespace sluice
