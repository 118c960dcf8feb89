#include "process/cgroup/job_group.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/parse.h"

namespace sluice {
namespace {

constexpr std::size_t kSmall = 512;
constexpr std::size_t kLarge = 16384;

std::optional<KeptFile> kept(const std::string& path, std::size_t most = kSmall) {
  if (!group_file_exists(path)) return std::nullopt;
  return KeptFile(path, most, KeptFile::Content::one_record);
}

/// The whole file; empty if there is none.
std::string_view file_text(std::optional<KeptFile>& file) {
  if (!file) return {};
  const auto text = file->read();
  const auto* good = std::get_if<std::string_view>(&text);
  return good ? *good : std::string_view{};
}

std::optional<std::uint64_t> number_in(std::optional<KeptFile>& file) {
  return parse_u64(trimmed(file_text(file)));
}

std::optional<Bytes> bytes_in(std::optional<KeptFile>& file) {
  const auto number = number_in(file);
  return number ? std::optional(Bytes{*number}) : std::nullopt;
}

/// Sets one file; adds to `problem` on failure.
void set_limit_file(const std::string& path, std::uint64_t value, LimitProblem& problem) {
  const int error = write_group_file(path, std::to_string(value));
  if (error == 0) return;
  if (!problem.text.empty()) problem.text += "; ";
  problem.text += errno_text("cannot set " + path, error);
  if (is_lack_of_descriptors(error)) problem.lack = error;
}

}  // namespace

JobGroup::JobGroup(const std::vector<GroupHierarchy>& hierarchies, std::string name)
    : hierarchies_(hierarchies), name_(std::move(name)) {
  for (const GroupHierarchy& hierarchy : hierarchies) {
    const std::string folder = hierarchy.folder() + "/" + name_;
    folders_.push_back(folder);
    if (hierarchy.version == CgroupVersion::v2) {
      open_v2(folder);
    } else {
      open_v1(hierarchy, folder);
    }
  }
  if (holder_.empty()) holder_ = folders_.front();
}

JobGroup::~JobGroup() { remove(); }

void JobGroup::open_v1(const GroupHierarchy& hierarchy, const std::string& folder) {
  if (hierarchy.controller == "memory") {
    memory_folder_ = folder;
    current_ = kept(folder + "/memory.usage_in_bytes");
    stat_ = kept(folder + "/memory.stat", kLarge);
    most_charged_ = kept(folder + "/memory.max_usage_in_bytes");
    oom_ = kept(folder + "/memory.oom_control");
  } else if (hierarchy.controller == "cpuacct") {
    cpu_ = kept(folder + "/cpuacct.usage");
  } else if (hierarchy.controller == "blkio") {
    io_ = kept(folder + "/blkio.throttle.io_service_bytes_recursive", kLarge);
  } else if (hierarchy.controller == "freezer") {
    holder_ = folder;
  }
}

void JobGroup::open_v2(const std::string& folder) {
  if (!current_ && group_file_exists(folder + "/memory.current")) {
    memory_version_ = CgroupVersion::v2;
    memory_folder_ = folder;
    current_ = kept(folder + "/memory.current");
    stat_ = kept(folder + "/memory.stat", kLarge);
    most_charged_ = kept(folder + "/memory.peak");
    oom_ = kept(folder + "/memory.events");
  }
  if (!cpu_ && group_file_exists(folder + "/cpu.stat")) {
    cpu_version_ = CgroupVersion::v2;
    cpu_ = kept(folder + "/cpu.stat", kLarge);
  }
  if (!io_ && group_file_exists(folder + "/io.stat")) {
    io_version_ = CgroupVersion::v2;
    io_ = kept(folder + "/io.stat", kLarge);
  }
  if (holder_.empty()) holder_ = folder;
}

std::vector<int> JobGroup::open_joins() const {
  std::vector<int> joins;
  if (hierarchies_.size() == 1 && hierarchies_[0].version == CgroupVersion::v2) return joins;
  for (const std::string& folder : folders_) {
    joins.push_back(open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  }
  return joins;
}

int JobGroup::open_clone_target() const {
  if (hierarchies_.size() != 1 || hierarchies_[0].version != CgroupVersion::v2) return -1;
  return open(folders_[0].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

LimitProblem JobGroup::limit_memory(std::optional<Bytes> high, std::optional<Bytes> most) const {
  LimitProblem problem;
  if (!high && !most) return problem;
  if (memory_folder_.empty()) return {"cannot limit memory: no memory cgroup"};
  const bool v2 = memory_version_ == CgroupVersion::v2;
  if (high && !v2) problem.text = "cannot set memory_high: cgroup v1 has no such limit";
  if (high && v2) set_limit_file(memory_folder_ + "/memory.high", high->value, problem);
  const char* file = v2 ? "/memory.max" : "/memory.limit_in_bytes";
  if (most) set_limit_file(memory_folder_ + file, most->value, problem);
  const std::string all_at_once = memory_folder_ + "/memory.oom.group";
  // Linux before 4.19 does not have the file.
  if (most && v2 && group_file_exists(all_at_once)) set_limit_file(all_at_once, 1, problem);
  return problem;
}

bool JobGroup::kills_one_process() const {
  if (memory_folder_.empty()) return false;
  return trimmed(read_group_file(memory_folder_ + "/memory.oom.group")) != "1";
}

std::string JobGroup::why_it_cannot_swap(Bytes host_swap) const {
  if (memory_folder_.empty() || memory_version_ == CgroupVersion::v1) return {};
  if (host_swap == Bytes{}) return "this host has no swap";
  for (std::string folder = memory_folder_; !folder.empty(); folder.resize(folder.rfind('/'))) {
    const std::string file = folder + "/memory.swap.max";
    if (trimmed(read_group_file(file)) == "0") return file + " is 0";
  }
  return {};
}

std::optional<Duration> JobGroup::cpu() {
  const bool v1 = cpu_version_ == CgroupVersion::v1;
  const auto used = v1 ? number_in(cpu_) : number_of(file_text(cpu_), "usage_usec");
  if (!used) return std::nullopt;
  const auto count = static_cast<std::int64_t>(*used);
  return v1 ? Duration(count) : Duration(std::chrono::microseconds(count));
}

std::optional<Bytes> JobGroup::inactive_file() {
  const bool v2 = memory_version_ == CgroupVersion::v2;
  const auto bytes = number_of(file_text(stat_), v2 ? "inactive_file" : "total_inactive_file");
  if (!bytes) return std::nullopt;
  return Bytes{*bytes};
}

std::optional<Bytes> JobGroup::charged() { return bytes_in(current_); }

std::optional<Bytes> JobGroup::working_set() {
  const auto bytes = charged();
  if (!bytes) return std::nullopt;
  return working_set_of(bytes->value, inactive_file().value_or(Bytes{}).value);
}

std::optional<Bytes> JobGroup::most_charged() { return bytes_in(most_charged_); }

std::optional<BlockIo> JobGroup::io() {
  if (!io_) return std::nullopt;
  const std::string_view text = file_text(io_);
  return io_version_ == CgroupVersion::v1 ? parse_blkio_bytes(text) : parse_io_stat(text);
}

std::optional<std::uint64_t> JobGroup::oom_kills() {
  return number_of(file_text(oom_), "oom_kill");
}

bool JobGroup::can_freeze() const {
  return group_file_exists(holder_ + "/freezer.state") ||
         group_file_exists(holder_ + "/cgroup.freeze");
}

void JobGroup::remove() {
  if (name_.empty()) return;
  for (const std::string& folder : folders_) remove_group(folder);
  name_.clear();
}

}  // namespace sluice
