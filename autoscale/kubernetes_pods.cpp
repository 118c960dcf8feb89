#include "autoscale/kubernetes_pods.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <set>

#include "autoscale/json_reading.h"

namespace sluice {
namespace {
namespace json = boost::json;

const char* const kNotKubernetes = "the answer is not from a Kubernetes API server";

std::int64_t number_or_zero(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_ready(const json::value& pod) {
  if (text_at(pod, "/status/phase") != "Running") return false;
  const json::value* conditions = find_at(pod, "/status/conditions");
  if (!conditions || !conditions->is_array()) return false;
  return std::ranges::any_of(conditions->get_array(), [](const json::value& each) {
    return text_at(each, "/type") == "Ready" && text_at(each, "/status") == "True";
  });
}

std::string revision_of(const json::value& pod) {
  const std::string set = text_at(pod, "/metadata/labels/controller-revision-hash");
  return set.empty() ? text_at(pod, "/metadata/labels/pod-template-hash") : set;
}

Pod pod_of(const json::value& value) {
  const std::string phase = text_at(value, "/status/phase");
  Pod pod;
  pod.name = text_at(value, "/metadata/name");
  pod.address = text_at(value, "/status/podIP");
  pod.revision = revision_of(value);
  pod.started = phase == "Running";
  pod.ready = is_ready(value);
  pod.leaving = find_at(value, "/metadata/deletionTimestamp") != nullptr || phase == "Succeeded" ||
                phase == "Failed";
  pod.deletion_cost = number_or_zero(
      text_at(value, "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost"));
  return pod;
}

/// The number at the end of a StatefulSet pod's name; -1 if there is none.
std::int64_t ordinal_of(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash + 1 == name.size()) return -1;
  const std::string_view digits = std::string_view(name).substr(dash + 1);
  const bool numeric = digits.find_first_not_of("0123456789") == digits.npos;
  return numeric ? number_or_zero(digits) : -1;
}

Removable highest_numbers(const std::set<std::string>& wanted, std::vector<const Pod*> pods) {
  std::sort(pods.begin(), pods.end(), [](const Pod* one, const Pod* other) {
    return ordinal_of(one->name) > ordinal_of(other->name);
  });
  Removable removable;
  for (const Pod* pod : pods) {
    if (!wanted.contains(pod->name)) {
      if (removable.ids.size() < wanted.size()) {
        removable.reason = "a StatefulSet removes " + pod->name + " first, which is not drained";
      }
      break;
    }
    removable.ids.push_back(pod->name);
  }
  return removable;
}

Removable none(std::string reason) { return {{}, std::move(reason)}; }

Removable cheapest(const std::set<std::string>& wanted, const std::vector<const Pod*>& pods) {
  Removable removable;
  for (const Pod* pod : pods) {
    if (pod->revision != pods.front()->revision) {
      return none("the Deployment is changing its version, and Kubernetes removes pods of both");
    }
    if (wanted.contains(pod->name)) {
      removable.ids.push_back(pod->name);
      continue;
    }
    if (!pod->ready)
      return none(pod->name + " is not ready, and Kubernetes removes such pods first");
    if (pod->deletion_cost <= kFirstToGo) {
      return none(pod->name + " has the lowest possible pod-deletion-cost");
    }
  }
  return removable;
}

}  // namespace

std::variant<WorkloadScale, std::string> parse_scale(std::string_view text) {
  const auto value = parse_object(text);
  if (!value) return std::string(kNotKubernetes);
  const json::value* spec = find_at(*value, "/spec");
  if (!spec || !spec->is_object()) return std::string(kNotKubernetes);
  WorkloadScale scale;
  // Zero is omitted.
  if (const json::value* replicas = find_at(*value, "/spec/replicas")) {
    json::error_code problem;
    scale.replicas = replicas->to_number<std::int64_t>(problem);
    if (problem || scale.replicas < 0) return std::string(kNotKubernetes);
    if (scale.replicas > kMostReplicas) {
      return "the workload's spec.replicas is " + std::to_string(scale.replicas) +
             ", and at most " + std::to_string(kMostReplicas) + " are supported";
    }
  }
  scale.version = text_at(*value, "/metadata/resourceVersion");
  scale.selector = text_at(*value, "/status/selector");
  if (scale.version.empty() || scale.selector.empty()) return std::string(kNotKubernetes);
  return scale;
}

std::variant<std::vector<Pod>, std::string> parse_pods(std::string_view text) {
  const auto value = parse_object(text);
  const json::value* items = value ? find_at(*value, "/items") : nullptr;
  if (!items || !items->is_array()) return std::string(kNotKubernetes);
  std::vector<Pod> pods;
  for (const json::value& item : items->get_array()) {
    pods.push_back(pod_of(item));
    if (pods.back().name.empty()) return std::string(kNotKubernetes);
  }
  return pods;
}

Removable certain_to_go(const std::vector<std::string>& ids, WorkloadKind kind,
                        const WorkloadScale& scale, const std::vector<Pod>& pods) {
  std::vector<const Pod*> staying;
  for (const Pod& pod : pods) {
    if (!pod.leaving) staying.push_back(&pod);
  }
  if (scale.replicas != static_cast<std::int64_t>(staying.size())) {
    return none(std::to_string(scale.replicas) + " pods are wanted and " +
                std::to_string(staying.size()) + " exist: Kubernetes is already changing that");
  }
  const std::set<std::string> wanted(ids.begin(), ids.end());
  return kind == WorkloadKind::stateful_set ? highest_numbers(wanted, std::move(staying))
                                            : cheapest(wanted, staying);
}

}  // namespace sluice
