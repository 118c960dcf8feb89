#include "service/api/view_build.h"

#include <string_view>

#include "base/json_writer.h"

namespace sluice {
namespace {

std::string_view name_of(BuildOptions::Program program) {
  switch (program) {
    case BuildOptions::Program::heavy:
      return "heavy";
    case BuildOptions::Program::free:
      return "free";
    case BuildOptions::Program::unknown:
      break;
  }
  return "unknown";
}

}  // namespace

std::string build_json(const BuildOptions& options, const std::vector<std::string>& learned) {
  return json_text([&](JsonWriter& json) {
    json.begin_object().object("programs", options.programs, [&](const auto& each) {
      json.member(each.first, name_of(each.second));
    });
    json.member("learned", learned).member("timers", options.timers);
    json.member("timed_hold", options.timed_hold).end_object();
  });
}

}  // namespace sluice
