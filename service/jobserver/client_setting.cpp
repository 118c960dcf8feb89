#include "service/jobserver/client_setting.h"

#include <fcntl.h>

#include "base/errno_text.h"
#include "base/permit_variables.h"

namespace sluice::jobserver {
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
  ClientSetting setting(styles, path);
  const auto open_ends = [&](Ends& ends) {
    ends.read = open_end(path, O_RDONLY);
    if (ends.read) ends.write = open_end(path, O_WRONLY);
    return static_cast<bool>(ends.write);
  };
  const bool make_opens = styles.makeflags == AuthStyle::fifo;
  const bool cargo_opens = styles.cargo == AuthStyle::fifo || styles.cargo == AuthStyle::both;
  const bool is_open =
      (make_opens || open_ends(setting.make_)) && (cargo_opens || open_ends(setting.cargo_));
  if (!is_open) return "cannot open " + errno_text(path);
  return setting;
}

std::map<std::string, std::string> ClientSetting::environment(const std::string& makeflags) const {
  std::map<std::string, std::string> variables;
  const TokenAddress address{path_, make_.read.get(), make_.write.get()};
  const std::string told = styles_.tells_make ? token_options(styles_.makeflags, address) : "";
  if (!told.empty() || !makeflags.empty()) variables["MAKEFLAGS"] = makeflags_with(makeflags, told);
  const TokenAddress of_cargo{path_, cargo_.read.get(), cargo_.write.get()};
  variables["CARGO_MAKEFLAGS"] = "-j " + cargo_token_options(styles_.cargo, of_cargo);
  variables[kJobserverVariable] = path_;
  return variables;
}

std::vector<int> ClientSetting::kept() const {
  std::vector<int> ends;
  for (const Descriptor* end : {&make_.read, &make_.write, &cargo_.read, &cargo_.write}) {
    if (*end) ends.push_back(end->get());
  }
  return ends;
}

}  // namespace sluice::jobserver
