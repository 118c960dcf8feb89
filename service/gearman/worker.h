#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/service_facts.h"
#include "service/gearman/link.h"
#include "service/gearman/run.h"
#include "service/options.h"
#include "sluice/work_source.h"

namespace sluice::gearman {

/// A function of a worker, as servers know it.
struct Service {
  std::string name;                  ///< With its zone: "executor:execute:eu-west".
  std::string key;                   ///< For its jobs that give none: without the zone.
  std::vector<std::string> command;  ///< As configured.

  bool operator==(const Service&) const = default;
};

/// The functions offered while this executor accepts work. `{host}` stands for `host`. Pure.
std::vector<Service> governed_services(const GearmanOptions& options, const std::string& host);
/// The functions offered always. Pure.
std::vector<Service> constant_services(const GearmanOptions& options, const std::string& host);

/// Variables of this process's environment that a job inherits; nullopt for all. Pure.
std::optional<std::set<std::string>> inherited_variables(const GearmanOptions& options);

/// A worker of Gearman servers as a source of work. To each server it has one connection that
/// listens for governed jobs, one for jobs that are always accepted, and one per job. It grabs a
/// governed job only when the governor has reserved points for a job of its function. Use
/// everything except the two WorkSource calls on the io_context's thread.
class Worker : public WorkSource, public std::enable_shared_from_this<Worker> {
 public:
  /// Throws std::invalid_argument for a function name that no server accepts.
  Worker(boost::asio::io_context& context, GearmanOptions options, Log log);

  /// Connects. `tools` must outlive `hang_up`.
  void start(Tools tools);
  /// Takes no more jobs; running ones continue, and those that wait for admission go back to their
  /// server.
  void drain();
  /// Takes no more jobs; ends those handed over and gives them back to their server. Complete when
  /// `jobs` is 0.
  void stop();
  /// Hangs up on every server at once. Call it before the io_context or the tools are destroyed.
  void hang_up();

  void register_for_work() override;
  void deregister(std::string_view reason) override;

  /// One entry per server.
  std::vector<WorkSourceFacts> facts() const;

  /// Jobs handed over and not settled yet.
  std::size_t jobs() const { return runs_.size(); }

 private:
  /// The reservation for a job about to be grabbed.
  struct Slot {
    enum class State { none, asked, held };
    State state = State::none;
    JobId id;  ///< While `asked`.
    Permit permit;
  };
  struct Server {
    std::unique_ptr<Link> governed, constant;
    Slot slot;
    std::unique_ptr<boost::asio::steady_timer> retry, rest;
    bool rests = false;
    std::uint64_t taken = 0, ended = 0;  ///< Jobs.
    bool constant_waits = false;         ///< Until fewer of its jobs run.
  };

  void connect(std::size_t server, const std::string& address);
  void offer_governed();
  void offer_governed(std::size_t server);
  void reserve(std::size_t server);
  void reserved(std::size_t server, JobId id, Admission admission);
  void reserve_later(std::size_t server);
  void rest(std::size_t server);
  void drop_slot(std::size_t server);
  void offer_constant(std::size_t server);
  void grab_constant(std::size_t server);
  void take_governed(std::size_t server, Job job, std::shared_ptr<Connection> connection);
  void take_constant(std::size_t server, Job job, std::shared_ptr<Connection> connection);
  std::shared_ptr<Run> make_run(std::size_t server, Job job, const Service& service,
                                std::shared_ptr<Connection> connection, std::function<void()> over);
  std::optional<std::string> read_order(const Job& job, const Service& service,
                                        PayloadOrder& order) const;
  JobRequest request_for(const Service& service) const;
  Address address_of(const std::string& address) const;

  boost::asio::io_context& context_;
  const GearmanOptions options_;
  const Log log_;
  const std::vector<Service> governed_, constant_;
  const std::string user_;  ///< For its jobs, see `JobRequest::user`.
  std::optional<Tools> tools_;
  std::vector<Server> servers_;
  std::set<std::shared_ptr<Run>> runs_;
  std::size_t constant_jobs_ = 0;
  bool registered_ = false;
  bool draining_ = false;
  bool stopped_ = false;
};

}  // namespace sluice::gearman
