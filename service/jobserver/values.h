#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "service/jobserver/token_fifo.h"
#include "sluice/units.h"

namespace sluice::jobserver {

/// A command to serve as a client.
struct Request {
  std::string key;      ///< Names its kind of command.
  std::string program;  ///< File name of the program that it runs.
  /// Most tokens; one more job than this may run at once.
  std::size_t most_tokens = kMostTokens;
  TokenFifo::Owner owner;  ///< The user that may use the fifo.
  std::string folder;      ///< For the fifo; see `TokenFifo::make`.
  std::string user = {};   ///< See `JobRequest::user`.
  /// The job whose permit its tokens, and its job without a token, work on; 0 if there is none.
  JobId parent = {};
  /// What lines for people call it; empty: by `program`.
  std::string name = {};

  /// Cap for any client, whatever it asks for.
  static constexpr std::size_t kMostTokens = 4096;
};

/// One client at one instant.
struct View {
  std::uint64_t id = 0;
  std::string key;                 ///< The key of its jobs in what is learned.
  std::string program;             ///< As requested.
  std::string path;                ///< Of its fifo.
  bool running = false;            ///< Its command runs, so it may get tokens.
  bool warm = false;               ///< The need of its jobs is known, so it gets tokens.
  std::size_t granted = 0;         ///< Tokens, each a permit.
  std::size_t idle = 0;            ///< Of these, in the fifo.
  std::size_t debt = 0;            ///< Of these, to be given back as its jobs end.
  std::size_t asked = 0;           ///< Permits that have not arrived yet.
  std::size_t most_granted = 0;    ///< Largest `granted` so far.
  std::uint64_t granted_ever = 0;  ///< Tokens, including those taken back.
  std::uint64_t suspended = 0;     ///< Times that the brake suspended one of its jobs.
  Points cost;                     ///< Of its next token.
  Bytes memory;                    ///< Reserved for its next token.

  /// Tokens with its processes.
  std::size_t in_use() const { return granted - idle; }
};

/// Totals of all clients since the start.
struct Totals {
  std::uint64_t granted = 0;    ///< Tokens.
  std::uint64_t lost = 0;       ///< Of these, not put back by clients that have gone.
  std::uint64_t suspended = 0;  ///< Times that the brake suspended a job of a client.
};

/// What became of a client's tokens.
struct End {
  std::size_t granted = 0;         ///< When it ended.
  std::size_t lost = 0;            ///< Of these, taken by a process and not put back.
  std::size_t most_granted = 0;    ///< At any one time.
  std::uint64_t granted_ever = 0;  ///< Tokens, including those taken back.
  std::uint64_t suspended = 0;     ///< Times that the brake suspended one of its jobs.
};

}  // namespace sluice::jobserver
