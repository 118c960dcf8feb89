#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/config.h"
#include "governor/admission.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/units.h"

namespace sluice::cli {

/// A job as a scenario tells it. Times are virtual, from the start of the replay.
struct ScriptedJob {
  Duration at{0};                  ///< When it is submitted, >= 0.
  JobRequest request;              ///< `id` is never empty; `after` is left empty.
  std::vector<std::string> after;  ///< Jobs by id, also later ones.
  std::optional<Duration> runs;    ///< From admission, >= 0; none: it never ends.
  Outcome outcome = Outcome::ok;   ///< How it ends by itself.
  int line = 0;                    ///< Where it stands.
};

/// What a sensor reads from then on.
struct ScriptedReading {
  Duration at{0};
  std::string sensor;
  double pressure = 0;  ///< In [0, 100].
};

/// Something an operator or a client does.
struct ScriptedEvent {
  struct Operate {
    Switch position = Switch::running;
  };
  struct OperateQueue {
    std::string queue;
    Switch position = Switch::paused;
  };
  struct Cancel {
    std::string job;
  };
  struct Set {
    std::string job;
    JobChange change;
    std::string position_of;  ///< The job that `change.position` names, if any.
  };
  struct Reload {
    Config config;
  };
  Duration at{0};
  std::variant<Operate, OperateQueue, Cancel, Set, Reload> what;
  int line = 0;
};

/// The next job in the order of submission, or the end (monostate), or why there is none: called
/// again and again until it gives no job.
using JobSource = std::function<std::variant<std::monostate, ScriptedJob, ConfigError>()>;

/// A closed world: nothing but what is said here happens in it.
struct ReplayScenario {
  Config config;
  double cpus = 1;                        ///< > 0
  std::optional<Bytes> memory;            ///< What jobs may declare together; none: unlimited.
  std::optional<Duration> until;          ///< Inclusive; none: until nothing can happen any more.
  std::vector<ScriptedReading> readings;  ///< In any order; of one instant, the later one counts.
  std::vector<ScriptedEvent> events;      ///< In any order; those of one instant in this one.
  JobSource jobs;                         ///< In order of `at`.
  std::string jobs_file;                  ///< Where they stand, for messages.
};

/// A source of jobs that are all there: in order of `at`, those of one instant as they stand.
JobSource jobs_from(std::vector<ScriptedJob> jobs);

}  // namespace sluice::cli
