#include "recognition/run_request.h"

#include "base/text.h"
#include "recognition/program_class.h"

namespace sluice {

Submission run_request(const std::vector<std::string>& command, const KeyPlace& place,
                       const std::string& id, const std::string& parent) {
  Submission request = submission_of(command_for_key(command), place, id, parent);
  request.lease = Submission::Lease::connection;
  // The daemon refuses control characters, which names of files may have.
  request.program = printable(request.program);
  request.variant = printable(request.variant);
  return request;
}

}  // namespace sluice
