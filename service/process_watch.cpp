#include "service/process_watch.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>

namespace sluice {
namespace {

/// Descriptors that are left to connections and files: a daemon that nobody can reach could not
/// even be told that a job is over.
constexpr rlim_t kLeftToOthers = 64;

std::string too_many_watched(const std::string& process) {
  return "process " + process + " cannot be watched: this daemon may open " +
         std::to_string(descriptor_limit()) +
         " files (RLIMIT_NOFILE), and each process takes one; "
         "raise that limit (systemd: LimitNOFILE=), or give a `heartbeat` instead of `pid`";
}

}  // namespace

std::uint64_t descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return descriptor_limit();
}

struct ProcessWatch::Watched {
  boost::asio::posix::stream_descriptor descriptor;

  bool has_ended() {
    pollfd ended{descriptor.native_handle(), POLLIN, 0};
    return poll(&ended, 1, 0) > 0;
  }
};

ProcessWatch::ProcessWatch(boost::asio::io_context& context, std::function<void(JobId)> ended)
    : context_(context), ended_(std::move(ended)) {}

ProcessWatch::~ProcessWatch() = default;

std::optional<std::string> ProcessWatch::watch(JobId job, pid_t process) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) {
    const std::string number = std::to_string(process);
    if (errno == ESRCH) return "there is no process " + number;
    if (errno == EMFILE) return too_many_watched(number);
    return "process " + number + " cannot be watched: " + std::strerror(errno);
  }
  // The kernel gives the lowest number that is free: from here on few are.
  if (static_cast<rlim_t>(descriptor) + kLeftToOthers >= descriptor_limit()) {
    close(descriptor);
    return too_many_watched(std::to_string(process));
  }
  auto watched = std::make_shared<Watched>(Watched{{context_, descriptor}});
  watched_[job.value] = watched;
  wait(job, watched);
  return std::nullopt;
}

void ProcessWatch::wait(JobId job, const std::shared_ptr<Watched>& watched) {
  watched->descriptor.async_wait(boost::asio::posix::descriptor_base::wait_read,
                                 [this, job, watched](boost::system::error_code error) {
                                   if (error) return;
                                   const auto found = watched_.find(job.value);
                                   if (found == watched_.end() || found->second != watched) return;
                                   // An event of a connection that closed just now may arrive here.
                                   if (!watched->has_ended()) return wait(job, watched);
                                   ended_(job);
                                 });
}

void ProcessWatch::unwatch(JobId job) {
  const auto found = watched_.extract(job.value);
  if (!found) return;
  boost::system::error_code ignored;
  found.mapped()->descriptor.close(ignored);
}

}  // namespace sluice
