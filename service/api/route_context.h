#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "metrics/service_facts.h"
#include "service/access/access.h"
#include "service/api/route.h"
#include "service/api/route_callbacks.h"
#include "service/api/view_job.h"
#include "service/jobs/jobs.h"
#include "sluice/governor.h"

namespace sluice {

/// Whether an answer goes to a client that may change the job, and so may have its permit's token.
enum class Reader { may_modify, observes };

/// What the groups of routes share. Used on the service's thread.
struct RouteContext {
  Governor& governor;
  RouteCallbacks callbacks;
  Jobs jobs;
  Access access = {};
  /// Requests answered since the start, by route and code.
  std::vector<ClientRequests> counted = {};
  bool leaving = false;   ///< A drain of the governor is final.
  bool stopping = false;  ///< No more jobs are accepted.

  void count(const std::string& op, int code);
  JobNames names() const {
    return [this](JobId job) { return jobs.name_of(job); };
  }
  /// What an answer shows of jobs at this instant.
  JobContext job_context(const Instant& instant) const;
  /// Why the client may not submit this; nullopt if it may.
  std::optional<ApiError> refuse_submit(const Submit& submit, const RouteCall& call) const;
  /// Builds the answer to a submit; if that fails, the submit fails.
  template <typename Work>
  RouteAnswer answer_or_end(const Jobs::Submitted& submitted, Work&& work);
};

/// Parses the `outcome` of a query; an empty text is ok.
std::variant<Outcome, ApiError> parse_outcome(const std::string& text);

template <typename Work>
RouteAnswer RouteContext::answer_or_end(const Jobs::Submitted& submitted, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    // The client does not know of the job.
    if (submitted.how == Jobs::Submitted::How::added) {
      jobs.end(submitted.job->number, LeaseEnd::finish, Outcome::cancelled);
    }
    throw;
  }
}

}  // namespace sluice
