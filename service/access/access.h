#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "service/access/bearer_token.h"
#include "service/options.h"

namespace sluice {

/// The users that a daemon admits: its configuration, with names resolved on this host.
struct Access {
  uid_t daemon_user = 0;             ///< May do everything, like root.
  std::vector<uid_t> users;          ///< May use the Unix socket,
  std::vector<gid_t> groups;         ///< and so may members of these groups.
  std::optional<BearerToken> token;  ///< nullopt if clients over TCP may change nothing.
  std::string socket;                ///< Where errors direct clients that may not act over TCP.
};

/// The problem with one option of the configuration.
struct AccessProblem {
  std::string option;   ///< "service.allow_uids"
  std::string message;  ///< Names the option.
};

/// The socket's group: `service.group`, or else this process's.
std::variant<gid_t, AccessProblem> socket_group(const ServiceOptions& options);

/// Resolves the users and groups and reads the token. `group` is the socket's, `socket` its path.
std::variant<Access, AccessProblem> read_access(const ServiceOptions& options, gid_t group,
                                                std::string socket);

/// All problems that `socket_group` and `read_access` would find, in the order of the options.
std::vector<AccessProblem> access_problems(const ServiceOptions& options);

}  // namespace sluice
