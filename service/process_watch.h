#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "sluice/units.h"

namespace sluice {

/// How many descriptors this process may have open.
std::uint64_t descriptor_limit();

/// Raises that to the most that this process may set, for each watched process takes one. The new
/// limit.
std::uint64_t raise_descriptor_limit();

/// Tells when processes end, which need not be children, without ever mistaking a later process
/// of the same number for one of them. Belongs to the io_context's thread.
class ProcessWatch {
 public:
  /// `ended` is called once for each watched job whose process ends before `unwatch`.
  ProcessWatch(boost::asio::io_context& context, std::function<void(JobId)> ended);
  ~ProcessWatch();

  /// What is wrong, if the process cannot be watched: there is none, or too few descriptors are
  /// left; the last 64 are kept for connections.
  std::optional<std::string> watch(JobId job, pid_t process);
  void unwatch(JobId job);

 private:
  struct Watched;
  void wait(JobId job, const std::shared_ptr<Watched>& watched);

  boost::asio::io_context& context_;
  std::function<void(JobId)> ended_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Watched>> watched_;
};

}  // namespace sluice
