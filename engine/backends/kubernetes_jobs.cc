#include "engine/backends/kubernetes_jobs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "config/numbers.h"

namespace tidemill::engine {
namespace {

using Json = nlohmann::json;

const Json& None() {
  static const Json kNone;
  return kNone;
}

// The value of a path such as "status.phase"; null where there is none.
const Json& At(const Json& json, std::string_view path) {
  const Json* found = &json;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    if (!found->is_object()) return None();
    const auto it = found->find(std::string(path.substr(0, dot)));
    if (it == found->end()) return None();
    found = &*it;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return *found;
}

// A text of the cluster, as it may be shown.
std::string TextAt(const Json& json, std::string_view path) {
  constexpr size_t kMost = 200;
  const Json& value = At(json, path);
  if (!value.is_string()) return {};
  return Printable(WholeCharacters(value.get_ref<const std::string&>(), kMost));
}

std::optional<Timestamp> TimeAt(const Json& json, std::string_view path) {
  const auto time = ParseTimestamp(TextAt(json, path));
  return time.ok() ? std::optional(*time) : std::nullopt;
}

// The condition of this type, if it has this status.
const Json& ConditionOf(const Json& thing, std::string_view type, std::string_view status) {
  for (const Json& condition : At(thing, "status.conditions")) {
    if (TextAt(condition, "type") == type && TextAt(condition, "status") == status) {
      return condition;
    }
  }
  return None();
}

bool HasEnded(const Json& job) {
  return !ConditionOf(job, "Complete", "True").is_null() ||
         !ConditionOf(job, "Failed", "True").is_null();
}

// The state of the first container that has one of this kind, "waiting" or "terminated", and that
// did not just succeed.
const Json& ContainerState(const Json& pod, std::string_view kind) {
  for (const char* const list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& container : At(pod, list)) {
      const Json& state = At(At(container, "state"), kind);
      if (state.is_object() && At(state, "exitCode") != 0) return state;
    }
  }
  return None();
}

// A reason, and what explains it.
std::string ReasonOf(const std::string& reason, const Json& condition) {
  const std::string message = TextAt(condition, "message");
  return message.empty() ? reason : reason + ": " + message;
}

std::string WaitReason(const Json& pod) {
  const Json& unscheduled = ConditionOf(pod, "PodScheduled", "False");
  if (!unscheduled.is_null()) return ReasonOf(TextAt(unscheduled, "reason"), unscheduled);
  return TextAt(ContainerState(pod, "waiting"), "reason");
}

std::string DescribeEnd(const Json& job, const Json& pod) {
  const Json& state = ContainerState(pod, "terminated");
  std::string reason = TextAt(state, "reason");
  if (!reason.empty() && reason != "Error") return reason;
  if (const Json& code = At(state, "exitCode"); code.is_number_integer()) {
    return fmt::format("exit code {}", code.get<int64_t>());
  }
  std::string of_pod = TextAt(pod, "status.reason");
  if (!of_pod.empty()) return of_pod;
  const Json& failed = ConditionOf(job, "Failed", "True");
  if (failed.is_null()) return "exit code 0";
  const std::string of_job = TextAt(failed, "reason");
  return ReasonOf(of_job.empty() ? "failed" : of_job, failed);
}

// `pod` is null while there is none.
KubernetesJob Describe(int64_t number, const Json& job, const Json& pod) {
  Started started{.number = number,
                  .id = TextAt(pod.is_null() ? job : pod, "metadata.name"),
                  .host = TextAt(pod, "spec.nodeName"),
                  .since = TimeAt(job, "metadata.creationTimestamp")};
  if (At(job, "metadata.deletionTimestamp").is_string()) {
    started.phase = Phase::kEnding;
    started.since = TimeAt(job, "metadata.deletionTimestamp");
  } else if (At(job, "spec.suspend") == true) {
    started.reason = ReasonOf("Suspended", ConditionOf(job, "Suspended", "True"));
  } else if (TextAt(pod, "status.phase") == "Running") {
    started.phase = Phase::kRunning;
    started.since = TimeAt(pod, "status.startTime");
  } else {
    started.reason = WaitReason(pod);
  }
  return {.started = std::move(started), .how = HasEnded(job) ? DescribeEnd(job, pod) : ""};
}

}  // namespace

absl::StatusOr<std::map<int64_t, KubernetesJob>> ReadJobs(const std::string& text) {
  const Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& items = At(list, "items");
  if (!items.is_array()) {
    return Unavailable("kubectl get: the output has no list `items`: {}",
                       Quoted(WholeCharacters(text, 200)));
  }
  std::map<int64_t, const Json*> jobs;
  std::map<int64_t, const Json*> pods;
  for (const Json& item : items) {
    const auto number = config::ParseCount(TextAt(At(item, "metadata.labels"), kNumberLabel));
    if (!number.ok()) continue;
    if (TextAt(item, "kind") == "Job") {
      jobs[*number] = &item;
      continue;
    }
    // The newest pod of several, as after a suspension.
    const Json*& pod = pods[*number];
    constexpr std::string_view kCreated = "metadata.creationTimestamp";
    if (pod == nullptr || TextAt(*pod, kCreated) <= TextAt(item, kCreated)) pod = &item;
  }
  std::map<int64_t, KubernetesJob> described;
  for (const auto& [number, job] : jobs) {
    const auto pod = pods.find(number);
    described[number] = Describe(number, *job, pod == pods.end() ? None() : *pod->second);
  }
  return described;
}

}  // namespace tidemill::engine
