#include "service/jobserver/client_setting.h"

#include <fcntl.h>

#include "base/errno_text.h"
#include "base/permit_variables.h"

namespace sluice {
namespace {

/// Lowest number to use: shells use lower ones themselves and for redirections. The further ones
/// are for processes that may not have so many.
constexpr int kFirstNumbers[] = {30, 10, 3};

/// A separate open file description of the fifo, because blocking mode is this client's own choice.
/// Returns none with errno on failure.
Descriptor open_end(const std::string& path, int direction) {
  Descriptor moved;
  const Descriptor opened(open(path.c_str(), direction | O_NONBLOCK | O_CLOEXEC));
  if (!opened) return moved;
  for (const int first : kFirstNumbers) {
    if (!moved) moved.reset(fcntl(opened.get(), F_DUPFD_CLOEXEC, first));
  }
  if (moved) fcntl(moved.get(), F_SETFL, direction);  // The client's reads may block.
  return moved;
}

}  // namespace

std::variant<ClientSetting, std::string> ClientSetting::make(const std::string& path,
                                                             ClientStyles styles) {
  if (!can_be_in_makeflags(path)) return not_in_makeflags(path);
  const bool by_path = styles.makeflags == AuthStyle::fifo && styles.cargo == AuthStyle::fifo;
  ClientSetting setting(styles, path);
  if (by_path) return setting;
  setting.read_ = open_end(path, O_RDONLY);
  if (setting.read_) setting.write_ = open_end(path, O_WRONLY);
  if (!setting.write_) return "cannot open " + errno_text(path);
  return setting;
}

std::map<std::string, std::string> ClientSetting::environment(const std::string& makeflags) const {
  std::map<std::string, std::string> variables;
  const TokenAddress address{path_, read_.get(), write_.get()};
  const std::string told = styles_.tells_make ? token_options(styles_.makeflags, address) : "";
  if (!told.empty() || !makeflags.empty()) variables["MAKEFLAGS"] = makeflags_with(makeflags, told);
  variables["CARGO_MAKEFLAGS"] = "-j " + cargo_token_options(styles_.cargo, address);
  variables[kJobserverVariable] = path_;
  return variables;
}

std::vector<int> ClientSetting::kept() const {
  std::vector<int> ends;
  for (const Descriptor* end : {&read_, &write_}) {
    if (*end) ends.push_back(end->get());
  }
  return ends;
}

}  // namespace sluice
