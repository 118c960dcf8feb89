#include "service/jobserver/client_setting.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/errno_text.h"
#include "base/permit_variables.h"

namespace sluice {
namespace {

/// Lowest number to use: shells use lower ones themselves and for redirections. The further ones
/// are for processes that may not have so many.
constexpr int kFirstNumbers[] = {30, 10, 3};

/// A separate open file description of the fifo, because blocking mode is this client's own choice.
/// Returns -1 with errno on failure.
int open_end(const std::string& path, int direction) {
  const int opened = open(path.c_str(), direction | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) return -1;
  int moved = -1;
  for (const int first : kFirstNumbers) {
    if (moved < 0) moved = fcntl(opened, F_DUPFD_CLOEXEC, first);
  }
  const int error = errno;
  close(opened);
  errno = error;
  if (moved >= 0) fcntl(moved, F_SETFL, direction);  // The client's reads may block.
  return moved;
}

}  // namespace

std::variant<ClientSetting, std::string> ClientSetting::make(const std::string& path,
                                                             ClientStyles styles) {
  if (!can_be_in_makeflags(path)) return not_in_makeflags(path);
  const bool by_path = styles.makeflags == AuthStyle::fifo && styles.cargo == AuthStyle::fifo;
  TokenAddress address{path, -1, -1};
  if (!by_path) {
    address.read = open_end(path, O_RDONLY);
    if (address.read >= 0) address.write = open_end(path, O_WRONLY);
  }
  const bool complete = by_path || address.write >= 0;
  std::string problem = complete ? "" : "cannot open " + errno_text(path);
  ClientSetting setting(styles, std::move(address));
  if (!complete) return problem;
  return setting;
}

ClientSetting::ClientSetting(ClientStyles styles, TokenAddress address)
    : styles_(styles), address_(std::move(address)) {}

ClientSetting::ClientSetting(ClientSetting&& other) noexcept
    : styles_(other.styles_),
      address_{other.address_.path, std::exchange(other.address_.read, -1),
               std::exchange(other.address_.write, -1)} {}

ClientSetting::~ClientSetting() {
  for (const int end : kept()) close(end);
}

std::map<std::string, std::string> ClientSetting::environment(const std::string& makeflags) const {
  std::map<std::string, std::string> variables;
  const std::string told = styles_.tells_make ? token_options(styles_.makeflags, address_) : "";
  if (!told.empty() || !makeflags.empty()) variables["MAKEFLAGS"] = makeflags_with(makeflags, told);
  variables["CARGO_MAKEFLAGS"] = "-j " + cargo_token_options(styles_.cargo, address_);
  variables[kJobserverVariable] = address_.path;
  return variables;
}

std::vector<int> ClientSetting::kept() const {
  std::vector<int> ends;
  for (const int end : {address_.read, address_.write}) {
    if (end >= 0) ends.push_back(end);
  }
  return ends;
}

}  // namespace sluice
