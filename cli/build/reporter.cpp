#include "cli/build/reporter.h"

#include <boost/json.hpp>
#include <iostream>
#include <utility>

namespace sluice::cli {

void BuildReporter::say(const char* event, const std::string& line,
                        boost::json::object facts) const {
  if (output_ == BuildArguments::Output::text) {
    std::cerr << "sluice build: " << line << std::endl;
    return;
  }
  boost::json::object object{{"event", event}, {"message", line}};
  for (auto& [name, value] : facts) object[name] = std::move(value);
  std::cerr << object << std::endl;
}

void BuildReporter::mention(const char* event, const std::string& line,
                            boost::json::object facts) const {
  if (verbose_ || output_ == BuildArguments::Output::json) say(event, line, std::move(facts));
}

}  // namespace sluice::cli
