#include "base/user_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_text.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr const char* kSocketName = "/sluice.sock";
constexpr const char* kWhereElse = ", or set XDG_RUNTIME_DIR to a folder of yours";

/// What keeps an open folder from being private; empty if nothing does.
std::string flaw_of(int folder, const std::string& path) {
  struct stat facts {};
  if (fstat(folder, &facts) != 0) return errno_text(path);
  if (facts.st_uid != geteuid()) {
    return path + " belongs to user " + std::to_string(facts.st_uid) + ", not to you (" +
           std::to_string(geteuid()) + "): have it removed" + kWhereElse;
  }
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return path + " is open to other users: run `chmod 700 " + path + "`" + kWhereElse;
  }
  return "";
}

std::string cannot_open(const std::string& path, int error) {
  if (error == ELOOP || error == ENOTDIR) {
    return path + " is not a folder, or a link to one: remove it" + kWhereElse;
  }
  errno = error;
  return errno_text(path) + ": make it writable for you" + kWhereElse;
}

Descriptor open_folder(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool fits_a_socket(const std::string& folder) {
  return folder.size() + sizeof "/sluice/sluice.sock" <= sizeof(sockaddr_un{}.sun_path);
}

bool is_private_folder(const std::string& path) {
  const Descriptor folder = open_folder(path);
  return folder && flaw_of(folder.get(), path).empty();
}

bool is_of_another(const std::string& path, uid_t user) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 && facts.st_uid != user;
}

}  // namespace

bool is_folder_of(const std::string& path, uid_t user) {
  struct stat facts {};
  return path.starts_with('/') && stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == user && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::variant<PrivateFolder, std::string> PrivateFolder::open(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return cannot_open(path, errno);
  Descriptor folder = open_folder(path);
  if (!folder) return cannot_open(path, errno);
  if (auto flaw = flaw_of(folder.get(), path); !flaw.empty()) return flaw;
  return PrivateFolder(path, std::move(folder));
}

std::vector<std::string> user_folder_candidates(const UserPlaces& places, const std::string& common,
                                                uid_t user) {
  std::vector<std::string> folders;
  const auto add = [&](const std::string& place, const char* name) {
    if (fits_a_socket(place) && is_folder_of(place, user)) folders.push_back(place + name);
  };
  add(places.runtime, "/sluice");
  add("/run/user/" + std::to_string(user), "/sluice");
  // Also once the other user has given the name back: a daemon may run there.
  const std::string at_home = places.home + "/.sluice";
  if (is_of_another(common, user) || is_private_folder(at_home)) add(places.home, "/.sluice");
  folders.push_back(common);
  return folders;
}

std::string user_folder() {
  const uid_t user = geteuid();
  const UserPlaces places{environment_text("XDG_RUNTIME_DIR"), environment_text("HOME")};
  return user_folder_candidates(places, "/tmp/sluice-" + std::to_string(user), user).front();
}

std::string user_daemon_socket() { return user_folder() + kSocketName; }

std::string trusted_user_daemon_socket() {
  const std::string path = user_folder();
  return is_private_folder(path) ? path + kSocketName : "";
}

}  // namespace sluice
