#pragma once

namespace sluice {

// Environment variables by which a command learns on whose permit it runs.

/// The token that proves it to the daemon.
inline constexpr const char* kPermitVariable = "SLUICE_PERMIT";
/// What the permit holds: points, and bytes of memory, empty if none are kept for it.
inline constexpr const char* kPermitPoints = "SLUICE_PERMIT_POINTS";
inline constexpr const char* kPermitMemory = "SLUICE_PERMIT_MEMORY";
/// The socket of the daemon that granted it; empty if no one can grant more.
inline constexpr const char* kPermitSocket = "SLUICE_PERMIT_SOCKET";
/// The fifo of `sluice jobserver`, whose tokens are permits of the jobs below it.
inline constexpr const char* kJobserverVariable = "SLUICE_JOBSERVER";

}  // namespace sluice
