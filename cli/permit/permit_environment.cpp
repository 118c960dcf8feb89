#include "cli/permit/permit_environment.h"

#include <boost/json.hpp>
#include <filesystem>

#include "base/permit_variables.h"
#include "base/text.h"
#include "cli/permit/job_terms.h"
#include "cli/permit/outer_permit.h"
#include "client/answer_fields.h"

namespace sluice::cli {
namespace json = boost::json;

void add_parent(json::object& body) {
  body["parent"] = printable(environment_text(kPermitVariable));
}

std::string permit_of(const json::object& job) { return text_at(job, "permit"); }

void tell_permit(const json::object& job, const std::string& permit, const std::string& socket,
                 std::map<std::string, std::string>& environment) {
  if (permit.empty()) return;
  environment[kPermitVariable] = permit;
  const json::value* cost = job.if_contains("cost");
  if (!cost || !cost->is_number()) return;
  OuterPermit outer;
  outer.points = Points{cost->to_number<std::int64_t>()};
  outer.memory = bytes_at(job, "permit_memory");
  // The command may run in another directory.
  outer.socket = std::filesystem::absolute(socket).string();
  tell(outer, environment);
}

}  // namespace sluice::cli
