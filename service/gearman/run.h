#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "base/log.h"
#include "process/child/output_pipe.h"
#include "process/command_jobs.h"
#include "service/gearman/connection.h"
#include "service/gearman/payload.h"
#include "sluice/governor.h"

namespace sluice::gearman {

/// Something that happens to a fetched job that the governor knows: it may wait, it starts, it
/// ends.
struct JobEvent {
  enum class What { waits, starts, ends };
  What what;
  JobId number;
  const Job& job;
  const JobRequest& request;
  Points cost;                              ///< When it starts.
  const Prediction* expected = nullptr;     ///< Likewise.
  const CommandJobs::Ended* end = nullptr;  ///< When it ends; null if it did not run.
};

/// Everything needed to run jobs of Gearman servers.
struct Tools {
  boost::asio::io_context& context;
  Governor& governor;
  CommandJobs& commands;
  Log log;
  /// Environment variables that tell a job which items it holds.
  std::function<std::map<std::string, std::string>(const Permit&)> environment;
  /// May be empty. Called on the io_context's thread.
  std::function<void(const JobEvent&)> on_event;
};

/// One job of a Gearman server, from its hand-over until the server knows how it ended: waits for
/// admission, runs the command, forwards its output, and reports its end. If the server is lost,
/// the job is ended, because another worker gets it. A job that cannot start here for now goes back
/// to the server. Use it on the io_context's thread.
class Run : public std::enable_shared_from_this<Run> {
 public:
  struct Work {
    Job job;
    std::shared_ptr<Connection> connection;
    std::vector<std::string> command;  ///< As configured.
    PayloadOrder order;
    std::optional<std::set<std::string>> inherited;  ///< As in `Command`.
  };

  /// `over` is called once, from the io_context, as the last action.
  Run(Tools tools, Work work, std::function<void()> over);

  /// Whether the payload describes needs of the job.
  bool tells() const { return work_.order.tells; }

  /// Whether it waits for its admission.
  bool waits() const { return pending_.has_value(); }

  /// Whether it went back to the server because it could not start here.
  bool was_given_back() const { return was_given_back_; }

  /// Runs it without asking the governor.
  void start_ungoverned() { start(Permit()); }
  /// Runs it on the permit that was reserved for it.
  void start(Permit permit);
  /// Submits what it needs to the governor; the reserved permit is then returned.
  void queue(Permit reserved);
  /// Reports to the server that it failed, and why.
  void refuse(const std::string& why);
  /// Ends it and then hangs up, so that the server gives it to another worker; logs `why`. Does
  /// nothing if it neither waits nor runs.
  void withdraw(const std::string& why);
  /// Hangs up at once without calling `over`.
  void abandon();

 private:
  void admitted(Admission admission);
  void give_back(const std::string& why);
  void heard(const Session::Event& event);
  void lost(const std::string& reason);
  void end_for_another();
  std::optional<Command> prepare(const Permit& permit);
  OutputPipe::Want pass_on(const std::string& bytes, OutputPipe& pipe);
  void ended(const CommandJobs::Ended& ended);
  void tell_end(const CommandJobs::Ended& ended);
  void finish();
  void say(LogLevel level, const std::string& text) const;
  void report_event(JobEvent::What what, const CommandJobs::Ended* end = nullptr);
  Connection::Handlers handlers();

  Tools tools_;
  Work work_;
  std::function<void()> over_;
  OutputPipe output_, error_;
  Descriptor input_;
  JobId number_;  ///< The governor's; 0 if it does not know the job.
  Points cost_;
  bool is_reported_ = false;  ///< It waits or runs, for `on_event`.
  std::optional<JobId> pending_;
  std::optional<pid_t> running_;
  bool lost_ = false;
  bool was_given_back_ = false;
};

}  // namespace sluice::gearman
