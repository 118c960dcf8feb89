#include "process/child/process_watch.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>

#include "base/readiness.h"

namespace sluice {
struct ProcessWatch::Watched {
  boost::asio::posix::stream_descriptor descriptor;

  bool has_ended() { return is_readable(descriptor.native_handle()); }
};

ProcessWatch::~ProcessWatch() = default;

/// Returns a descriptor of the process, or the problem.
std::variant<Descriptor, std::string> ProcessWatch::open(pid_t process) const {
  const std::string number = std::to_string(process);
  const bool is_full = watched_.size() >= most_;
  Descriptor descriptor = is_full ? Descriptor() : open_pidfd(process);
  const int error = is_full ? EMFILE : errno;
  if (descriptor) return descriptor;
  if (error == ESRCH) return "there is no process " + number;
  const std::string cannot = "process " + number + " cannot be watched: ";
  if (error != EMFILE) return cannot + std::strerror(error);
  return cannot + "this daemon may open " + std::to_string(descriptor_limit()) +
         " files (RLIMIT_NOFILE) and watches " + std::to_string(watched_.size()) +
         " processes, one file each; raise that limit (systemd: LimitNOFILE=), or give a "
         "`heartbeat` instead of `pid`";
}

std::optional<std::string> ProcessWatch::problem_of(pid_t process) const {
  auto opened = open(process);
  if (auto* problem = std::get_if<std::string>(&opened)) return std::move(*problem);
  return std::nullopt;
}

std::optional<std::string> ProcessWatch::watch(JobId job, pid_t process) {
  auto opened = open(process);
  if (auto* problem = std::get_if<std::string>(&opened)) return std::move(*problem);
  const int descriptor = std::get<Descriptor>(opened).release();
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
                                   // A stale event of a descriptor closed a moment ago may arrive
                                   // here.
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
