#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/build/arguments.h"

namespace sluice::cli {

/// What `sluice build` says, on standard error: the other streams belong to the build.
class BuildReporter {
 public:
  explicit BuildReporter(const BuildArguments& arguments)
      : verbose_(arguments.verbose), output_(arguments.output) {}

  /// Prints a line, or with --json `{"event": event, "message": line, …}` extended by `facts`.
  void say(const char* event, const std::string& line, boost::json::object facts = {}) const;
  /// The same, but only with --verbose or --json.
  void mention(const char* event, const std::string& line, boost::json::object facts = {}) const;

 private:
  bool verbose_;
  BuildArguments::Output output_;
};

}  // namespace sluice::cli
