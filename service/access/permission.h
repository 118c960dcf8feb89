#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/process_users.h"
#include "service/access/access.h"
#include "service/http/http.h"
#include "service/protocol/api_error.h"

namespace sluice {

/// Who asks.
enum class Standing {
  stranger,  ///< Came by the Unix socket and is not let in.
  reader,    ///< Came over TCP, without the token.
  user,      ///< Came by the Unix socket and is let in.
  trusted,   ///< Is root or the daemon's user, or came over TCP with the token.
};

/// What is asked for.
enum class Act {
  read,     ///< Jobs, status, metrics, health.
  submit,   ///< A job.
  tend,     ///< End, change, renew or report for a job.
  operate,  ///< Pause, resume, drain, reload: what concerns everybody's jobs.
};

enum class May { no, own, yes };

/// Who may do what. `own`: where the job was submitted by the same user.
inline constexpr std::array<std::array<May, 4>, 4> kPermissions{{
    // read     submit    tend      operate
    {{May::no, May::no, May::no, May::no}},      // stranger
    {{May::yes, May::no, May::no, May::no}},     // reader
    {{May::yes, May::yes, May::own, May::no}},   // user
    {{May::yes, May::yes, May::yes, May::yes}},  // trusted
}};

constexpr May may(Standing who, Act what) {
  return kPermissions[static_cast<std::size_t>(who)][static_cast<std::size_t>(what)];
}

/// Whoever asks, as far as a permission depends on it.
struct Asker {
  enum class Token { none, wrong, right };

  std::optional<uid_t> user;  ///< None: unknown, as over TCP.
  Standing standing = Standing::stranger;
  Token token = Token::none;  ///< What was shown over TCP; the Unix socket asks for none.
};

/// Whose a job is: the user that submitted it; none: it came over TCP, and is for the trusted
/// alone.
using JobOwner = std::optional<uid_t>;

// All that follows is pure. What refuses gives the answer, which says what to do instead.

Asker asker_of(const Peer& peer, std::string_view authorization, const Access& access);

/// Whether the user is one that may do all, without a token.
bool is_trusted(std::optional<uid_t> user, uid_t daemon_user);

/// Whose runs those of a job count as, see `JobRequest::user`.
std::string learned_as(JobOwner owner, uid_t daemon_user);

/// Whether the asker may do this with a job of this owner.
bool may_tend(const Asker& asker, JobOwner owner);

/// Why the asker may do this with no job at all; none: it may, with its own at least. `op` is the
/// route's name: "pause_queue".
std::optional<ApiError> refuse(const Asker& asker, Act act, std::string_view op,
                               const Access& access);

/// Why the asker may not tend this job.
std::optional<ApiError> refuse_job(const Asker& asker, std::string_view name, JobOwner owner);

/// Why the asker may not have a lease end with this process, below which its jobs would be measured
/// and suspended. `peer`: it is the one that opened the connection.
std::optional<ApiError> refuse_process(const Asker& asker, pid_t process,
                                       std::optional<ProcessUsers> users, pid_t peer);

}  // namespace sluice
