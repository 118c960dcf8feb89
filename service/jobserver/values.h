#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "service/jobserver/token_fifo.h"
#include "sluice/units.h"

namespace sluice {

/// A command that is to be a client.
struct JobserverRequest {
  std::string key;      ///< What kind of command it is.
  std::string program;  ///< What it runs, as a file name.
  /// Never more tokens than this; so one job less than may run at once.
  std::size_t most_tokens = kMostTokens;
  TokenFifo::Owner owner;  ///< Who may use the fifo.
  std::string folder;      ///< For the fifo; see `TokenFifo::make`.
  std::string user = {};   ///< See `JobRequest::user`.
  /// On whose permit its tokens work, as the job does that needs none; 0: on nobody's.
  JobId parent = {};

  /// Of any client, whatever it asks for.
  static constexpr std::size_t kMostTokens = 4096;
};

/// One client at one instant.
struct JobserverView {
  std::uint64_t id = 0;
  std::string key;                 ///< What its jobs are learned under.
  std::string program;             ///< As it was asked for.
  std::string path;                ///< Of its fifo.
  bool running = false;            ///< Its command runs: it may get tokens.
  bool warm = false;               ///< What its jobs need is known: it gets tokens.
  std::size_t granted = 0;         ///< Tokens, each a permit.
  std::size_t idle = 0;            ///< Of these, in the fifo.
  std::size_t debt = 0;            ///< Of these, to be given back as its jobs end.
  std::size_t asked = 0;           ///< Permits that have not come yet.
  std::size_t most_granted = 0;    ///< Largest `granted` so far.
  std::uint64_t granted_ever = 0;  ///< Tokens, those that went back included.
  std::uint64_t suspended = 0;     ///< Times that the brake suspended one of its jobs.
  Points cost;                     ///< Of its next token.
  Bytes memory;                    ///< Kept for its next token.

  /// Tokens with its processes.
  std::size_t in_use() const { return granted - idle; }
};

/// Of all clients since the start.
struct JobserverTotals {
  std::uint64_t granted = 0;    ///< Tokens.
  std::uint64_t lost = 0;       ///< Of these, with clients that did not put them back.
  std::uint64_t suspended = 0;  ///< Times that the brake suspended a job of a client.
};

/// What became of a client's tokens.
struct JobserverEnd {
  std::size_t granted = 0;  ///< When it ended.
  std::size_t lost = 0;     ///< Of these, not in the fifo: taken by a process and not put back.
  std::size_t most_granted = 0;    ///< At any one time.
  std::uint64_t granted_ever = 0;  ///< Tokens, those that went back included.
  std::uint64_t suspended = 0;     ///< Times that the brake suspended one of its jobs.
};

}  // namespace sluice
