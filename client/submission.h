#pragma once

#include <optional>
#include <span>
#include <string>

#include "costmodel/command_kind.h"
#include "costmodel/job_key.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// What a command asks the daemon for.
struct Submission {
  /// `peer`: its lease ends with this process and with the connection; `connection`: with the
  /// connection alone, for a daemon in a pid namespace that does not see this process.
  enum class Lease { peer, connection };

  std::string id;       ///< No other job has it.
  std::string key;      ///< Of program, source or output, and arguments: see `job_key`.
  std::string variant;  ///< The numbers that the key omits, and the folder it runs in.
  std::string program;  ///< The compiler; "ld" for a link, whose need has nothing to do with it.
  std::string parent;   ///< The permit it works on; empty for none.
  std::string queue;    ///< Empty for the daemon's default.
  int priority = 0;     ///< Larger first.
  std::optional<Points> cost;  ///< nullopt: what the daemon expects.
  Lease lease = Lease::peer;
};

/// Pure.
Submission submission_of(std::span<const std::string> command, const KeyPlace& place,
                         std::string id, std::string parent);

/// The body of POST /v1/jobs. Pure.
std::string submit_body(const Submission& submission);

/// The body of a heartbeat: how long the job has run, and its CPU time and memory if they are not
/// 0. Otherwise the daemon reads these from its processes. Pure.
std::string heartbeat_body(const JobUsage& usage);

/// The body of the DELETE that ends it. Pure.
std::string end_body(const JobUsage& usage);

}  // namespace sluice
