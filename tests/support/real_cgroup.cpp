#include "real_cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "sensors/cgroup/cgroupfs.h"

namespace sluice {
namespace {

/// Removing a group fails until the kernel has released its last process.
void remove_soon(const std::string& folder) {
  const TimePoint deadline = Clock::now() + std::chrono::seconds(10);
  while (::rmdir(folder.c_str()) != 0 && errno == EBUSY && Clock::now() < deadline) ::usleep(1000);
}

}  // namespace

RealCgroup::RealCgroup(const std::string& controller) {
  const CgroupPlaces places = find_cgroups({});
  const CgroupFinding& finding = controller == "memory" ? places.memory : places.cpu;
  if (!finding.place || finding.place->version != CgroupVersion::v1) {
    problem_ = "no v1 hierarchy of " + controller + " here";
    return;
  }
  // The first name that is free: a group that was removed can come back.
  const std::string first =
      folders_of(*finding.place).front() + "/sluice-test-" + std::to_string(::getpid());
  folder_ = first;
  for (int next = 2; ::mkdir(folder_.c_str(), 0755) != 0; ++next) {
    if (errno == EEXIST) {
      folder_ = first + "-" + std::to_string(next);
      continue;
    }
    problem_ = "cannot create " + folder_ + ": " + error_text(errno);
    folder_.clear();
    return;
  }
}

RealCgroup::~RealCgroup() {
  if (!folder_.empty()) remove_soon(folder_);
}

bool RealCgroup::write(const std::string& file, const std::string& value) const {
  const int fd = ::open((folder_ + "/" + file).c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  ::close(fd);
  return done;
}

Child::Child(const std::function<void()>& work) : pid_(::fork()) {
  if (pid_ != 0) return;
  work();
  ::_exit(0);
}

Child::~Child() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

ObedientChild::ObedientChild(std::function<void(char)> obey) {
  if (::pipe2(orders_, O_CLOEXEC) != 0 || ::pipe2(answers_, O_CLOEXEC) != 0) return;
  child_ = std::make_unique<Child>([this, obey] {
    // An inherited copy of the parent's end would hide the parent's exit from this process.
    ::close(orders_[1]);
    char what = 0;
    while (::read(orders_[0], &what, 1) == 1) {
      obey(what);
      if (::write(answers_[1], &what, 1) != 1) return;
    }
  });
  ::close(answers_[1]);
  answers_[1] = -1;
}

bool ObedientChild::order(char what) {
  return ::write(orders_[1], &what, 1) == 1 && ::read(answers_[0], &what, 1) == 1;
}

ObedientChild::~ObedientChild() {
  child_.reset();
  for (const int fd : {orders_[0], orders_[1], answers_[0], answers_[1]}) {
    if (fd >= 0) ::close(fd);
  }
}

}  // namespace sluice
