#include "service/access/permission.h"

#include <algorithm>

#include "base/suggest.h"

namespace sluice {
namespace {

constexpr uid_t kRoot = 0;

template <typename Id>
bool contains(const std::vector<Id>& ids, Id id) {
  return std::ranges::find(ids, id) != ids.end();
}

bool is_let_in(const http::Peer& peer, const Access& access) {
  if (!peer.user) return false;
  if (contains(access.users, *peer.user)) return true;
  return std::ranges::any_of(peer.groups, [&](gid_t id) { return contains(access.groups, id); });
}

std::string name_of(std::optional<uid_t> user) {
  return user ? "user " + std::to_string(*user) : "an unknown user";
}

/// "root and the daemon's user (990)"
std::string the_trusted(const Access& access) {
  if (access.daemon_user == kRoot) return "root";
  return "root and the daemon's user (" + std::to_string(access.daemon_user) + ")";
}

ApiError not_let_in(const Asker& asker) {
  return {403, "not_allowed",
          name_of(asker.user) +
              " may not use this daemon: add the user to `service.allow_uids`, or its group to "
              "`service.allow_gids`, and reload"};
}

ApiError read_only(const Asker& asker, const Access& access) {
  if (!access.token) {
    return {403, "unix_socket_only",
            "TCP access is read-only: use the Unix socket " + access.socket +
                ", or configure `service.token_file`"};
  }
  if (asker.token == Asker::Token::wrong) {
    return {401, "token_wrong",
            "the token does not match `service.token_file` as last loaded: send the current token, "
            "or reload"};
  }
  return {401, "token_missing",
          "this request needs the token over TCP: send `Authorization: Bearer TOKEN`, or use the "
          "Unix socket " +
              access.socket};
}

ApiError for_the_trusted(const Asker& asker, std::string_view op, const Access& access) {
  std::string what(op);
  std::replace(what.begin(), what.end(), '_', ' ');
  return {403, "not_yours_to_operate",
          name_of(asker.user) + " may not " + what + ", which affects all users' jobs: only " +
              the_trusted(access) + " may; use sudo, or ask an administrator"};
}

}  // namespace

bool is_trusted(std::optional<uid_t> user, uid_t daemon_user) {
  return user && (*user == kRoot || *user == daemon_user);
}

std::string learned_as(JobOwner owner, uid_t daemon_user) {
  if (!owner) return "tcp";
  return is_trusted(owner, daemon_user) ? "" : std::to_string(*owner);
}

Asker asker_of(const http::Peer& peer, std::string_view authorization, const Access& access) {
  Asker asker{peer.user, Role::stranger, Asker::Token::none};
  if (peer.transport == http::Transport::unix_socket) {
    if (is_let_in(peer, access)) asker.standing = Role::user;
    if (is_trusted(peer.user, access.daemon_user)) asker.standing = Role::trusted;
    return asker;
  }
  asker.standing = Role::reader;
  if (authorization.empty()) return asker;
  const bool right = access.token && access.token->is_in(authorization);
  asker.token = right ? Asker::Token::right : Asker::Token::wrong;
  if (right) asker.standing = Role::trusted;
  return asker;
}

bool may_modify(const Asker& asker, JobOwner owner) {
  const Permission verdict = may(asker.standing, Action::modify);
  return verdict == Permission::yes || (verdict == Permission::own && owner && owner == asker.user);
}

std::optional<ApiError> refuse(const Asker& asker, Action act, std::string_view op,
                               const Access& access) {
  if (may(asker.standing, act) != Permission::no) return std::nullopt;
  switch (asker.standing) {
    case Role::stranger:
      return not_let_in(asker);
    case Role::reader:
      return read_only(asker, access);
    default:
      return for_the_trusted(asker, op, access);
  }
}

std::optional<ApiError> refuse_job(const Asker& asker, std::string_view name, JobOwner owner) {
  if (may_modify(asker, owner)) return std::nullopt;
  const std::string whose = owner ? "belongs to user " + std::to_string(*owner) +
                                        ": only that user, root and the daemon's user may do this"
                                  : "came over TCP: only root and the daemon's user may do this";
  return ApiError{403, "not_your_job", "job " + quote_text(name) + " " + whose};
}

std::optional<ApiError> refuse_process(const Asker& asker, pid_t process,
                                       std::optional<ProcessUsers> users, pid_t peer) {
  if (asker.standing == Role::trusted) return std::nullopt;
  const std::string number = std::to_string(process);
  // A daemon that cannot see a process's owner cannot harm the process either.
  if (!users && process == peer) return std::nullopt;
  if (!users) {
    return ApiError{400, "no_process",
                    "there is no process " + number + ", or its owner cannot be read", "pid"};
  }
  // Credentials date from the start of the connection, when the effective user counted.
  if (users->real == asker.user) return std::nullopt;
  if (process == peer && users->effective == asker.user) return std::nullopt;
  return ApiError{403, "not_your_process",
                  "process " + number + " belongs to user " + std::to_string(users->real) +
                      ": use a process of your own, or \"peer\"",
                  "pid"};
}

}  // namespace sluice
