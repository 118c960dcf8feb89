#include "client/socket_group.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

bool is_member(gid_t group) {
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count > 0 && getgroups(count, groups.data()) < 0) groups.clear();
  return group == getegid() || std::ranges::find(groups, group) != groups.end();
}

}  // namespace

std::string name_of_id(const std::string& file, unsigned id) {
  const std::string number = std::to_string(id);
  std::ifstream entries(file);
  for (std::string entry; std::getline(entries, entry);) {
    // NAME:PASSWORD:ID, and more.
    const std::size_t name = entry.find(':');
    const std::size_t password = name == entry.npos ? name : entry.find(':', name + 1);
    if (password == entry.npos) continue;
    const std::string_view rest = std::string_view(entry).substr(password + 1);
    if (rest.substr(0, rest.find(':')) == number) return entry.substr(0, name);
  }
  return number;
}

std::string advice_to_join(unsigned group, const std::string& name, const std::string& user) {
  if (group == 0) return "have `service.group` name a group of this user's";
  return "you are not in its group `" + name + "`: `sudo usermod -aG " + name + " " + user +
         "`, then log in again";
}

std::string how_to_join(const std::string& socket) {
  struct stat facts {};
  if (stat(socket.c_str(), &facts) != 0) return "";
  const bool is_for_its_group = (facts.st_mode & S_IWGRP) != 0;
  if (!is_for_its_group || facts.st_uid == geteuid() || is_member(facts.st_gid)) return "";
  return advice_to_join(facts.st_gid, name_of_id("/etc/group", facts.st_gid),
                        name_of_id("/etc/passwd", geteuid()));
}

}  // namespace sluice
