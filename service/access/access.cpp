#include "service/access/access.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/parse.h"
#include "base/suggest.h"

namespace sluice {
namespace {

constexpr std::size_t kMostEntryBytes = std::size_t{1} << 20;

/// A numeric user or group id; the largest value is not one.
std::optional<std::uint32_t> parse_id(const std::string& text) {
  const auto number = parse_as<std::uint32_t>(text);
  return number != std::numeric_limits<std::uint32_t>::max() ? number : std::nullopt;
}

/// The `id` of the entry that is called so, or of this number. `find`: one of the C library's
/// functions, which need a buffer as large as the entry.
template <typename Entry, typename Find>
std::optional<std::uint32_t> id_called(const std::string& name, Find find,
                                       std::uint32_t Entry::*id) {
  if (const auto number = parse_id(name)) return number;
  for (std::vector<char> room(1024); room.size() <= kMostEntryBytes; room.resize(2 * room.size())) {
    Entry entry{};
    Entry* found = nullptr;
    if (find(name.c_str(), &entry, room.data(), room.size(), &found) == ERANGE) continue;
    return found ? std::optional(entry.*id) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<uid_t> user_called(const std::string& name) {
  return id_called(name, getpwnam_r, &passwd::pw_uid);
}

std::optional<gid_t> group_called(const std::string& name) {
  return id_called(name, getgrnam_r, &group::gr_gid);
}

AccessProblem unknown(const std::string& option, const std::string& what, const std::string& name) {
  return {option, option + ": there is no " + what + " " + quote_text(name) +
                      " on this host: give its number, or create it"};
}

/// Adds the ids of the names to `into`, and a problem for each name that has none.
template <typename Find>
void find_ids(const std::string& option, const std::string& what,
              const std::vector<std::string>& names, Find find, std::vector<std::uint32_t>& into,
              std::vector<AccessProblem>& problems) {
  for (const std::string& name : names) {
    if (const auto id = find(name)) {
      into.push_back(*id);
    } else {
      problems.push_back(unknown(option, what, name));
    }
  }
}

/// The access that the options name, but for the socket, with all problems in it added.
Access find_access(const ServiceOptions& options, std::vector<AccessProblem>& problems) {
  Access access;
  access.daemon_user = geteuid();
  find_ids("service.allow_uids", "user", options.allow_uids, user_called, access.users, problems);
  find_ids("service.allow_gids", "group", options.allow_gids, group_called, access.groups,
           problems);
  if (options.token_file.empty()) return access;
  auto token = BearerToken::read(options.token_file);
  if (const auto* wrong = std::get_if<std::string>(&token)) {
    problems.push_back({"service.token_file", "service.token_file: " + *wrong});
  } else {
    access.token = std::get<BearerToken>(std::move(token));
  }
  return access;
}

}  // namespace

std::vector<AccessProblem> access_problems(const ServiceOptions& options) {
  std::vector<AccessProblem> problems;
  const auto group = socket_group(options);
  if (const auto* wrong = std::get_if<AccessProblem>(&group)) problems.push_back(*wrong);
  find_access(options, problems);
  return problems;
}

std::variant<gid_t, AccessProblem> socket_group(const ServiceOptions& options) {
  if (options.group.empty()) return getegid();
  if (const auto group = group_called(options.group)) return *group;
  return unknown("service.group", "group", options.group);
}

std::variant<Access, AccessProblem> read_access(const ServiceOptions& options, gid_t group,
                                                std::string socket) {
  std::vector<AccessProblem> problems;
  Access access = find_access(options, problems);
  if (!problems.empty()) return problems.front();
  access.socket = std::move(socket);
  if (options.allow_uids.empty() && options.allow_gids.empty()) access.groups.push_back(group);
  return access;
}

}  // namespace sluice
