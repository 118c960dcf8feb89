#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "service/jobserver/token_style.h"

namespace sluice {

/// How a client is told, by each of the two variables.
struct ClientStyles {
  TokenStyle makeflags = TokenStyle::fifo;
  TokenStyle cargo = TokenStyle::fifo;
};

/// What a client of a jobserver finds in its environment and among its descriptors. The descriptors
/// are open as long as this lives, and close in programs that are not told to keep them.
class ClientSetting {
 public:
  /// `path`: the fifo; what is wrong otherwise.
  static std::variant<ClientSetting, std::string> make(const std::string& path,
                                                       ClientStyles styles);

  ClientSetting(ClientSetting&& other) noexcept;
  ClientSetting& operator=(ClientSetting&&) = delete;
  ~ClientSetting();

  /// MAKEFLAGS, from `makeflags` as they were, and CARGO_MAKEFLAGS.
  std::map<std::string, std::string> environment(const std::string& makeflags) const;
  /// What the client has to inherit.
  std::vector<int> kept() const;

 private:
  ClientSetting(ClientStyles styles, TokenAddress address);

  ClientStyles styles_;
  TokenAddress address_;
};

}  // namespace sluice
