#include "service/gearman/worker.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/host_identity.h"
#include "base/mapped.h"
#include "base/suggest.h"
#include "metrics/host_port.h"
#include "service/protocol/api_error.h"
#include "service/protocol/work_source_user.h"

namespace sluice::gearman {
namespace {

/// Most ungoverned jobs, over all servers.
constexpr std::size_t kMostConstant = 8;

/// Delay after the governor refused even to queue a reservation, or a job could not start.
constexpr Duration kRetry = std::chrono::seconds(1);

std::string with_host(std::string name, const std::string& host) {
  constexpr std::string_view kHost = "{host}";
  for (std::size_t at = 0; (at = name.find(kHost, at)) != name.npos; at += host.size()) {
    name.replace(at, kHost.size(), host);
  }
  return name;
}

const Service* service_named(const std::vector<Service>& services, const std::string& name) {
  const auto found = std::ranges::find(services, name, &Service::name);
  return found == services.end() ? nullptr : &*found;
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

/// Servers learn no timeouts: gearmand gives a job that exceeds one to another worker, while it
/// still runs here. The timeout is enforced here instead, where the job can be ended.
std::vector<std::string> names_of(const std::vector<Service>& services) {
  return mapped(services, &Service::name);
}

}  // namespace

std::vector<Service> governed_services(const GearmanOptions& options, const std::string& host) {
  std::vector<Service> services;
  for (const auto& [function, command] : options.functions) {
    const std::string name = with_host(function, host);
    if (!options.zone.empty()) services.push_back({name + ":" + options.zone, name, command});
    if (options.zone.empty() || options.unzoned) services.push_back({name, name, command});
  }
  return services;
}

std::vector<Service> constant_services(const GearmanOptions& options, const std::string& host) {
  std::vector<Service> services;
  for (const auto& [function, command] : options.always) {
    const std::string name = with_host(function, host);
    services.push_back({name, name, command});
  }
  return services;
}

std::optional<std::set<std::string>> inherited_variables(const GearmanOptions& options) {
  std::set<std::string> names(options.environment.begin(), options.environment.end());
  if (names.contains("*")) return std::nullopt;
  return names;
}

Worker::Worker(boost::asio::io_context& context, GearmanOptions options, Log log)
    : context_(context),
      options_(std::move(options)),
      log_(std::move(log)),
      governed_(governed_services(options_, this_host_name())),
      constant_(constant_services(options_, this_host_name())),
      user_(std::string(kGearmanUser) + join_words(options_.servers, ",")) {
  for (const auto* services : {&governed_, &constant_}) {
    for (const Service& service : *services) {
      if (service.name.size() <= kMostName) continue;
      throw std::invalid_argument("work_sources: the function " + service.name +
                                  " has a name of more than 512 bytes");
    }
  }
}

void Worker::start(Tools tools) {
  tools_.emplace(std::move(tools));
  servers_.resize(options_.servers.size());
  for (std::size_t i = 0; i < options_.servers.size(); ++i) connect(i, options_.servers[i]);
}

Address Worker::address_of(const std::string& address) const {
  const auto parts = parse_host_port(address).value_or(HostPort{address, "4730"});
  return {parts.host, parts.port, "sluice-" + this_host_name() + "-" + std::to_string(getpid()),
          options_.most_payload.value};
}

void Worker::connect(std::size_t server, const std::string& address) {
  Server& made = servers_[server];
  made.retry = std::make_unique<boost::asio::steady_timer>(context_);
  made.rest = std::make_unique<boost::asio::steady_timer>(context_);
  const auto link = [&](Link::Handlers handlers) {
    return std::make_unique<Link>(context_, address_of(address), random_seed(),
                                  std::move(handlers));
  };
  if (!governed_.empty()) {
    made.governed =
        link({[this, server] { reserve(server); }, [this, server] { drop_slot(server); },
              std::bind_front(&Worker::take_governed, this, server), log_});
    made.governed->start();
  }
  if (!constant_.empty()) {
    // Only one of the two links logs about the server.
    const Log log = governed_.empty() ? log_ : [](LogLevel, std::string_view) {};
    made.constant = link({[this, server] { grab_constant(server); }, [] {},
                          std::bind_front(&Worker::take_constant, this, server), log});
    offer_constant(server);
    made.constant->start();
  }
}

void Worker::register_for_work() {
  boost::asio::post(context_, [self = shared_from_this()] {
    self->registered_ = true;
    self->offer_governed();
  });
}

void Worker::deregister(std::string_view) {
  boost::asio::post(context_, [self = shared_from_this()] {
    self->registered_ = false;
    self->offer_governed();
  });
}

void Worker::offer_governed() {
  if (stopped_) return;
  for (std::size_t i = 0; i < servers_.size(); ++i) offer_governed(i);
}

void Worker::offer_governed(std::size_t server) {
  const auto& link = servers_[server].governed;
  if (!link) return;
  const bool is_open = registered_ && !draining_ && !servers_[server].rests;
  if (is_open) return link->offer(names_of(governed_));
  // Often the reservation itself filled the window. It is used: the functions are withdrawn once
  // its grab is answered.
  Slot& slot = servers_[server].slot;
  const bool is_asked = slot.state == Slot::State::asked;
  if (is_asked && !tools_->governor.cancel(slot.id)) return;
  if (is_asked) slot = {};
  link->offer({});
}

JobRequest Worker::request_for(const Service& service) const {
  JobRequest request;
  request.user = user_;
  request.key = service.key;
  request.program = std::filesystem::path(service.command.front()).filename().string();
  request.measured = true;
  request.suspendable = true;
  return request;
}

void Worker::reserve(std::size_t server) {
  Slot& slot = servers_[server].slot;
  if (stopped_ || draining_ || !registered_ || slot.state != Slot::State::none) return;
  const auto result = tools_->governor.submit(
      request_for(governed_.front()),
      [self = shared_from_this(), server](JobId id, Admission admission) {
        boost::asio::post(self->context_,
                          [self, server, id, admission = std::move(admission)]() mutable {
                            self->reserved(server, id, std::move(admission));
                          });
      });
  const Queued* queued = std::get_if<Queued>(&result);
  if (!queued || queued->deduplicated) return reserve_later(server);
  slot.state = Slot::State::asked;
  slot.id = queued->id;
}

void Worker::reserve_later(std::size_t server) {
  servers_[server].retry->expires_after(kRetry);
  servers_[server].retry->async_wait(
      [self = shared_from_this(), server](boost::system::error_code error) {
        if (!error) self->reserve(server);
      });
}

void Worker::reserved(std::size_t server, JobId id, Admission admission) {
  if (server >= servers_.size()) return;
  Slot& slot = servers_[server].slot;
  Permit* permit = std::get_if<Permit>(&admission);
  const bool is_wanted = slot.state == Slot::State::asked && slot.id == id;
  if (is_wanted) slot = {};
  if (permit && is_wanted && servers_[server].governed->grab()) {
    slot.state = Slot::State::held;
    slot.permit = std::move(*permit);
  } else if (permit) {
    permit->release(Outcome::cancelled);
  } else if (is_wanted) {
    reserve_later(server);
  }
  if (!stopped_) offer_governed(server);
}

/// Takes nothing from this server for a second, in which this host may recover from its shortage.
void Worker::rest(std::size_t server) {
  Server& resting = servers_[server];
  if (stopped_ || std::exchange(resting.rests, true)) return;
  offer_constant(server);
  offer_governed(server);
  resting.rest->expires_after(kRetry);
  resting.rest->async_wait([self = shared_from_this(), server](boost::system::error_code error) {
    if (error || self->stopped_) return;
    self->servers_[server].rests = false;
    self->offer_constant(server);
    self->offer_governed(server);
  });
}

void Worker::drop_slot(std::size_t server) {
  Slot slot = std::exchange(servers_[server].slot, Slot{});
  if (slot.state == Slot::State::asked) tools_->governor.cancel(slot.id);
  slot.permit.release(Outcome::cancelled);
}

void Worker::offer_constant(std::size_t server) {
  const auto& link = servers_[server].constant;
  if (!link) return;
  const bool is_open = !draining_ && !servers_[server].rests;
  link->offer(is_open ? names_of(constant_) : std::vector<std::string>());
}

void Worker::grab_constant(std::size_t server) {
  if (draining_) return;
  servers_[server].constant_waits = constant_jobs_ >= kMostConstant;
  if (!servers_[server].constant_waits) servers_[server].constant->grab();
}

std::optional<std::string> Worker::read_order(const Job& job, const Service& service,
                                              PayloadOrder& order) const {
  const auto trust = options_.trust_payload ? PayloadTrust::commands : PayloadTrust::data;
  order.request = request_for(service);
  if (job.cut > 0) {
    return "its payload is " + std::to_string(job.payload.size() + job.cut) +
           " bytes, more than the " + std::to_string(options_.most_payload.value) +
           " of work_sources.most_payload";
  }
  auto read = read_payload(job.payload, order.request, trust);
  if (auto* problem = std::get_if<std::string>(&read)) return "its payload: " + *problem;
  order = std::move(std::get<PayloadOrder>(read));
  if (!order.timeout) order.timeout = options_.timeout;
  return std::nullopt;
}

std::shared_ptr<Run> Worker::make_run(std::size_t server, Job job, const Service& service,
                                      std::shared_ptr<Connection> connection,
                                      std::function<void()> over) {
  PayloadOrder order;
  const auto problem = read_order(job, service, order);
  Run::Work work{std::move(job), std::move(connection), service.command, std::move(order),
                 inherited_variables(options_)};
  auto weak = std::make_shared<std::weak_ptr<Run>>();
  auto run = std::make_shared<Run>(*tools_, std::move(work), [this, server, weak, over] {
    const auto ended = weak->lock();
    runs_.erase(ended);
    ++servers_[server].ended;
    if (ended->was_given_back()) rest(server);
    over();
  });
  *weak = run;
  runs_.insert(run);
  ++servers_[server].taken;
  if (!problem) return run;
  run->refuse(*problem);
  return nullptr;
}

void Worker::take_governed(std::size_t server, Job job, std::shared_ptr<Connection> connection) {
  Permit permit = std::exchange(servers_[server].slot, Slot{}).permit;
  const Service& service = *service_named(governed_, job.function);
  const bool as_reserved = service.key == governed_.front().key;
  const auto run = make_run(server, std::move(job), service, std::move(connection), [] {});
  if (!run) return permit.release(Outcome::cancelled);
  if (as_reserved && !run->tells()) return run->start(std::move(permit));
  run->queue(std::move(permit));
}

void Worker::take_constant(std::size_t server, Job job, std::shared_ptr<Connection> connection) {
  const Service& service = *service_named(constant_, job.function);
  ++constant_jobs_;
  const auto run = make_run(server, std::move(job), service, std::move(connection), [this] {
    --constant_jobs_;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (!stopped_ && servers_[i].constant_waits) grab_constant(i);
    }
  });
  if (run) run->start_ungoverned();
}

std::vector<WorkSourceFacts> Worker::facts() const {
  std::vector<WorkSourceFacts> all;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const Server& server = servers_[i];
    const Link* link = server.governed ? server.governed.get() : server.constant.get();
    WorkSourceFacts& facts = all.emplace_back();
    facts.kind = "gearman";
    facts.server = options_.servers[i];
    facts.connected = link && link->is_connected();
    if (link) facts.problem = link->problem();
    for (const auto* services : {&governed_, &constant_}) {
      if (draining_ || (services == &governed_ && !registered_)) continue;
      for (const Service& service : *services) facts.offered.push_back(service.name);
    }
    facts.jobs = server.taken - server.ended;
    facts.taken = server.taken;
  }
  return all;
}

void Worker::drain() {
  draining_ = true;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    offer_governed(i);
    offer_constant(i);
  }
  for (const auto& run : std::set(runs_)) {
    if (run->waits()) run->withdraw("the daemon takes no more work");
  }
}

void Worker::stop() {
  stopped_ = true;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i].governed) servers_[i].governed->stop();
    if (servers_[i].constant) servers_[i].constant->stop();
    servers_[i].retry->cancel();
    servers_[i].rest->cancel();
    drop_slot(i);
  }
  // Withdrawing a run may remove it from the set.
  for (const auto& run : std::set(runs_)) run->withdraw(kStopping);
}

void Worker::hang_up() {
  for (const auto& run : std::exchange(runs_, {})) run->abandon();
  servers_.clear();
}

}  // namespace sluice::gearman
