// Bodies that `sluice-launch` may take for the daemon's answers.
#include <string>

#include "client/answer.h"
#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  for (const int status : {200, 404}) {
    const auto answer = read_answer({status, std::string(text)}, "/s.sock");
    const auto* job = std::get_if<JobAnswer>(&answer);
    if (!job) continue;
    require(status == 200, "an error is no job");
    require(!job->number.empty(), "a job has a number");
    require(job->environment.empty() || job->state == JobAnswer::State::running,
            "a job that waits is told of no permit");
    require(!job->nice || (*job->nice >= -20 && *job->nice <= 19), "nice is one");
  }
}
