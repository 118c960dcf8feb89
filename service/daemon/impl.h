#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "costmodel/history.h"
#include "process/child/process_watch.h"
#include "service/access/access.h"
#include "service/api/routes.h"
#include "service/api/timeline.h"
#include "service/daemon/daemon.h"
#include "service/daemon/decision_record.h"
#include "service/daemon/descriptor_shares.h"
#include "service/daemon/executor_watch.h"
#include "service/daemon/jobserver_watch.h"
#include "service/daemon/kept_memory_count.h"
#include "service/daemon/memory_release.h"
#include "service/daemon/record_reader.h"
#include "service/daemon/registration_log.h"
#include "service/daemon/sd_notify.h"
#include "service/daemon/shadow.h"
#include "service/daemon/statsd_timer.h"
#include "service/daemon/stop_drain.h"
#include "service/gearman/work_sources.h"
#include "service/http/socket_claim.h"
#include "service/jobs/faults.h"
#include "service/jobs/lease_trees.h"
#include "service/jobs/memory_reserve.h"
#include "service/jobs/oom_groups.h"
#include "sluice/units.h"

namespace sluice {

/// The parts of a daemon and how they connect. daemon.cpp runs it; impl.cpp applies a
/// changed configuration or executor, takes over the jobs of the daemon before it and ends it.
/// Everything except `stop` runs on one thread.
class Daemon::Impl {
 public:
  Impl(ServeOptions options, Log log);
  void run();
  void stop() {
    boost::asio::post(context_, [this] { stop_now("asked to"); });
  }

  DaemonFacts facts;

 private:
  GovernorEvents events();
  void log_registration(const std::optional<std::string>& line) const;
  Routes::Callbacks callbacks();
  bool is_jqm_compatible(std::string_view manager) const;
  http::Handlers handlers();
  void run_contained();
  void wait_for_signal();
  void heed(int signal);
  void tick();
  void poll_all();
  void begin_reading(JobId job, pid_t process);
  void read_leases();
  void give_back_memory();
  void end_if_idle();
  void feed_watchdog(Duration period);
  /// Sets the timer for the next deadline, but not before `earliest`.
  void arm_deadline(TimePoint earliest = {});
  void terminate();
  void check_drain();
  void stop_now(const std::string& why);
  void await_clients(TimePoint until);
  ReloadResult reload();
  ReloadResult refuse_reload(const std::vector<ConfigError>& errors);
  /// The other configuration as its file is now; null if there is none.
  Shadow::Loaded load_shadow() const;
  /// Throws CannotServe.
  void begin_shadow();
  void renew_shadow();
  void compare_shadow();
  std::variant<ExecutorLimits, ApiError> attach(const http::Peer& peer,
                                                const std::vector<SentDirectory>& directories,
                                                http::ReceivedDescriptors& descriptors);
  std::optional<std::string> judge_executor(std::shared_ptr<const ExecutorGroup> before);
  std::optional<std::string> size_for_executor();
  void take_back_jobs();
  PartFacts parts() const;
  void learn_with(std::shared_ptr<History> history, const Options& options);
  MemoryMeter watched_memory(ReservationOptions::Brake brake) const;
  std::variant<Config, std::vector<ConfigError>> load();
  std::variant<Access, AccessProblem> access_by(const ServiceOptions& options) const;
  void warn_of_network() const;
  std::string metrics(const Status& status, std::vector<ClientRequests> requests) const;

  const ServeOptions options_;
  const DescriptorShares shares_;
  const Log log_;
  MemoryReserve reserve_;
  Faults faults_{log_};  ///< Contains exceptions of everything on this thread.
  const ServiceManager manager_ = ServiceManager::from_environment();
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_{context_, SIGTERM, SIGINT, SIGHUP};
  boost::asio::steady_timer tick_timer_{context_};
  boost::asio::steady_timer watchdog_timer_{context_};
  boost::asio::steady_timer deadline_timer_{context_};
  boost::asio::steady_timer lease_timer_{context_};
  boost::asio::steady_timer shadow_timer_{context_};
  std::optional<TimePoint> armed_for_;
  // Sockets first, then the governor, because it registers for work at once.
  http::SocketClaim claim_;
  const std::string listen_;
  const std::optional<int> tcp_;                         ///< Owned by the server once constructed.
  const std::unique_ptr<gearman::WorkSources> sources_;  ///< Created before any other thread.
  ProcessWatch processes_;
  LeaseTrees trees_;
  bool reads_leases_ = false;  ///< The timer is set.
  OomGroups oom_groups_;
  std::shared_ptr<History> history_;  ///< Null if nothing is learned.
  ExecutorWatch executor_;
  Options governing_;  ///< In force.
  bool has_settings_;  ///< Whether the file in force has settings.
  DecisionRecord record_;
  std::optional<RecordReader> record_reader_;  ///< nullopt if there is no record.
  KeptMemoryCount kept_memory_;
  std::unique_ptr<Governor> governor_;
  std::unique_ptr<Shadow> shadow_;  ///< Null without one.
  Timeline timeline_;
  RegistrationLog registration_log_;
  jobserver::Server jobserver_;
  JobserverWatch jobserver_watch_;
  Routes routes_;
  http::Server server_;
  StatsdTimer statsd_;
  std::map<std::string, ResourceOptions> resources_;  ///< Of the configuration in force.
  Jobs::Restart restart_;
  std::uint64_t suspensions_ = 0;  ///< Of jobs whose holders obey the brake.
  MemoryRelease memory_release_;
  TimePoint last_used_ = Clock::now();  ///< When there was last a job or a client.
  Duration drain_on_stop_;              ///< Of the configuration in force.
  std::optional<StopDrain> drain_;      ///< Set once it was told to end.
  bool stopping_ = false;
};

}  // namespace sluice
