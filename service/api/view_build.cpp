#include "service/api/view_build.h"

#include <string_view>

#include "base/json_writer.h"
#include "base/seconds.h"

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
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("programs").begin_object();
  for (const auto& [name, program] : options.programs) json.member(name, name_of(program));
  json.end_object().member("learned", learned).member("timers", options.timers);
  json.member("timed_hold", to_seconds(options.timed_hold)).end_object();
  return text;
}

}  // namespace sluice
