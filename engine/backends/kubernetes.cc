// Jobs of Kubernetes, one for each process, by kubectl.
//
//   Start(3) --kubectl apply-->  Job tidemill-recommender-trainers-3 --> a pod, perhaps after Kueue
//   List()   --kubectl get---->  Jobs and pods with the labels of the group (kubernetes_jobs.h)
//   End(3)   --kubectl delete->  SIGTERM to the pod, SIGKILL after its
//   terminationGracePeriodSeconds
//
// What a Job looks like is a template of the user's, such as that of deploy/kubernetes/components/
// jobs. These are replaced in it; a line with a value that is not given is left out:
//
//   $NAME $STACK $GROUP $NUMBER $MEMBER  of this process; $MEMBER is "trainers/3"
//   $PROGRAM $COMMAND                    trainer-server; ["tidemill-trainer-server", "--config",
//   ...] $IMAGE $QUEUE                        of the settings $PROCESSORS $MEMORY $GPUS that the
//   group asks for
//
// The labels tidemill/stack, tidemill/group and tidemill/number must be on the Job and on its pod:
// by them a service that starts again finds the Jobs of its predecessor.
#include <algorithm>
#include <cctype>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "config/config.h"
#include "engine/backend.h"
#include "engine/backends/kubernetes_jobs.h"
#include "engine/run_program.h"

namespace tidemill::engine {

struct Kubernetes {
  static constexpr std::string_view kType = "kubernetes";
  static constexpr std::string_view kDoc = "Jobs of Kubernetes, by kubectl.";

  std::string job;
  std::string image = "tidemill";
  std::string queue = {};
  std::string cluster_namespace = {};
  std::string kubectl = "kubectl";
  Duration timeout{30'000'000};

  void Fields(auto&& field) {
    field("job", job, "The file with the template of a Job.",
          {.required = true, .example = "/etc/tidemill/job.yaml"});
    field("image", image, "The image of the pods.");
    field("queue", queue,
          "The queue of Kueue, kueue.x-k8s.io/queue-name, in which Jobs wait. Empty: none.");
    field("namespace", cluster_namespace,
          "Where the Jobs are. Empty: where this service runs, or where kubectl would look.");
    field("kubectl", kubectl, "The program kubectl: a path, or a name that PATH has.");
    field("timeout", timeout, "A call that takes longer is killed, and made again later.",
          {.min = 1, .max = 3600});
  }
};

namespace {

using Values = std::map<std::string, std::string>;

// A template without one of these would start what is not found again.
constexpr const char* kRequired[] = {"$NAME", "$STACK", "$GROUP", "$NUMBER", "$COMMAND"};

// Returns the line with its values; empty when one of them is not given. INVALID_ARGUMENT for a
// name that does not exist.
absl::StatusOr<std::string> FillLine(std::string_view line, const Values& values) {
  std::string filled;
  while (!line.empty()) {
    const size_t dollar = std::min(line.find('$'), line.size());
    filled += line.substr(0, dollar);
    line.remove_prefix(dollar);
    if (line.empty()) break;
    size_t end = 1;
    while (end < line.size() && line[end] >= 'A' && line[end] <= 'Z') ++end;
    const auto value = values.find(std::string(line.substr(0, end)));
    if (value == values.end()) {
      return InvalidArgument("{} is unknown; engine/backends/kubernetes.cc lists the names",
                             line.substr(0, end));
    }
    if (value->second.empty()) return "";
    filled += value->second;
    line.remove_prefix(end);
  }
  return filled + "\n";
}

absl::StatusOr<std::string> Fill(std::string_view job, const Values& values) {
  std::string filled = "---\n";
  while (!job.empty()) {
    const size_t end = std::min(job.find('\n'), job.size());
    const std::string_view line = job.substr(0, end);
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (!line.substr(begin).starts_with('#')) {
      ASSIGN_OR_RETURN(const std::string text, FillLine(line, values));
      filled += text;
    }
    job.remove_prefix(std::min(end + 1, job.size()));
  }
  return filled;
}

// "/opt/tidemill/bin/tidemill-trainer-server" is "trainer-server".
std::string ProgramOf(const Group& group) {
  constexpr std::string_view kPrefix = "tidemill-";
  std::string program = group.command.front().substr(group.command.front().rfind('/') + 1);
  if (program.starts_with(kPrefix)) program.erase(0, kPrefix.size());
  return program;
}

// A number that was asked for; empty for one that is left to the cluster.
std::string NumberOr(int64_t number) { return number > 0 ? std::to_string(number) : ""; }

class KubernetesEngine final : public Engine {
 public:
  KubernetesEngine(Kubernetes spec, std::string job, std::string stack)
      : spec_(std::move(spec)), job_(std::move(job)), stack_(std::move(stack)) {}

  absl::StatusOr<std::vector<Started>> List(const Group& group) override {
    ASSIGN_OR_RETURN(const auto jobs, Jobs(group));
    NoteEnded(group, jobs);
    std::vector<Started> started;
    for (const auto& [number, job] : jobs) {
      if (job.how.empty()) started.push_back(job.started);
    }
    alive_[group.name] = started;
    return started;
  }

  absl::Status Start(const Group& group, std::span<const int64_t> numbers) override {
    ASSIGN_OR_RETURN(const auto jobs, Jobs(group));
    std::string all;
    for (const int64_t number : numbers) {
      const auto job = jobs.find(number);
      if (job != jobs.end() && job->second.how.empty()) continue;
      // One that has ended is still there, so that its log can be read.
      if (job != jobs.end()) RETURN_IF_ERROR(Delete(group, number, /*wait=*/true));
      ASSIGN_OR_RETURN(const std::string filled, Fill(job_, ValuesOf(group, number)));
      all += filled;
    }
    if (all.empty()) return absl::OkStatus();
    return Call({"apply", "--filename", "-"}, all).status();
  }

  absl::Status End(const Group& group, const Started& process) override {
    return Delete(group, process.number, /*wait=*/false);
  }

  std::vector<Ended> TakeEnded(const Group& group) override {
    return std::exchange(ended_[group.name], {});
  }

  // Whether the template can be filled.
  absl::Status Check() const {
    for (const char* const name : kRequired) {
      if (job_.find(name) == std::string::npos) return InvalidArgument("there is no {}", name);
    }
    return Fill(job_, ValuesOf({.name = "workers", .command = {"sh"}}, 1)).status();
  }

 private:
  absl::StatusOr<std::map<int64_t, KubernetesJob>> Jobs(const Group& group) const {
    const std::string labels =
        fmt::format("tidemill/stack={},tidemill/group={}", stack_, group.name);
    ASSIGN_OR_RETURN(const std::string text,
                     Call({"get", "jobs,pods", "--selector", labels, "--output", "json"}, ""));
    return ReadJobs(text);
  }

  // Those that have ended, or are gone, since the last look.
  void NoteEnded(const Group& group, const std::map<int64_t, KubernetesJob>& jobs) {
    for (const Started& before : alive_[group.name]) {
      const auto now = jobs.find(before.number);
      if (now != jobs.end() && now->second.how.empty()) continue;
      ended_[group.name].push_back({.number = before.number,
                                    .id = before.id,
                                    .how = now == jobs.end() ? "deleted" : now->second.how});
    }
  }

  // The Job stays until its pod is gone, so that List() has it until then.
  absl::Status Delete(const Group& group, int64_t number, bool wait) const {
    return Call({"delete", "job", NameOf(group, number), "--ignore-not-found",
                 "--cascade=foreground", wait ? "--wait=true" : "--wait=false"},
                "")
        .status();
  }

  std::string NameOf(const Group& group, int64_t number) const {
    return fmt::format("tidemill-{}-{}-{}", stack_, group.name, number);
  }

  Values ValuesOf(const Group& group, int64_t number) const {
    return {{"$NAME", NameOf(group, number)},
            {"$STACK", stack_},
            {"$GROUP", group.name},
            {"$NUMBER", std::to_string(number)},
            {"$MEMBER", MemberOf(group, number)},
            {"$PROGRAM", ProgramOf(group)},
            {"$COMMAND", nlohmann::json(group.command).dump()},
            {"$IMAGE", spec_.image},
            {"$QUEUE", spec_.queue},
            {"$PROCESSORS", NumberOr(group.resources.processors)},
            {"$MEMORY", NumberOr(group.resources.memory_bytes)},
            {"$GPUS", NumberOr(group.resources.gpus)}};
  }

  absl::StatusOr<std::string> Call(std::vector<std::string> words, std::string input) const {
    if (!spec_.cluster_namespace.empty()) {
      words.insert(words.begin(), {"--namespace", spec_.cluster_namespace});
    }
    words.insert(words.begin(), spec_.kubectl);
    return RunProgram(words, {.input = std::move(input),
                              .timeout = std::chrono::milliseconds(spec_.timeout.micros / 1000)});
  }

  const Kubernetes spec_;
  const std::string job_;
  const std::string stack_;
  // As List() last saw them, by group.
  std::map<std::string, std::vector<Started>> alive_;
  std::map<std::string, std::vector<Ended>> ended_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenEngine(const Kubernetes& spec, const Stack& stack) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  if (std::any_of(stack.name.begin(), stack.name.end(),
                  [](unsigned char each) { return std::isupper(each) != 0; })) {
    return InvalidArgument("engine.stack: {} has capitals, which names in Kubernetes may not have",
                           stack.name);
  }
  ASSIGN_OR_RETURN(std::string job, files::Read(spec.job, kMostBytes));
  auto engine = std::make_unique<KubernetesEngine>(spec, std::move(job), stack.name);
  if (const absl::Status checked = engine->Check(); !checked.ok()) {
    return Annotate(checked, spec.job);
  }
  RETURN_IF_ERROR(RunProgram({spec.kubectl, "version", "--client"}).status());
  return engine;
}

TIDEMILL_PART(Backend, BackendOf, Kubernetes)

}  // namespace tidemill::engine
