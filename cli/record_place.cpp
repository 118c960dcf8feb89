#include "cli/record_place.h"

#include <unistd.h>

#include <boost/json.hpp>
#include <iostream>
#include <stdexcept>
#include <string>
#include <variant>

#include "base/socket_places.h"
#include "cli/ask.h"
#include "cli/settings/config_from.h"
#include "cli/terminal/terminal.h"
#include "client/answer_fields.h"
#include "client/client.h"

namespace sluice::cli {
namespace {

/// Says why another record than the daemon's is read.
void say(const std::string& why) {
  std::cerr << "sluice: " << harmless(why) << ": reading the state folder of this user instead; "
            << "--state-dir names another\n";
}

struct DaemonRecord {
  std::string folder;   ///< Empty if it has none.
  std::string failing;  ///< Why it cannot record now; empty if it can.
};

/// Throws what is wrong.
DaemonRecord record_of(Client& client) {
  const boost::json::object status = ask(client, "GET", "/v1/status");
  const boost::json::object* record = object_at(status, "record");
  if (!record) return {};
  return {text_at(*record, "path"), text_at(*record, "failing")};
}

}  // namespace

void ask_for_record(RecordPlace& place) {
  if (!place.state_dir.empty()) return;
  const Config config = config_from(place.config);
  if (config.governing.state_dir) return;
  const std::string& socket = place.socket.empty() ? config.service.socket : place.socket;
  auto reached = Client::reach(socket);
  if (const auto* problem = std::get_if<NotReached>(&reached)) {
    if (!problem->is_gone || is_socket_named(socket)) say(problem->message);
    return;
  }
  auto& client = std::get<Client>(reached);
  const std::string daemon = "the daemon at " + client.place();
  try {
    const auto [folder, failing] = record_of(client);
    if (folder.empty()) return say(daemon + " records nothing");
    // A relative path would be one of the daemon's own folder.
    const bool is_readable = folder.starts_with('/') && access(folder.c_str(), R_OK | X_OK) == 0;
    if (!is_readable) return say("this user cannot read " + folder + ", the record of " + daemon);
    place.record = folder;
    if (!failing.empty()) {
      std::cerr << "sluice: " << harmless(daemon + " does not record now: " + failing) << "\n";
    }
  } catch (const std::runtime_error& problem) {
    say(daemon + " does not say where its record is: " + problem.what());
  }
}

}  // namespace sluice::cli
