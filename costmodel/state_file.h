#pragma once

#include <string>

namespace sluice {

/// Makes `path` a regular file of mode 0600, an empty one where there is none, and does the same
/// to what SQLite keeps beside it. Neither waits for anything nor opens what is there. Throws
/// std::runtime_error, which says what to do, where a link, a folder, a fifo, a socket or a device
/// is in the place of one of them. Other trouble is left for who opens the file to tell.
void keep_private(const std::string& path);

/// The same, for a file that is made and opened by others: throws where something is there that is
/// no regular file.
void refuse_irregular(const std::string& path);

}  // namespace sluice
