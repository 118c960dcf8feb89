#pragma once

#include <string>

namespace sluice {

/// The name of a user or group by a file like /etc/passwd or /etc/group; the number itself if the
/// file does not have it. Needs no library of the C library's name services, which a static program
/// cannot load.
std::string name_of_id(const std::string& file, unsigned id);

/// How a user outside a socket's group gets to use it: "you are not in its group `NAME`: ...", with
/// the command to run. Users should not join root's group, which gives more than a socket: for
/// that, the daemon has to serve another group. Pure.
std::string advice_to_join(unsigned group, const std::string& name, const std::string& user);

/// That advice for this process's user and a socket that refuses them. Empty if its group may not
/// use it either.
std::string how_to_join(const std::string& socket);

}  // namespace sluice
