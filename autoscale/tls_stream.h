#pragma once

#include <memory>
#include <string>
#include <variant>

#include "autoscale/byte_stream.h"

namespace sluice {

/// TLS over a connection: the peer must show a certificate for `host`, a name or an address, that
/// chains to one in the file `authorities` (PEM). On error, one line for people. Source: RFC 8446;
/// RFC 9525 for names.
std::variant<std::unique_ptr<ByteStream>, std::string> secured(std::unique_ptr<ByteStream> below,
                                                               const std::string& host,
                                                               const std::string& authorities);

}  // namespace sluice
