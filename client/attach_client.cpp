#include "client/attach_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <variant>

#include "base/descriptors.h"
#include "base/json_writer.h"
#include "base/shell_command.h"
#include "base/text.h"
#include "client/answer.h"
#include "client/client.h"
#include "sluice/units.h"

namespace sluice {
namespace {

constexpr int kStatusUnusable = 2;
constexpr int kRetryMilliseconds = 500;
/// A refused request is likely to be refused again.
constexpr int kRefusedMilliseconds = 10000;
constexpr Duration kAttachPatience = std::chrono::seconds(10);

/// The daemon's answer, or why it does not answer.
using Answer = std::variant<ClientReply, std::string>;

/// Prints a message unless it repeats the last one.
class Reporter {
 public:
  void say(const std::string& what) {
    if (what == said_) return;
    said_ = what;
    std::fprintf(stderr, "sluice attach: %s\n", what.c_str());
  }

 private:
  std::string said_;
};

Answer give(Client& client) {
  const auto group = open_own_group();
  if (!value_in(group)) return failure_in(group).what;
  std::vector<int> descriptors;
  for (const GroupFolder& folder : *value_in(group)) {
    descriptors.push_back(folder.held->descriptor());
  }
  return client.call("POST", "/v1/attach", attach_body(*value_in(group)), descriptors);
}

/// The result of one attempt: a daemon that has the group and its answer, or why there is none;
/// `refused`: the daemon answered and refused.
struct Attempt {
  std::optional<Client> client;
  std::string answer;
  bool refused = false;
};

Attempt attempt(const std::string& socket) {
  auto connected = Client::connect(socket);
  if (auto* problem = std::get_if<std::string>(&connected)) return {{}, std::move(*problem)};
  auto& client = std::get<Client>(connected);
  Answer answer = give(client);
  if (auto* problem = std::get_if<std::string>(&answer)) return {{}, std::move(*problem)};
  const auto& reply = std::get<ClientReply>(answer);
  if (reply.status == 200) return {std::move(client), reply.body};
  const auto why = read_error(reply);
  return {{}, why ? printable(why->message) : reply.body, true};
}

/// Waits; false once the process behind `ended` has ended. -1 waits for the time and the connection
/// only.
bool wait(int ended, int connection, int milliseconds) {
  pollfd watched[2] = {{ended, POLLIN, 0}, {connection, POLLIN, 0}};
  while (poll(watched, 2, milliseconds) < 0 && errno == EINTR) {
  }
  return (watched[0].revents & POLLIN) == 0;
}

int hold(const AttachOptions& options, int ended, Reporter& reporter) {
  while (true) {
    Attempt tried = attempt(options.socket);
    if (tried.client) {
      reporter.say("attached");
      // A daemon sends nothing unasked: an event here is the end of the connection.
      if (!wait(ended, tried.client->descriptor(), -1)) return 0;
      reporter.say("the daemon is gone; attaching again when it returns");
    } else {
      reporter.say(tried.answer);
      if (tried.refused && options.stay == AttachOptions::Stay::hold) return kStatusUnusable;
    }
    if (!wait(ended, -1, tried.refused ? kRefusedMilliseconds : kRetryMilliseconds)) return 0;
  }
}

int once(const AttachOptions& options) {
  const TimePoint until = Clock::now() + kAttachPatience;
  while (true) {
    Attempt tried = attempt(options.socket);
    if (tried.client) {
      if (options.print == AttachOptions::Print::json) std::fputs(tried.answer.c_str(), stdout);
      if (options.print == AttachOptions::Print::sentence) std::puts("attached");
      return std::fflush(stdout) == 0 ? 0 : kStatusUnusable;
    }
    if (!tried.refused && Clock::now() < until) {
      wait(-1, -1, kRetryMilliseconds / 5);
      continue;
    }
    Reporter().say(tried.answer);
    return kStatusUnusable;
  }
}

/// The process left behind holds neither the command's input nor its output open, and ends with it.
void stay_behind(const AttachOptions& options, int ended) {
  setsid();
  if (fork() != 0) _exit(0);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  Reporter reporter;
  _exit(hold(options, ended, reporter));
}

int before(const AttachOptions& options) {
  Descriptor ended = open_pidfd(getpid());
  if (!ended) {
    std::fprintf(stderr, "sluice attach: pidfd_open: %s\n", std::strerror(errno));
    return kStatusUnusable;
  }
  const pid_t child = fork();
  if (child == 0) stay_behind(options, ended.get());
  if (child > 0) waitpid(child, nullptr, 0);
  ended.reset();
  const std::vector<char*> argv = pointers_to(options.command);
  execvp(argv[0], argv.data());
  const int error = errno;
  std::fprintf(stderr, "sluice attach: %s: %s\n", argv[0], std::strerror(error));
  return error == ENOENT ? 127 : 126;
}

}  // namespace

std::string attach_body(const std::vector<GroupFolder>& folders) {
  return json_text([&](JsonWriter& json) {
    json.begin_object();
    json.list("directories", folders, [&](const GroupFolder& folder) {
      json.begin_object().member("controllers", folder.controllers);
      json.member("path", folder.held->path()).end_object();
    });
    json.end_object();
  });
}

int attach(const AttachOptions& options) {
  if (options.stay == AttachOptions::Stay::before) return before(options);
  if (options.stay == AttachOptions::Stay::once) return once(options);
  Reporter reporter;
  return hold(options, -1, reporter);
}

}  // namespace sluice
