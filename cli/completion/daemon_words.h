#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "cli/command_line/completion.h"

namespace sluice::cli {

// Words of the daemon's answers. Others than this user may have chosen them: words that are not
// plain text or would be options are left out. All functions are pure and never throw for any
// answer.

/// Ids, in the answer to GET /v1/jobs, each with its state and key.
std::vector<CompletionWord> job_words(const boost::json::object& jobs);

/// Keys in the same answer, each once.
std::vector<CompletionWord> key_words(const boost::json::object& jobs);

/// Queues, in the answer to GET /v1/status.
std::vector<CompletionWord> queue_words(const boost::json::object& status);

/// "db=" for each resource manager in the same answer.
std::vector<CompletionWord> manager_words(const boost::json::object& status);

/// The words for the value `value` of an option, such as "JOB", from a daemon at `socket` (empty
/// for the default search). Empty if there is none or it takes more than half a second to answer;
/// never starts one and never reports an error.
std::vector<CompletionWord> words_of_daemon(const std::string& value, const std::string& socket);

}  // namespace sluice::cli
