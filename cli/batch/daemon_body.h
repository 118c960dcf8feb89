#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "cli/batch/door.h"
#include "client/client.h"
#include "sluice/job.h"

namespace sluice::cli {

/// The body of a job's submit to a daemon. The batch's own names of jobs stay out of it: others
/// may have the same.
boost::json::object submit_body_of(const JobRequest& job);

/// The object in a reply; none: it is not from a daemon of ours.
std::optional<boost::json::object> object_of(const ClientReply& reply);

/// Why the daemon refused what was asked.
std::string message_of(const boost::json::object& refused);

/// Why a job's wait has ended without its being run.
std::string reason_of(const boost::json::object& job);

/// A job that runs, as it was answered; as the batch's `seq`.
BatchDoor::Admitted admitted_of(const boost::json::object& job, std::size_t seq);

}  // namespace sluice::cli
