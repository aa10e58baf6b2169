// Batches of 1 MiB from a worker's outbox to a consumer's handler, over gRPC on TCP loopback,
// against a bare stream of gRPC's own messages of as many bytes, which are not read. Both take
// memory that is already allocated, and have their ends in two processes. stderr shows the
// processor time of both processes together.
//
//   worker_grpc_vs_raw_bench                  measures
//   worker_grpc_vs_raw_bench --worker FOLDER  the worker: prints its endpoints, ends with its input
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "fmt/format.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"

#include "base/memory/heap.h"
#include "base/numbers/random.h"
#include "base/threads/worker_pool.h"
#include "batch/wire.h"
#include "benchmarks/paired.h"
#include "benchmarks/second_process.h"
#include "preprocess/transport/batch_link.h"
#include "preprocess/transport/frame_sender.h"
#include "rpc/server.h"

namespace tidemill::benchmarks {
namespace {

using namespace preprocess;  // NOLINT: all that is measured here.

constexpr int64_t kBatchBytes = int64_t{1} << 20;
constexpr int64_t kBatches = 512;
constexpr int64_t kWindowBytes = int64_t{64} << 20;
constexpr int64_t kAheadBytes = int64_t{8} << 20;

[[noreturn]] void Fail(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::_Exit(1);
}
void Require(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}
template <typename T>
T Require(absl::StatusOr<T> result) {
  Require(result.status());
  return *std::move(result);
}

// Random numbers, which no compression makes smaller.
batch::Batch RandomRows() {
  batch::Buffer numbers = batch::Buffer::AllocateUnwritten(kBatchBytes);
  uint64_t state = 1;
  for (uint64_t& number : numbers.MutableAs<uint64_t>()) number = state = MixBits(state + 1);
  batch::Batch rows(kBatchBytes / 8);
  Require(rows.Set({.name = "input", .type = batch::DataType::kInt64, .data = std::move(numbers)}));
  return rows;
}

int64_t BytesOfOne() { return BytesOf({.rows = RandomRows()}); }

// Puts the same rows again and again.
class Producer final : public OutboxProvider {
 public:
  absl::StatusOr<std::shared_ptr<Outbox>> Open(const v1::ReadBatchesRequest::Open&,
                                               const rpc::JobScope&) override {
    auto outbox = std::make_shared<Outbox>(std::vector<int32_t>{0});
    pool_.Submit([outbox, rows = rows_] {
      for (int64_t number = 0; !outbox->closed().has_value();) {
        if (outbox->bytes() < kAheadBytes) {
          outbox->Put({.lane = 0, .number = number++, .rows = rows});
        } else {
          std::this_thread::sleep_for(std::chrono::microseconds{50});
        }
      }
    });
    return outbox;
  }

 private:
  const batch::Batch rows_ = RandomRows();
  WorkerPool pool_{"bench.producer", 1};
};

// Sends a message as often as it was asked to, again and again.
class RawWriter final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RawWriter(const batch::Buffer& bytes) : bytes_(bytes) { StartRead(&request_); }
  void OnReadDone(bool ok) override {
    grpc::Slice slice;
    if (!ok || !request_.DumpToSingleSlice(&slice).ok() || slice.size() != sizeof(left_)) {
      return Finish(grpc::Status::OK);
    }
    std::memcpy(&left_, slice.begin(), sizeof(left_));
    WriteNext();
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::CANCELLED);
    WriteNext();
  }
  void OnDone() override { delete this; }

 private:
  void WriteNext() {
    if (left_-- == 0) return StartRead(&request_);
    const grpc::Slice slice(bytes_.data(), bytes_.size(), grpc::Slice::STATIC_SLICE);
    message_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&message_);
  }

  const batch::Buffer bytes_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;
  int64_t left_ = 0;
};

class RawService final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new RawWriter(bytes_);
  }

 private:
  const batch::Buffer bytes_ = batch::Buffer::FromString(batch::Encode(RandomRows()));
};

int RunWorker(const std::string& folder) {
  const auto tokens = Require(rpc::Tokens::Read(folder + "/tokens"));
  Producer producer;
  WorkerPool pool("bench.worker", 1);
  WorkerFace face(producer, pool);
  const auto server = Require(rpc::Server::Start({.listen = "127.0.0.1:0"}, tokens, {&face}));
  RawService raw;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&raw);
  const auto raw_server = builder.BuildAndStart();
  fmt::print("{} 127.0.0.1:{}\n", server->endpoint(), port);
  std::fflush(stdout);
  std::getchar();
  std::_Exit(0);
}

// Waits until so much has come.
class Countdown {
 public:
  void Begin(int64_t count) {
    MutexLock lock(mutex_);
    left_ = count;
  }
  void Arrived() {
    MutexLock lock(mutex_);
    if (--left_ == 0) changed_.notify_all();
  }
  void Await() {
    MutexLock lock(mutex_);
    while (left_ > 0) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int64_t left_ ABSL_GUARDED_BY(mutex_) = 0;
};

class LinkReader {
 public:
  LinkReader(const std::string& endpoint, const std::string& token) {
    v1::Worker worker;
    worker.set_endpoint(endpoint);
    v1::ReadBatchesRequest::Open open;
    open.add_lanes(0);
    link_ = OpenLink(
        {.endpoint = {}, .token = token}, worker, open, {.transport = Transport::kFrames},
        {.batch = [this](const BatchMessage& message) { Take(message); },
         .ended = [](const absl::Status& status) { Fail("it ended: " + status.ToString()); }});
  }

  double ReadSome() {
    countdown_.Begin(kBatches);
    to_grant_ = kBatches * bytes_ - kWindowBytes;
    link_->Grant(kWindowBytes, {});
    countdown_.Await();
    return static_cast<double>(kBatches * bytes_);
  }

 private:
  void Take(const BatchMessage& message) {
    if (BytesOf(message) != bytes_) Fail("a batch came back as another");
    const int64_t granted = std::min(bytes_, to_grant_);
    to_grant_ -= granted;
    if (granted > 0) link_->Grant(granted, {});
    countdown_.Arrived();
  }

  const int64_t bytes_ = BytesOfOne();
  Countdown countdown_;
  int64_t to_grant_ = 0;  // For the thread that has a batch to take, or knows that there is none.
  std::unique_ptr<BatchLink> link_;
};

class RawReader final : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit RawReader(const std::string& endpoint)
      : stub_(grpc::CreateChannel(endpoint, grpc::InsecureChannelCredentials())) {
    done_.Begin(1);
    stub_.PrepareBidiStreamingCall(&context_, "/yardstick/Send", {}, this);
    AddHold();
    StartRead(&message_);
    StartCall();
  }
  ~RawReader() override {
    context_.TryCancel();
    RemoveHold();
    done_.Await();
  }

  double ReadSome() {
    countdown_.Begin(kBatches);
    const grpc::Slice slice(&kBatches, sizeof(kBatches));
    request_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&request_);
    countdown_.Await();
    return static_cast<double>(kBatches * bytes_);
  }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (static_cast<int64_t>(message_.Length()) != bytes_) Fail("a message has another length");
    StartRead(&message_);
    countdown_.Arrived();
  }
  void OnDone(const grpc::Status&) override { done_.Arrived(); }

  const int64_t bytes_ = BytesOfOne();
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;
  Countdown countdown_;
  Countdown done_;
};

int Run() {
  std::string folder = "/tmp/tidemill-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) Fail("no folder");
  Require(rpc::Tokens::Create(folder + "/tokens"));
  const std::string token =
      Require(Require(rpc::Tokens::Read(folder + "/tokens")).TokenOf(rpc::v1::ROLE_SERVICE));
  const benchmarks::SecondProcess worker("--worker", folder);
  const size_t blank = worker.line().find(' ');
  LinkReader link(worker.line().substr(0, blank), token);
  RawReader raw(worker.line().substr(blank + 1));
  double seconds[2] = {};
  double bytes[2] = {};
  const auto counted = [&](size_t which, auto& reader) {
    return [&, which] {
      const double before = worker.ProcessorSeconds();
      const double done = reader.ReadSome();
      seconds[which] += worker.ProcessorSeconds() - before;
      bytes[which] += done;
      return done;
    };
  };
  Report(Measure("worker_grpc_vs_raw", "GB/s", 1e9, counted(0, link), counted(1, raw)));
  fmt::print(stderr, "processor seconds per GiB: ours {:.3f}, raw {:.3f}\n",
             seconds[0] / bytes[0] * (1 << 30), seconds[1] / bytes[1] * (1 << 30));
  std::fflush(stdout);
  const std::string remove = "rm -r " + folder;
  return std::system(remove.c_str());
}

}  // namespace
}  // namespace tidemill::benchmarks

int main(int argc, char** argv) {
  tidemill::KeepFreedPages();  // As our services do.
  if (argc == 3 && std::string(argv[1]) == "--worker") {
    return tidemill::benchmarks::RunWorker(argv[2]);
  }
  return tidemill::benchmarks::Run();
}
