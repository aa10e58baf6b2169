// Batches of 1 MiB between two processes of one host, by shared memory and by gRPC over TCP
// loopback: the worker writes every byte of each, the consumer reads every byte. By shared memory
// the worker writes them where the consumer reads them, as what makes batches may; with outboxes in
// front of both, so that the ring's batches are copied once, is shown on stderr, as is the
// processor time of both processes together.
//
//   shm_vs_grpc_bench                  measures
//   shm_vs_grpc_bench --worker FOLDER  the worker: prints its endpoint, ends with its input
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"

#include "base/memory/heap.h"
#include "base/threads/worker_pool.h"
#include "batch/wire.h"
#include "benchmarks/paired.h"
#include "benchmarks/second_process.h"
#include "preprocess/ring/ring_packets.h"
#include "preprocess/transport/batch_link.h"
#include "preprocess/transport/frame_sender.h"
#include "preprocess/transport/ring_reader.h"
#include "preprocess/transport/ring_server.h"
#include "preprocess/transport/ring_writer.h"
#include "rpc/server.h"

namespace tidemill::benchmarks {
namespace {

using namespace preprocess;  // NOLINT: all that is measured here.

constexpr int64_t kBatchBytes = int64_t{1} << 20;
constexpr int64_t kBatches = 256;
constexpr int64_t kRingBytes = int64_t{64} << 20;
// What the consumer has granted and not read yet, both ways.
constexpr int64_t kWindowBytes = int64_t{16} << 20;
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

// A batch of one column whose numbers are there already, whatever they are.
batch::Batch BatchOf(batch::Buffer numbers) {
  batch::Batch rows(static_cast<int64_t>(numbers.size() / 8));
  Require(rows.Set({.name = "input", .type = batch::DataType::kInt64, .data = std::move(numbers)}));
  return rows;
}

void Write(std::byte* into, int64_t number) {
  auto* const values = reinterpret_cast<int64_t*>(into);
  std::iota(values, values + kBatchBytes / 8, number);
}

// Sums all of a batch that was written as above.
void Read(const batch::Batch& rows, int64_t number) {
  const auto values = rows.columns()[0].Values<int64_t>();
  const int64_t sum = std::accumulate(values.begin(), values.end(), int64_t{0});
  constexpr int64_t kCount = kBatchBytes / 8;
  if (sum != kCount * number + kCount * (kCount - 1) / 2) Fail("a batch came back as another");
}

// Makes batches as fast as they are taken.
class Producer final : public OutboxProvider {
 public:
  absl::StatusOr<std::shared_ptr<Outbox>> Open(const v1::ReadBatchesRequest::Open&,
                                               const rpc::JobScope&) override {
    auto outbox = std::make_shared<Outbox>(std::vector<int32_t>{0});
    pool_.Submit([outbox] { Produce(*outbox); });
    return outbox;
  }

 private:
  static void Produce(Outbox& outbox) {
    for (int64_t number = 0; !outbox.closed().has_value();) {
      if (outbox.bytes() >= kAheadBytes) {
        std::this_thread::sleep_for(std::chrono::microseconds{50});
        continue;
      }
      batch::Buffer numbers = batch::Buffer::AllocateUnwritten(kBatchBytes);
      Write(numbers.mutable_data(), number);
      outbox.Put({.lane = 0, .number = number++, .rows = BatchOf(std::move(numbers))});
    }
  }

  WorkerPool pool_{"bench.producer", 2};
};

// Writes batches into a ring in place, as many as were granted, until its reader is gone.
void ServeInPlace(const LocalSocket& listening) {
  while (!listening.Await(kLook)) {
  }
  const LocalSocket socket = *listening.Accept();
  const auto writer = Require(RingWriter::Create(kRingBytes, 1));
  Require(SendPacket(socket, "ring", writer->descriptor()));
  const std::string head = batch::EncodeHead(BatchOf(batch::Buffer::Allocate(kBatchBytes)));
  const auto offset =
      static_cast<int64_t>(batch::FirstBufferOffset(BatchOf(batch::Buffer::Allocate(kBatchBytes))));
  int64_t credit = 0;
  for (int64_t number = 0; ReceivePacket(socket).ok();) {
    const uint32_t seen = writer->seen();
    Require(writer->TakeBack());
    if (const auto grant = Require(writer->TakeGrant())) credit += grant->bytes;
    bool is_full = false;
    while (credit > 0 && !is_full) {
      const auto space = Require(writer->Reserve(offset + kBatchBytes, 0, RingGrowth::kNever));
      is_full = !space.has_value();
      if (is_full) break;
      std::memcpy(space->bytes.data(), head.data(), head.size());
      Write(space->bytes.data() + offset, number);
      writer->Commit(*space, {.lane = 0, .number = number++});
      credit -= kBatchBytes;
      Require(writer->TakeBack());
    }
    writer->Await(seen, is_full, kLook);
  }
}

int RunWorker(const std::string& folder) {
  const auto tokens = Require(rpc::Tokens::Read(folder + "/tokens"));
  Producer producer;
  WorkerPool pool("bench.worker", 1);
  WorkerFace face(producer, pool);
  const auto server = Require(rpc::Server::Start({.listen = "127.0.0.1:0"}, tokens, {&face}));
  const auto rings = Require(RingServer::Start(folder + "/r", tokens, producer));
  const LocalSocket listening = Require(LocalSocket::Listen(folder + "/p", kRingSocketKind));
  WorkerPool in_place("bench.in_place", 1);
  in_place.Submit([&listening] { ServeInPlace(listening); });
  fmt::print("{}\n", server->endpoint());
  std::fflush(stdout);
  std::getchar();
  std::_Exit(0);
}

// Reads through a link, with outboxes at its other end.
class LinkReader {
 public:
  LinkReader(const std::string& endpoint, const std::string& folder, const std::string& token,
             Transport transport) {
    v1::Worker worker;
    worker.set_endpoint(endpoint);
    worker.set_boot_id(BootId());
    worker.set_ring_socket(folder + "/r");
    v1::ReadBatchesRequest::Open open;
    open.add_lanes(0);
    link_ = OpenLink(
        {.endpoint = {}, .token = token}, worker, open,
        {.transport = transport, .ring_bytes = kRingBytes},
        {.batch = [this](const BatchMessage& message) { Take(message); },
         .ended =
             [](const absl::Status& status) { Fail("the link has ended: " + status.ToString()); }});
  }

  double ReadSome() {
    int64_t left = 0;
    {
      MutexLock lock(mutex_);
      to_grant_ = kBatches * bytes_per_batch_ - kWindowBytes;
      num_left_ = kBatches;
    }
    link_->Grant(kWindowBytes, {});
    MutexLock lock(mutex_);
    while ((left = num_left_) > 0) changed_.wait(mutex_);
    return static_cast<double>(kBatches * kBatchBytes);
  }

 private:
  void Take(const BatchMessage& message) {
    Read(message.rows, message.number);
    int64_t bytes = 0;
    {
      MutexLock lock(mutex_);
      bytes = std::min(bytes_per_batch_, to_grant_);
      to_grant_ -= bytes;
      --num_left_;
      changed_.notify_all();
    }
    if (bytes > 0) link_->Grant(bytes, {});
  }

  const int64_t bytes_per_batch_ = BytesOf({.rows = BatchOf(batch::Buffer::Allocate(kBatchBytes))});
  Mutex mutex_;
  CondVar changed_;
  int64_t to_grant_ = 0;
  int64_t num_left_ = 0;
  std::unique_ptr<BatchLink> link_;
};

// Reads what is written in place.
class RingBatches {
 public:
  explicit RingBatches(const std::string& path) {
    socket_ = Require(LocalSocket::Connect(path, kRingSocketKind));
    while (!socket_.Await(kLook)) {
    }
    auto packet = Require(ReceivePacket(socket_));
    reader_ = Require(RingReader::Open(std::move(packet->descriptor), 1));
  }

  double ReadSome() {
    int64_t to_grant = kBatches * kBatchBytes - kWindowBytes;
    reader_->Grant(kWindowBytes, {});
    for (int64_t left = kBatches; left > 0;) {
      const uint32_t seen = reader_->seen();
      while (const auto popped = Require(reader_->Pop())) {
        Read(popped->message.rows, popped->message.number);
        --left;
        if (to_grant > 0) reader_->Grant(kBatchBytes, {});
        to_grant -= kBatchBytes;
      }
      if (left > 0) reader_->Await(seen, kLook);
    }
    return static_cast<double>(kBatches * kBatchBytes);
  }

 private:
  LocalSocket socket_;
  std::shared_ptr<RingReader> reader_;
};

int Run() {
  std::string folder = "/tmp/tidemill-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) Fail("no folder");
  Require(rpc::Tokens::Create(folder + "/tokens"));
  const std::string token =
      Require(Require(rpc::Tokens::Read(folder + "/tokens")).TokenOf(rpc::v1::ROLE_SERVICE));
  const benchmarks::SecondProcess worker("--worker", folder);
  RingBatches in_place(folder + "/p");
  LinkReader frames(worker.line(), folder, token, Transport::kFrames);
  LinkReader ring(worker.line(), folder, token, Transport::kRing);
  double seconds[3] = {};
  double bytes[3] = {};
  const auto counted = [&](size_t which, auto& reader) {
    return [&, which] {
      const double before = worker.ProcessorSeconds();
      const double done = reader.ReadSome();
      seconds[which] += worker.ProcessorSeconds() - before;
      bytes[which] += done;
      return done;
    };
  };
  const PairedResult copied =
      Measure("shm_vs_grpc", "GB/s", 1e9, counted(1, ring), counted(2, frames));
  fmt::print(stderr, "through outboxes: {:.3f} ({:.3f} to {:.3f}), ours {:.3g} {}\n", copied.ratio,
             copied.min, copied.max, copied.ours, copied.unit);
  Report(Measure("shm_vs_grpc", "GB/s", 1e9, counted(0, in_place), counted(2, frames)));
  const auto per_gibibyte = [&](size_t i) { return seconds[i] / bytes[i] * (1 << 30); };
  fmt::print(stderr,
             "processor seconds per GiB: in place {:.3f}, through the ring {:.3f}, gRPC {:.3f}\n",
             per_gibibyte(0), per_gibibyte(1), per_gibibyte(2));
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
