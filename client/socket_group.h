#pragma once

#include <string>

namespace sluice {

/// The name of a user or group by a file like /etc/passwd or /etc/group; the number itself if the
/// file does not have it. Needs no library of the C library's name services, which a static program
/// cannot load.
std::string name_of_id(const std::string& file, unsigned id);

/// How this process's user gets to use a socket that refuses them: "you are not in its group
/// `GROUP`: ...", with the command to run. Empty if joining its group does not help.
std::string how_to_join(const std::string& socket);

}  // namespace sluice
