#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "client/waiting_line.h"

namespace sluice::cli {

/// A command whose jobs take tokens, and how to run it.
struct ToolCommand {
  enum class Output { text, json };

  std::string socket;          ///< Of a daemon to use; empty for the default search.
  std::string config;          ///< Of a governor or daemon that is started for it alone.
  std::string state_dir;       ///< Likewise.
  std::string key;             ///< Empty to derive it from the command.
  std::size_t most_jobs = 0;   ///< 0: no cap.
  std::string style = "auto";  ///< How tokens are passed.
  bool verbose = false;
  WaitTelling telling = WaitTelling::told;
  Output output = Output::text;
  std::vector<std::string> command;
};

/// Messages about it, on standard error: the other streams belong to the command.
class ToolReporter {
 public:
  /// `name`: of the subcommand, "sluice build".
  ToolReporter(const char* name, const ToolCommand& tool)
      : name_(name), verbose_(tool.verbose), output_(tool.output) {}

  /// Prints a line, or with --json `{"event": event, "message": line, …}` extended by `facts`.
  void say(const char* event, const std::string& line, boost::json::object facts = {}) const;
  /// The same, but only with --verbose or --json.
  void mention(const char* event, const std::string& line, boost::json::object facts = {}) const;

 private:
  const char* name_;
  bool verbose_;
  ToolCommand::Output output_;
};

}  // namespace sluice::cli
