#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice::cli {

/// The terms on which an admitted job runs.
struct JobTerms {
  std::map<std::string, std::string> environment;  ///< Variables that name the items it holds.
  std::vector<std::string> ignored = {};           ///< Variables that the daemon may not set.
  std::optional<int> nice;
  std::optional<Bytes> memory_high = {}, memory_max = {};  ///< Of its group, if it has one.
  std::optional<Duration> expected = {};                   ///< By runs of its own key.
};

/// From the daemon's answer about a running job; throws what boost::json throws if it is not one.
JobTerms terms_of(const boost::json::object& job);

/// The process that holds a job's lease; nullopt if there is none or the lease is over.
std::optional<std::int64_t> process_of(const boost::json::object& job);

}  // namespace sluice::cli
