#include "cli/jobserver/tool_command.h"

#include <boost/json.hpp>
#include <iostream>
#include <utility>

namespace sluice::cli {

void ToolReporter::say(const char* event, const std::string& line,
                       boost::json::object facts) const {
  if (output_ == ToolCommand::Output::text) {
    std::cerr << name_ << ": " << line << std::endl;
    return;
  }
  boost::json::object object{{"event", event}, {"message", line}};
  for (auto& [name, value] : facts) object[name] = std::move(value);
  std::cerr << object << std::endl;
}

void ToolReporter::mention(const char* event, const std::string& line,
                           boost::json::object facts) const {
  if (verbose_ || output_ == ToolCommand::Output::json) say(event, line, std::move(facts));
}

}  // namespace sluice::cli
