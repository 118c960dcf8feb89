#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/process_table.h"
#include "service/access/access.h"
#include "service/http/http.h"
#include "service/protocol/api_error.h"

namespace sluice {

/// Role of the client that asks.
enum class Role {
  stranger,  ///< Came over the Unix socket but may not use it.
  reader,    ///< Came over TCP without the token.
  user,      ///< Came over the Unix socket and may use it.
  trusted,   ///< Is root or the daemon's user, or came over TCP with the token.
};

/// The kind of action requested.
enum class Action {
  read,     ///< Jobs, status, metrics, health.
  submit,   ///< A job.
  modify,   ///< End, change, renew or report for a job.
  operate,  ///< Pause, resume, drain, reload: affects everybody's jobs.
};

enum class Permission { no, own, yes };

/// The permission of each role for each action. `own`: only if the same user submitted the job.
inline constexpr std::array<std::array<Permission, 4>, 4> kPermissions{{
    // read     submit    modify      operate
    {{Permission::no, Permission::no, Permission::no, Permission::no}},      // stranger
    {{Permission::yes, Permission::no, Permission::no, Permission::no}},     // reader
    {{Permission::yes, Permission::yes, Permission::own, Permission::no}},   // user
    {{Permission::yes, Permission::yes, Permission::yes, Permission::yes}},  // trusted
}};

constexpr Permission may(Role who, Action what) {
  return kPermissions[static_cast<std::size_t>(who)][static_cast<std::size_t>(what)];
}

/// The asking client, as far as permissions depend on it.
struct Asker {
  enum class Token { none, wrong, right };

  std::optional<uid_t> user;  ///< nullopt if unknown, as over TCP.
  Role standing = Role::stranger;
  Token token = Token::none;  ///< The token shown over TCP; the Unix socket needs none.
};

/// The user that submitted a job; nullopt if it came over TCP, so that only trusted clients may
/// modify it.
using JobOwner = std::optional<uid_t>;

// Everything below is pure. The `refuse` functions return the answer, which says what to do
// instead.

Asker asker_of(const http::Peer& peer, std::string_view authorization, const Access& access);

/// Whether the user may do everything without a token.
bool is_trusted(std::optional<uid_t> user, uid_t daemon_user);

/// The user under which a job's runs are learned, see `JobRequest::user`.
std::string learned_as(JobOwner owner, uid_t daemon_user);

/// Whether the asker may modify a job of this owner.
bool may_modify(const Asker& asker, JobOwner owner);

/// Why the asker may not do this with any job; nullopt if it may, at least with its own. `op` is
/// the route's name: "pause_queue".
std::optional<ApiError> refuse(const Asker& asker, Action act, std::string_view op,
                               const Access& access);

/// Why the asker may not modify this job; nullopt if it may.
std::optional<ApiError> refuse_job(const Asker& asker, std::string_view name, JobOwner owner);

/// Why the asker may not tie a lease to this process, whose descendants would be measured and
/// suspended for its jobs. `peer`: the process that opened the connection.
std::optional<ApiError> refuse_process(const Asker& asker, pid_t process,
                                       std::optional<ProcessUsers> users, pid_t peer);

}  // namespace sluice
