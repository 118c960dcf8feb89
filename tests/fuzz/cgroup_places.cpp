// /proc/self/cgroup, then an empty line, then /proc/self/mountinfo: where the cgroups are.
#include "sensors/cgroup/cgroupfs.h"
#include "sensors/psi.h"
#include "support/reading.h"
#include "support/split.h"

namespace sluice::fuzz {
namespace {

void check(const CgroupFinding& finding) {
  require(printable(finding.problem) == finding.problem, "a problem is printable");
  if (!finding.place) return;
  require(finding.problem.empty(), "what was found is no problem");
  const auto folders = folders_of(*finding.place);
  require(!folders.empty() && folders.back() == finding.place->mount, "the mount comes last");
  for (const std::string& folder : folders) {
    require(folder.starts_with(finding.place->mount), "no folder lies outside the mount");
  }
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  const auto lines = parse_proc_cgroup(cut(text, "\n\n"));
  const auto mounts = parse_cgroup_mounts(text);
  if (!value_in(lines)) return check(failure_in(lines));
  if (!value_in(mounts)) return check(failure_in(mounts));
  const CgroupPlaces places = find_cgroups(*value_in(lines), *value_in(mounts));
  for (const CgroupFinding* each :
       {&places.memory, &places.cpu, &places.cpuacct, &places.pids, &places.unified}) {
    check(*each);
  }
  psi_paths(places, PsiKind::memory);
}
