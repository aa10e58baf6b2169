// The other end of a link, as a separate process, for tests that kill it:
//
//   transport_test_peer worker FOLDER            serves unix:FOLDER/w and rings at FOLDER/r
//   transport_test_peer consumer FOLDER frames   reads from there; or `ring`
//
// Each says "ready" once it has something to be killed in, and ends with its standard input.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "preprocess/transport/testing/served_worker.h"
#include "preprocess/transport/testing/test_batches.h"
#include "rpc/server.h"

namespace tidemill::preprocess::testing {
namespace {

constexpr int64_t kBatches = 1000;
constexpr int64_t kBatchBytes = 100'000;
constexpr int64_t kCredit = int64_t{1} << 40;

void SayReady() {
  std::puts("ready");
  std::fflush(stdout);
}

int AwaitEndOfInput() {
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

int RunWorker(const std::string& folder, const rpc::Tokens& tokens) {
  TestOutboxes outboxes;
  outboxes.OnOpen([](Outbox& outbox) {
    for (int64_t i = 0; i < kBatches; ++i) outbox.Put(MakeMessage(0, i, kBatchBytes));
  });
  WorkerPool pool("test.worker", 1);
  WorkerFace face(outboxes, pool);
  const auto server = rpc::Server::Start({.listen = "unix:" + folder + "/w"}, tokens, {&face});
  if (!server.ok()) return Fail(server.status());
  const auto rings = RingServer::Start(RingSocketIn(folder), tokens, outboxes);
  if (!rings.ok()) return Fail(rings.status());
  SayReady();
  return AwaitEndOfInput();
}

int RunConsumer(const std::string& folder, const rpc::Tokens& tokens, Transport transport) {
  const auto token = tokens.TokenOf(rpc::v1::ROLE_SERVICE);
  if (!token.ok()) return Fail(token.status());
  v1::ReadBatchesRequest::Open open;
  open.set_job_id(1);
  open.add_lanes(0);
  Received received;
  const auto link =
      OpenLink({.endpoint = {}, .token = *token}, DescribeWorker("unix:" + folder + "/w", folder),
               open, {.transport = transport, .ring_bytes = 1 << 20}, received.Handler());
  link->Grant(kCredit, {});
  received.AwaitCount(1);
  SayReady();
  return AwaitEndOfInput();
}

int Run(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  const std::string folder = argc > 2 ? argv[2] : "";
  const auto tokens = rpc::Tokens::Read(folder + "/tokens");
  if (!tokens.ok()) return Fail(tokens.status());
  if (role == "worker") return RunWorker(folder, *tokens);
  const bool frames = argc > 3 && std::string(argv[3]) == "frames";
  return RunConsumer(folder, *tokens, frames ? Transport::kFrames : Transport::kRing);
}

}  // namespace
}  // namespace tidemill::preprocess::testing

int main(int argc, char** argv) { return tidemill::preprocess::testing::Run(argc, argv); }
