#include "service/daemon/host_check.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "base/socket_places.h"
#include "service/access/access.h"
#include "service/gearman/work_sources.h"
#include "service/http/tcp_listen.h"
#include "sluice/embed.h"

namespace sluice {
namespace {
namespace fs = std::filesystem;

class Check {
 public:
  explicit Check(const Config& config) : config_(config) {}

  std::vector<ConfigError> errors() && {
    for (const AccessProblem& problem : access_problems(config_.service)) {
      add(problem.option, problem.message);
    }
    check_socket();
    check_listen();
    if (const auto problem = gearman::WorkSources::problem_of(config_.work_sources)) {
      add("work_sources", *problem);
    }
    check_state();
    check_enforce();
    check_sensors();
    return std::move(errors_);
  }

 private:
  void add(const std::string& option, const std::string& message) {
    const auto given = config_.given.find(option);
    const ConfigPosition at = given == config_.given.end() ? ConfigPosition{} : given->second;
    errors_.push_back({config_.file, at.line, at.column, message});
  }

  void check_socket() {
    const std::string& path = config_.service.socket;
    if (path.empty()) return;
    if (!unix_address(path)) {
      return add("service.socket", "service.socket: " + path + " is too long for a socket path");
    }
    std::error_code ignored;
    const fs::path folder = fs::absolute(path).parent_path();
    if (!fs::is_directory(folder, ignored)) {
      add("service.socket", "service.socket: no such folder: " + folder.string() + "; create it");
    } else if (fs::exists(path, ignored) && !fs::is_socket(path, ignored)) {
      add("service.socket", "service.socket: " + path + " exists but is not a socket");
    }
  }

  void check_listen() {
    const std::string& address = config_.service.listen;
    if (address.empty()) return;
    if (const auto problem = http::problem_of_address(address)) {
      add("service.listen", "service.listen: " + *problem);
    }
  }

  /// The first existing part of the path must be a folder: the rest will be created.
  void check_state() {
    if (!config_.governing.state_dir) return;
    std::error_code ignored;
    fs::path part = fs::absolute(*config_.governing.state_dir);
    while (!fs::exists(part, ignored) && part.has_relative_path()) part = part.parent_path();
    if (fs::is_directory(part, ignored)) return;
    add("state_dir", "state_dir: " + part.string() + " is not a folder");
  }

  void check_enforce() {
    const EnforceVerdict verdict = enforce_verdict(config_);
    if (!verdict.refusal.empty()) add("memory.enforce", verdict.refusal);
  }

  void check_sensors() {
    Options options = config_.governing;
    // Leave the history out: it would be created, and this writes nothing.
    options.state_dir.reset();
    options.cost.model = CostOptions::Model::formula;
    try {
      assemble(options);
    } catch (const std::exception& problem) {
      add("", problem.what());
    }
  }

  const Config& config_;
  std::vector<ConfigError> errors_;
};

}  // namespace

EnforceVerdict enforce_verdict(const Config& config) {
  const bool has_sources = !config.work_sources.empty();
  return judge_enforce_here(config.governing.reservation.enforce,
                            has_sources ? JobsRunBy::itself : JobsRunBy::clients);
}

std::vector<ConfigError> host_errors(const Config& config) { return Check(config).errors(); }

}  // namespace sluice
