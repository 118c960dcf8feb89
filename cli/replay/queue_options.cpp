#include "cli/replay/queue_options.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sluice::cli {

std::string default_queue(const QueueingOptions& options) {
  if (options.queues.empty() || options.queues.contains("default")) return "default";
  return options.queues.begin()->first;
}

std::string queue_of(const QueueingOptions& options, const JobRequest& job) {
  const auto key = options.keys.find(job.key);
  if (job.queue.empty() && key != options.keys.end() && key->second.queue) {
    return *key->second.queue;
  }
  // "/make-1" is a branch of the default queue.
  const bool is_whole = !job.queue.empty() && !job.queue.starts_with('/');
  return is_whole ? job.queue : default_queue(options) + job.queue;
}

bool keep_old(const QueueingOptions& old, QueueingOptions& options) {
  const std::size_t queues = options.queues.size(), managers = options.resources.size();
  options.queues.insert(old.queues.begin(), old.queues.end());
  options.resources.insert(old.resources.begin(), old.resources.end());
  std::vector<std::string>& levels = options.contention.levels;
  const std::size_t known = levels.size();
  for (const std::string& level : old.contention.levels) {
    if (std::ranges::find(levels, level) == levels.end()) levels.push_back(level);
  }
  return options.queues.size() > queues || options.resources.size() > managers ||
         levels.size() > known;
}

}  // namespace sluice::cli
