#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "base/descriptors.h"
#include "sluice/units.h"

namespace sluice {

/// Reports the end of processes, which need not be children, and never mistakes a later process
/// with the same pid for one of them. Belongs to the io_context's thread.
class ProcessWatch {
 public:
  /// Calls `ended` once for each watched job whose process ends before `unwatch`. `most`: how many
  /// processes it watches at once.
  ProcessWatch(boost::asio::io_context& context, std::size_t most, std::function<void(JobId)> ended)
      : context_(context), most_(most), ended_(std::move(ended)) {}
  ~ProcessWatch();

  /// Why the process cannot be watched at this moment; nullopt if it can.
  std::optional<std::string> problem_of(pid_t process) const;

  /// Returns the problem if the process cannot be watched: it does not exist, or too many are
  /// watched.
  std::optional<std::string> watch(JobId job, pid_t process);
  void unwatch(JobId job);

 private:
  struct Watched;
  std::variant<Descriptor, std::string> open(pid_t process) const;
  void wait(JobId job, const std::shared_ptr<Watched>& watched);

  boost::asio::io_context& context_;
  const std::size_t most_;
  std::function<void(JobId)> ended_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Watched>> watched_;
};

}  // namespace sluice
