#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/cgroupfs.h"
#include "sensors/file.h"
#include "sensors/procfs.h"
#include "sensors/result.h"

namespace sluice {

/// Which resource a pressure stall file is about; `name_of` is its name in file names.
enum class PsiKind { cpu, memory, io };
std::string_view name_of(PsiKind kind);

/// One read of a pressure stall file.
struct PsiSample {
  Psi psi;
  std::string source;           ///< The file, fit for printing.
  std::size_t slowed_jobs = 0;  ///< Whose waiting is left out of it.
};

/// Reads the pressure of the nearest cgroup that has a file for it, in v2 or in the v2 part of a
/// hybrid host, and else that of the host. Not thread-safe.
class TightestPsi {
 public:
  TightestPsi(HostPaths paths, PsiKind kind);

  Result<PsiSample> read(TimePoint now);

  /// Of the cgroup that `read` reads, without a `/` at its end; empty: it reads the host's file.
  std::string folder() const;

  /// The host's own file; none where `read` reads that anyway, or the host has none.
  Result<std::optional<PsiSample>> read_host();

 private:
  void choose();
  std::string host_path() const;

  HostPaths paths_;
  PsiKind kind_;
  LookAgain look_again_;
  KeptFile chosen_;
  std::string called_;  ///< The chosen file, as people are told of it.
  KeptFile host_;
};

/// Where the pressure of `kind` may be read, tightest first, as paths without the host's root.
std::vector<std::string> psi_paths(const CgroupPlaces& places, PsiKind kind);

/// Whether this kernel measures pressure at all: false where no file is there, or each is switched
/// off (psi=0).
bool measures_psi(const HostPaths& paths, const CgroupPlaces& places, PsiKind kind);

}  // namespace sluice
