#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/permit/waiting_line.h"
#include "process/runner.h"
#include "process/signals.h"
#include "service/jobserver/client_setting.h"
#include "service/jobserver/jobserver.h"
#include "service/jobserver/token_style.h"

namespace sluice::cli {

struct JobserverArguments {
  enum class Output { text, json };
  std::string config, socket, state_dir;
  bool uses_daemon = false;
  std::string key;
  std::size_t most_jobs = 0;  ///< 0: as many as fit.
  std::string style = "auto";
  bool verbose = false;
  WaitTelling telling = WaitTelling::told;
  Output output = Output::text;
  std::vector<std::string> command;
};

/// The end of the command, or the status with which it could not be started.
struct ClientEnd {
  std::optional<RunEnd> end;
  int status = 0;

  bool ok() const { return end && end->ok(); }
};

/// What `sluice jobserver` has to say, on standard error: the command owns the rest.
class JobserverTeller {
 public:
  explicit JobserverTeller(const JobserverArguments& arguments);

  /// A line, or `{"event": event, "message": line, …}` with what `facts` adds.
  void say(const char* event, const std::string& line, boost::json::object facts = {}) const;
  /// The same, where somebody wants to know it all.
  void mention(const char* event, const std::string& line, boost::json::object facts = {}) const;
  /// What became of the command and its tokens; in any case where some are missing.
  void tell_end(const std::string& program, const ClientEnd& end, const JobserverEnd& tokens) const;

 private:
  bool verbose_;
  JobserverArguments::Output output_;
};

/// The command as a client: how it is told, and as what it is known.
struct JobserverClient {
  std::string key, program;
  ClientKind kind = ClientKind::other;
  ClientStyles styles;
  std::size_t most_tokens = 0;
};

/// Looks at the command and, for `--style auto`, at the versions of what it runs; says what keeps
/// it from being a client. None, with the reason said: such a style there is not.
JobserverClient look_at_client(const JobserverArguments& arguments, const JobserverTeller& teller);

/// What else goes on while the command runs.
struct Meanwhile {
  std::map<std::string, std::string> environment;  ///< What the command gets besides.
  std::function<void(pid_t)> started;
  int descriptor = -1;  ///< Readable: `work`. -1: nothing.
  std::function<void()> work;
};

/// Runs the command in this process's place: its streams, its process group, signals passed on,
/// stopping when it stops. All that it started has ended when this returns.
ClientEnd run_client(const JobserverArguments& arguments, const ClientSetting& setting,
                     const SignalDescriptor& signals, const JobserverTeller& teller,
                     const Meanwhile& meanwhile);

/// This process's end: as the command ended.
int end_as(const ClientEnd& end);

/// The two ways to be governed; both return the exit status.
int run_embedded_jobserver(const JobserverArguments& arguments, const JobserverTeller& teller);
int run_jobserver_of_daemon(const JobserverArguments& arguments, const JobserverTeller& teller);

}  // namespace sluice::cli
