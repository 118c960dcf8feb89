#pragma once

#include <string>

namespace sluice {

/// Makes `path` a regular file of mode 0600, creating an empty one if there is none, and restricts
/// SQLite's files beside it the same way. Never blocks and never opens existing files. Throws
/// std::runtime_error, which says what to do, if a link, folder, fifo, socket or device is in the
/// place of one of them. Leaves other errors to the code that opens the file.
void keep_private(const std::string& path);

/// The same check for a file that other code creates and opens: throws if something other than a
/// regular file is there.
void refuse_irregular(const std::string& path);

}  // namespace sluice
