#pragma once

namespace sluice {

/// Stops this process as SIGTSTP does by default, and returns once it continues. For a SIGTSTP that
/// has come while this process reads it from a descriptor. The kernel discards it where the process
/// group is orphaned, as below `ssh -t host COMMAND`, which no shell with job control started:
/// nobody would continue the process. SIGSTOP would stop it there for good.
void stop_by_sigtstp();

}  // namespace sluice
