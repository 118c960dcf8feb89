#pragma once

#include "cli/record/open.h"

namespace sluice::cli {

/// What `--config` means to a command that reads a state folder, whereas `sluice replay --config`
/// and `sluice whatif --config` try a configuration.
inline constexpr const char* kConfigOfPlace =
    "The daemon's sluice.yaml, used here only for state_dir and service.socket";

/// Asks the daemon which record is its own, if the place names neither a folder nor a configuration
/// with a `state_dir`: the daemon at the place's socket, else at that of the configuration, else at
/// one of the usual places. If there is no daemon, or this user cannot read its record, the place
/// stays as it is; a line on standard error says so, unless there is none and nobody named its
/// socket. Refuses a configuration with errors.
void ask_for_record(RecordPlace& place);

}  // namespace sluice::cli
