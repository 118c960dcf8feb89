#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sluice/units.h"

namespace sluice::cli {

/// On what terms an admitted job runs.
struct JobTerms {
  std::map<std::string, std::string> environment;  ///< What tells it the items it holds.
  std::optional<int> nice;
  std::optional<Bytes> memory_high, memory_max;  ///< Of its group, where it has one.
};

/// From the daemon's answer about a job that runs; throws what boost::json throws if it is none.
JobTerms terms_of(const boost::json::object& job);

/// A number of bytes in such an answer; none: it is null, or not there.
std::optional<Bytes> bytes_at(const boost::json::object& job, const char* field);

/// The process that a job's lease hangs on; none: on none, or it is over.
std::optional<std::int64_t> process_of(const boost::json::object& job);

}  // namespace sluice::cli
