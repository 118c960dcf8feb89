#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// A source of jobs to notify whether this executor takes work. It starts unregistered; from then
/// on the two calls alternate. Both come from the admission thread, the last one from the thread
/// that destroys the governor. Neither may block for long or destroy the governor.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  /// Starts taking work.
  virtual void register_for_work() = 0;

  /// Stops taking work, with the reason. Running jobs continue.
  virtual void deregister(std::string_view reason) = 0;
};

}  // namespace sluice
