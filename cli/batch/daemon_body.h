#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/batch/admission_backend.h"
#include "sluice/job.h"

namespace sluice::cli {

/// The body of a job's submit to a daemon. Leaves out the batch's own job ids: other batches may
/// use the same.
boost::json::object submit_body_of(const JobRequest& job);

/// Why a job's wait ended without a run.
std::string reason_of(const boost::json::object& job);

/// A running job from the daemon's answer, as the batch's job `seq`.
AdmissionBackend::Admitted admitted_of(const boost::json::object& job, std::size_t seq);

}  // namespace sluice::cli
