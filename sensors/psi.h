#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"
#include "sensors/files/procfs.h"
#include "sensors/files/result.h"

namespace sluice {

/// The resource of a pressure stall file; `name_of` gives its name in file names.
enum class PsiKind { cpu, memory, io };
std::string_view name_of(PsiKind kind);

/// One read of a pressure stall file.
struct PsiSample {
  Psi psi;
  std::string source;           ///< The file, printable.
  std::size_t slowed_jobs = 0;  ///< Throttled jobs whose stalls are left out.
};

/// Reads the pressure of the nearest cgroup with a file for it, in v2 or in the v2 part of a hybrid
/// host, else that of the host. Not thread-safe.
class NearestPsi {
 public:
  NearestPsi(HostPaths paths, PsiKind kind)
      : paths_(std::move(paths)), kind_(kind), chosen_(host_path()), host_(host_path()) {}

  Result<PsiSample> read(TimePoint now);

  /// The cgroup that `read` reads, without a trailing `/`; empty if it reads the host's file.
  std::string folder() const;

  /// The host's own file; nullopt if `read` reads that anyway, or the host has none.
  Result<std::optional<PsiSample>> read_host();

 private:
  void choose();
  std::string host_path() const;

  HostPaths paths_;
  PsiKind kind_;
  RescanTimer rescan_;
  KeptFile chosen_;
  std::string called_;  ///< The chosen file's name for people.
  KeptFile host_;
};

/// Files with the pressure of `kind`, nearest first, as paths without the host's root.
std::vector<std::string> psi_paths(const CgroupPlaces& places, PsiKind kind);

/// Whether this kernel measures pressure at all: false if there is no file, or all are disabled
/// (psi=0).
bool measures_psi(const HostPaths& paths, const CgroupPlaces& places, PsiKind kind);

}  // namespace sluice
