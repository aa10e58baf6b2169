// A network that reads the memory of its process finds no token but that of its job, and that
// opens nothing of others.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "grpcpp/generic/generic_stub.h"

#include "base/descriptor.h"
#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "rpc/access/tokens.h"
#include "rpc/grpc_status.h"
#include "tests/attack/attacked_stack.h"
#include "tests/attack/every_method.h"

namespace tidemill::tests {
namespace {

using ::testing::IsEmpty;

// How a job's token begins: its claims begin with the field `holder`.
constexpr char kJobToken[] = "job.C";

constexpr int64_t kHour = int64_t{3'600} * 1'000'000;

rpc::Tokens TokensOf(const Stack& stack) {
  return rpc::Tokens::Read(stack.state() + "/token").value();
}

// The end of a call with a request of one message.
absl::Status Call(const rpc::Peer& peer, const Method& method,
                  const google::protobuf::Message& request) {
  grpc::GenericStub stub(rpc::Connect(peer));
  grpc::ClientContext context;
  rpc::Prepare(peer, std::chrono::minutes{2}, context);
  context.set_wait_for_ready(true);
  grpc::CompletionQueue queue;
  const grpc::Slice slice(request.SerializeAsString());
  const grpc::ByteBuffer buffer(&slice, 1);
  const auto call = stub.PrepareUnaryCall(&context, method.Path(), buffer, &queue);
  grpc::ByteBuffer response;
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  return FromGrpc(status);
}

class JobTokensTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { attacked_ = new AttackedStack(); }
  static void TearDownTestSuite() { delete attacked_; }

  // Calls every method as a job with these claims. Returns "PATH: STATUS" for each that was not
  // refused with this code.
  static std::vector<std::string> NotRefused(const rpc::v1::JobClaims& claims,
                                             absl::StatusCode code) {
    const std::string token = TokensOf(attacked_->stack()).SignForJob(claims).value();
    std::vector<std::string> paths;
    for (const Method& method : AllMethods()) {
      rpc::Peer peer = attacked_->As(rpc::v1::ROLE_SERVICE, method.service);
      peer.token = token;
      const std::unique_ptr<google::protobuf::Message> request(
          google::protobuf::MessageFactory::generated_factory()
              ->GetPrototype(method.descriptor->input_type())
              ->New());
      FillInRequest(method, *request);
      const absl::Status status = Call(peer, method, *request);
      if (status.code() != code) paths.push_back(method.Path());
    }
    return paths;
  }

  static AttackedStack* attacked_;
};

AttackedStack* JobTokensTest::attacked_ = nullptr;

rpc::v1::JobClaims ClaimsOfRun(int64_t number) {
  rpc::v1::JobClaims claims;
  claims.set_holder(fmt::format("train-{0}-{0}", number));
  claims.set_expires_at(Now().micros + kHour);
  claims.set_run_id(number);
  claims.add_triggers(number);
  claims.add_dataset_ids(number);
  claims.add_model_ids(number);
  return claims;
}

// The requests name run, dataset, trigger and model 1.
TEST_F(JobTokensTest, OpenNothingOfOtherRunsDatasetsAndModels) {
  EXPECT_THAT(NotRefused(ClaimsOfRun(77), absl::StatusCode::kPermissionDenied),
              ::testing::UnorderedElementsAre(
                  // A job may know the workers.
                  "/tidemill.preprocess.v1.DispatcherService/ListWorkers",
                  // There is no such job; dispatcher_service_test.cc tries one of another job.
                  "/tidemill.preprocess.v1.WorkerService/ReadBatches"));
}

TEST_F(JobTokensTest, OpenNothingOnceTheyHaveExpired) {
  rpc::v1::JobClaims claims = ClaimsOfRun(1);
  claims.set_expires_at(Now().micros - 1);
  EXPECT_THAT(NotRefused(claims, absl::StatusCode::kUnauthenticated), IsEmpty());
}

TEST_F(JobTokensTest, OpenTheMethodsOfJobsAndNoOther) {
  const std::vector<std::string> open =
      NotRefused(ClaimsOfRun(1), absl::StatusCode::kPermissionDenied);
  const std::set<std::string> admitted(open.begin(), open.end());
  for (const Method& method : AllMethods()) {
    EXPECT_TRUE(method.Allows(rpc::v1::ROLE_JOB) || !admitted.contains(method.Path()))
        << method.Path();
  }
  EXPECT_TRUE(admitted.contains("/tidemill.storage.v1.StorageService/ReadSamples"));
  EXPECT_FALSE(admitted.contains("/tidemill.storage.v1.StorageService/ListDatasets"));
}

// Finds texts in the memory of a process, as far as it can be read.
std::set<std::string> FoundInMemory(int process, const std::vector<std::string>& texts) {
  std::set<std::string> found;
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  const tidemill::Descriptor memory(::open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY));
  std::string bytes;
  for (std::string line; memory.is_open() && std::getline(maps, line);) {
    uint64_t begin = 0;
    uint64_t end = 0;
    char mode[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, mode) != 3) continue;
    // What is written at run time; the rest are files.
    if (mode[0] != 'r' || mode[1] != 'w' || end - begin > (uint64_t{1} << 30)) continue;
    bytes.resize(end - begin);
    const ssize_t count =
        ::pread(memory.number(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (count <= 0) continue;
    const std::string_view read(bytes.data(), static_cast<size_t>(count));
    for (const std::string& text : texts) {
      if (read.find(text) != std::string_view::npos) found.insert(text);
    }
  }
  return found;
}

// Scans the processes of jobs, and those that jobs are forked from, until it is destroyed.
class MemoryWatch {
 public:
  MemoryWatch(const Stack& stack, std::vector<std::string> programs, std::vector<std::string> texts)
      : stack_(stack), programs_(std::move(programs)), texts_(std::move(texts)) {}

  // Runs a command, and scans until it has ended.
  CommandResult During(const std::vector<std::string>& words) {
    CommandResult result;
    std::atomic<bool> is_over = false;
    std::jthread command([&] {
      result = stack_.Tidemill(words);
      is_over = true;
    });
    while (!is_over) Scan();
    command.join();
    Scan();
    return result;
  }

  const std::set<std::string>& found() const { return found_; }
  int num_scanned() const { return num_scanned_; }

 private:
  void Scan() {
    for (const std::string& program : programs_) {
      for (const int process : stack_.Processes(program)) {
        found_.merge(FoundInMemory(process, texts_));
        ++num_scanned_;
      }
    }
  }

  const Stack& stack_;
  const std::vector<std::string> programs_;
  const std::vector<std::string> texts_;
  std::set<std::string> found_;
  int num_scanned_ = 0;
};

TEST(JobMemory, HoldsNoTokenOfTheStack) {
  Stack stack;
  const std::string pipeline = WriteSmallPipeline(stack.files());
  ASSERT_EQ(stack.Tidemill({"up"}, {{"TIDEMILL_DATA", stack.files()}}).exit_code, 0)
      << stack.Logs();
  const rpc::Tokens tokens = TokensOf(stack);
  std::vector<std::string> texts = {kJobToken};
  for (const auto role : {rpc::v1::ROLE_READER, rpc::v1::ROLE_OPERATOR, rpc::v1::ROLE_SERVICE}) {
    texts.push_back(tokens.TokenOf(role).value());
  }
  MemoryWatch watch(stack, {"tidemill-train", "tidemill-evaluate"}, texts);
  const CommandResult run = watch.During({"run", pipeline, "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  const CommandResult predicted =
      watch.During({"predict", "small", "--input", stack.files() + "/drift.csv"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_GT(watch.num_scanned(), 3);
  // The job's own: without it, nothing would have been looked for in the right place.
  EXPECT_THAT(watch.found(), ::testing::ElementsAre(kJobToken));
}

}  // namespace
}  // namespace tidemill::tests
