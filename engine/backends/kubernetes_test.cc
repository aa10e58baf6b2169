// What the engine makes of a cluster's answers, and what it hands to one. The answers have the form
// of Kubernetes 1.29 and later, without the fields that nothing reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "base/testing/tree.h"
#include "config/config.h"
#include "engine/backend.h"
#include "engine/backends/kubernetes_jobs.h"

namespace tidemill::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::StatusIs;

// A Job with number 3 and with these fields in its `spec` and `status`.
std::string JobOf(const std::string& spec, const std::string& status,
                  const std::string& metadata = "") {
  return R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {
      "name": "tidemill-s-trainers-3", "creationTimestamp": "2026-11-30T08:00:00Z", )" +
         metadata + R"("labels": {"tidemill/stack": "s", "tidemill/group": "trainers",
      "tidemill/number": "3"}}, "spec": {"backoffLimit": 0)" +
         spec + R"(}, "status": {)" + status + "}}";
}

std::string PodOf(const std::string& status, const std::string& created = "2026-11-30T08:00:01Z",
                  const std::string& name = "tidemill-s-trainers-3-x7x2f") {
  return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ")" + name +
         R"(", "creationTimestamp": ")" + created + R"(", "labels": {
      "batch.kubernetes.io/job-name": "tidemill-s-trainers-3", "tidemill/stack": "s",
      "tidemill/group": "trainers", "tidemill/number": "3"}},
      "spec": {"nodeName": "gpu-node-7"}, "status": {)" +
         status + "}}";
}

KubernetesJob Read(const std::string& items) {
  const auto jobs = ReadJobs(R"({"apiVersion": "v1", "kind": "List", "items": [)" + items + "]}");
  EXPECT_THAT(jobs, IsOk());
  return jobs.ok() && jobs->contains(3) ? jobs->at(3) : KubernetesJob();
}

std::string EndOf(const std::string& pod_status, const std::string& job_reason = "") {
  return Read(JobOf("", R"("failed": 1, "conditions": [
                 {"type": "FailureTarget", "status": "True"},
                 {"type": "Failed", "status": "True", "reason": ")" +
                            job_reason + "\"}]") +
              (pod_status.empty() ? "" : "," + PodOf(pod_status)))
      .how;
}

TEST(KubernetesJobs, AJobWithoutAPodWaits) {
  const Started started = Read(JobOf("", "")).started;
  EXPECT_EQ(started.phase, Phase::kWaiting);
  EXPECT_EQ(started.number, 3);
  EXPECT_EQ(started.id, "tidemill-s-trainers-3");
  EXPECT_EQ(started.since, *ParseTimestamp("2026-11-30T08:00:00Z"));
}

TEST(KubernetesJobs, AJobInAQueueOfKueueSaysSo) {
  const Started started = Read(JobOf(R"(, "suspend": true)", R"("conditions": [
      {"type": "Suspended", "status": "True", "reason": "JobSuspended",
       "message": "Job suspended"}])"))
                              .started;
  EXPECT_EQ(started.phase, Phase::kWaiting);
  EXPECT_EQ(started.reason, "Suspended: Job suspended");
}

TEST(KubernetesJobs, APodThatFitsOnNoNodeSaysWhy) {
  const Started started = Read(JobOf("", R"("active": 1)") + "," + PodOf(R"("phase": "Pending",
      "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
      "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}])"))
                              .started;
  EXPECT_EQ(started.phase, Phase::kWaiting);
  EXPECT_EQ(started.reason,
            "Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");
}

TEST(KubernetesJobs, AContainerWithoutItsImageSaysSo) {
  const char* const scheduled = R"("phase": "Pending",
      "conditions": [{"type": "PodScheduled", "status": "True"}], )";
  EXPECT_EQ(Read(JobOf("", R"("active": 1)") + "," +
                 PodOf(std::string(scheduled) + R"("containerStatuses": [{"name": "tidemill",
      "state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off"}}}])"))
                .started.reason,
            "ImagePullBackOff");
  // An earlier container waits; the later one only waits for it.
  EXPECT_EQ(Read(JobOf("", R"("active": 1)") + "," +
                 PodOf(std::string(scheduled) + R"("initContainerStatuses": [{"name": "secrets",
      "state": {"waiting": {"reason": "CreateContainerConfigError"}}}],
      "containerStatuses": [{"name": "tidemill",
      "state": {"waiting": {"reason": "PodInitializing"}}}])"))
                .started.reason,
            "CreateContainerConfigError");
}

TEST(KubernetesJobs, APodThatRunsSaysWhereAndSinceWhen) {
  const Started started = Read(JobOf("", R"("active": 1, "ready": 1)") + "," +
                               PodOf(R"("phase": "Running", "startTime": "2026-11-30T08:00:05Z",
      "initContainerStatuses": [{"state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}],
      "containerStatuses": [{"state": {"running": {"startedAt": "2026-11-30T08:00:07Z"}}}])"))
                              .started;
  EXPECT_EQ(started.phase, Phase::kRunning);
  EXPECT_EQ(started.id, "tidemill-s-trainers-3-x7x2f");
  EXPECT_EQ(started.host, "gpu-node-7");
  EXPECT_EQ(started.reason, "");
  EXPECT_EQ(started.since, *ParseTimestamp("2026-11-30T08:00:05Z"));
}

TEST(KubernetesJobs, OfSeveralPodsTheNewestCounts) {
  const std::string old = PodOf(R"("phase": "Running")", "2026-11-30T07:00:00Z", "old");
  const std::string late = PodOf(R"("phase": "Pending")", "2026-11-30T09:00:00Z", "late");
  EXPECT_EQ(Read(JobOf("", "") + "," + old + "," + late).started.id, "late");
  EXPECT_EQ(Read(late + "," + old + "," + JobOf("", "")).started.id, "late");
}

TEST(KubernetesJobs, AJobThatIsBeingDeletedEnds) {
  const Started started =
      Read(JobOf("", R"("active": 1)", R"("deletionTimestamp": "2026-11-30T08:10:00Z", )") + "," +
           PodOf(R"("phase": "Running")"))
          .started;
  EXPECT_EQ(started.phase, Phase::kEnding);
  EXPECT_EQ(started.since, *ParseTimestamp("2026-11-30T08:10:00Z"));
}

TEST(KubernetesJobs, SaysHowAJobEnded) {
  EXPECT_EQ(EndOf(R"("phase": "Failed", "containerStatuses": [
                     {"state": {"terminated": {"exitCode": 3, "reason": "Error"}}}])"),
            "exit code 3");
  EXPECT_EQ(EndOf(R"("phase": "Failed", "containerStatuses": [
                     {"state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}])"),
            "OOMKilled");
  EXPECT_EQ(EndOf(R"("phase": "Failed", "reason": "Evicted")", "BackoffLimitExceeded"), "Evicted");
  EXPECT_EQ(EndOf("", "DeadlineExceeded"), "DeadlineExceeded");
  EXPECT_EQ(EndOf("", ""), "failed");
  EXPECT_EQ(Read(JobOf("", R"("succeeded": 1, "conditions": [
                     {"type": "Complete", "status": "True"}])") +
                 "," + PodOf(R"("phase": "Succeeded", "containerStatuses": [
                     {"state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}])"))
                .how,
            "exit code 0");
}

TEST(KubernetesJobs, PassesOverWhatIsNotOurs) {
  const auto jobs = ReadJobs(R"({"items": [{"kind": "Job", "metadata": {"name": "other"}}]})");
  ASSERT_THAT(jobs, IsOk());
  EXPECT_TRUE(jobs->empty());
}

TEST(KubernetesJobs, OtherOutputIsAnError) {
  EXPECT_THAT(ReadJobs("error: the server is away"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("'error: the server is away'")));
  EXPECT_THAT(ReadJobs("{}"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("items")));
}

// An engine whose kubectl keeps its arguments and input, and prints `answer`.
class KubernetesEngineTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const std::string path = files::Join(folder_.path(), name);
    EXPECT_THAT(files::WriteAtomically(path, text), IsOk());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  std::string Text(const std::string& name) const {
    return files::Read(files::Join(folder_.path(), name)).value_or("");
  }
  void Answer(const std::string& items) { Write("answer", R"({"items": [)" + items + "]}"); }

  absl::StatusOr<std::unique_ptr<Engine>> Open(const std::string& job,
                                               const std::string& stack = "s") {
    Write("job.yaml", job);
    Write("kubectl", R"sh(#!/bin/sh
cd "$(dirname "$0")"
echo "$@" >>calls
case $* in *apply*) cat >applied ;; *get*) cat answer ;; esac
)sh");
    const auto spec = config::Read<BackendSpec>(
        "{type: kubernetes, namespace: mill, queue: gpus, job: " + folder_.path() +
            "/job.yaml, kubectl: " + folder_.path() + "/kubectl}",
        "engine.yaml");
    EXPECT_THAT(spec, IsOk());
    return (*spec)->Open({.name = stack, .folder = folder_.path()});
  }

  const std::string job_ =
      "# A comment with $NOTHING.\n"
      "name: $NAME\n"
      "labels: {stack: $STACK, group: $GROUP, number: \"$NUMBER\"}\n"
      "queue: $QUEUE\n"
      "command: $COMMAND\n"
      "secret: $PROGRAM-secrets\n"
      "env: $MEMBER\n"
      "limits: {memory: $MEMORY, gpu: $GPUS}\n"
      "cpu: $PROCESSORS\n";
  testing::TempFolder folder_;
  const Group group_{.name = "trainers",
                     .command = {"/opt/bin/tidemill-trainer-server", "--config", "a \"b\".yaml"},
                     .resources = {.memory_bytes = 1024, .gpus = 2}};
  const std::vector<int64_t> three_ = {3};
};

TEST_F(KubernetesEngineTest, AJobIsTheTemplateWithItsValues) {
  const auto engine = Open(job_);
  ASSERT_THAT(engine, IsOk());
  Answer("");
  ASSERT_THAT((*engine)->Start(group_, three_), IsOk());
  EXPECT_EQ(Text("applied"), R"(---
name: tidemill-s-trainers-3
labels: {stack: s, group: trainers, number: "3"}
queue: gpus
command: ["/opt/bin/tidemill-trainer-server","--config","a \"b\".yaml"]
secret: trainer-server-secrets
env: trainers/3
limits: {memory: 1024, gpu: 2}
)");
  EXPECT_THAT(Text("calls"), HasSubstr("--namespace mill get jobs,pods --selector tidemill/stack=s,"
                                       "tidemill/group=trainers --output json\n"));
}

TEST_F(KubernetesEngineTest, FillsTheTemplateOfTheManifests) {
  const auto job = files::Read(testing::InTree("deploy/kubernetes/components/jobs/job.yaml"));
  ASSERT_THAT(job, IsOk());
  const auto engine = Open(*job);
  ASSERT_THAT(engine, IsOk());
  Answer("");
  ASSERT_THAT((*engine)->Start(group_, three_), IsOk());
  EXPECT_THAT(
      Text("applied"),
      AllOf(HasSubstr("\n  name: tidemill-s-trainers-3\n"), HasSubstr("queue-name: gpus\n"),
            HasSubstr("nvidia.com/gpu: 2\n"), Not(HasSubstr("cpu: $")), Not(HasSubstr("$"))));
}

TEST_F(KubernetesEngineTest, OneThatHasEndedMakesRoomForTheNextOfItsNumber) {
  const auto engine = Open(job_);
  ASSERT_THAT(engine, IsOk());
  Answer(JobOf("", R"("conditions": [{"type": "Failed", "status": "True"}])"));
  ASSERT_THAT((*engine)->Start(group_, three_), IsOk());
  EXPECT_THAT(Text("calls"), HasSubstr("delete job tidemill-s-trainers-3 --ignore-not-found "
                                       "--cascade=foreground --wait=true\n"));
  EXPECT_THAT(Text("applied"), Not(IsEmpty()));
}

TEST_F(KubernetesEngineTest, SaysOnceHowThoseEndedThatItHasSeenAlive) {
  const auto engine = Open(job_);
  ASSERT_THAT(engine, IsOk());
  const std::string failed = JobOf("", R"("conditions": [
      {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}])");
  for (const std::string& answer : {failed, JobOf("", ""), failed, failed}) {
    Answer(answer);
    ASSERT_THAT((*engine)->List(group_), IsOk());
  }
  EXPECT_THAT(
      (*engine)->TakeEnded(group_),
      ElementsAre(AllOf(Field(&Ended::number, 3), Field(&Ended::how, "BackoffLimitExceeded"))));
  EXPECT_THAT((*engine)->TakeEnded(group_), IsEmpty());
}

TEST_F(KubernetesEngineTest, RefusesATemplateThatItCannotFill) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(Open("name: $NAME\n"), StatusIs(invalid, HasSubstr("there is no $STACK")));
  EXPECT_THAT(Open(job_ + "cpu: $CPUS\n"), StatusIs(invalid, HasSubstr("$CPUS is unknown")));
  EXPECT_THAT(Open(job_, "Mill"), StatusIs(invalid, HasSubstr("has capitals")));
}

}  // namespace
}  // namespace tidemill::engine
