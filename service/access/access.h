#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "service/access/bearer_token.h"
#include "service/options.h"

namespace sluice {

/// Who may use a daemon: what its configuration says, looked up on this host.
struct Access {
  uid_t daemon_user = 0;             ///< May do all, as root may.
  std::vector<uid_t> users;          ///< May use the Unix socket,
  std::vector<gid_t> groups;         ///< and so may members of these.
  std::optional<BearerToken> token;  ///< None: over TCP nothing can be changed.
  std::string socket;                ///< Where who may not over TCP is sent.
};

/// What is wrong with one option of the configuration.
struct AccessProblem {
  std::string option;   ///< "service.allow_uids"
  std::string message;  ///< Names it.
};

/// The group that the socket is to have: `service.group`, else this process's.
std::variant<gid_t, AccessProblem> socket_group(const ServiceOptions& options);

/// Looks up the users and groups and reads the token. `group` is the socket's, `socket` its path.
std::variant<Access, AccessProblem> read_access(const ServiceOptions& options, gid_t group,
                                                std::string socket);

/// All that `socket_group` and `read_access` would refuse, in the order of the options.
std::vector<AccessProblem> access_problems(const ServiceOptions& options);

}  // namespace sluice
