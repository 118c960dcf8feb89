#pragma once

#include <string>
#include <vector>

#include "base/text.h"
#include "client/submission.h"
#include "costmodel/job_key.h"
#include "recognition/program_class.h"

namespace sluice {

/// What a process of a build asks the daemon for: a permit on the connection of the build, under
/// the key of its command. `id` and `parent`: see `Submission`. Pure.
inline Submission run_request(const std::vector<std::string>& command, const KeyPlace& place,
                              const std::string& id, const std::string& parent) {
  Submission request = submission_of(command_for_key(command), place, id, parent);
  request.lease = Submission::Lease::connection;
  // The daemon refuses control characters, which names of files may have.
  request.program = printable(request.program);
  request.variant = printable(request.variant);
  return request;
}

}  // namespace sluice
