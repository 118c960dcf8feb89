#pragma once

namespace sluice {

// The same words wherever a command says them, also in scripts that look for them.

/// Of a submit that was merged with an equal job.
inline constexpr const char* kAlikeWaits = "a job with its key already waits";
inline constexpr const char* kAlikeRunsInstead =
    "a job with its key already waits and will run instead";

inline constexpr const char* kNotFromSluice = "the answer is not from a sluice daemon";
inline constexpr const char* kNoAnswer = "the daemon does not answer";

}  // namespace sluice
