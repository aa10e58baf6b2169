// Shuffled samples with their labels over TCP on loopback against a stream of 1 MiB messages whose
// slices are a mapped file's, both copied out of gRPC's memory by the client.
//
//   read_grpc_bench               measures
//   read_grpc_bench --send FILE   serves the yardstick: prints its port, ends with its input
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"

#include "base/memory/heap.h"
#include "benchmarks/paired.h"
#include "benchmarks/second_process.h"
#include "benchmarks/served_records.h"
#include "storage/filesystems/local.h"

namespace tidemill::benchmarks {
namespace {

constexpr size_t kMessageBytes = size_t{1} << 20;
constexpr size_t kNumKeys = 262'144;
// Payload, key and label.
constexpr int64_t kBytesPerSample = kPayloadBytes + 8 + 8;

// Sends as many bytes of a mapping as were asked for.
class MappingWriter final : public grpc::ServerGenericBidiReactor {
 public:
  explicit MappingWriter(const batch::Buffer& mapping) : mapping_(mapping) { StartRead(&request_); }
  void OnReadDone(bool ok) override {
    grpc::Slice slice;
    if (!ok || !request_.DumpToSingleSlice(&slice).ok() || slice.size() != sizeof(end_)) {
      Finish({grpc::StatusCode::INVALID_ARGUMENT, "the request is a number of bytes"});
      return;
    }
    std::memcpy(&end_, slice.begin(), sizeof(end_));
    end_ = std::min(end_, mapping_.size());
    WriteNext();
  }
  void OnWriteDone(bool ok) override {
    if (ok) {
      WriteNext();
    } else {
      Finish(grpc::Status::CANCELLED);
    }
  }
  void OnDone() override { delete this; }

 private:
  void WriteNext() {
    if (at_ == end_) {
      Finish(grpc::Status::OK);
      return;
    }
    const size_t size = std::min(kMessageBytes, end_ - at_);
    const grpc::Slice slice(mapping_.data() + at_, size, grpc::Slice::STATIC_SLICE);
    message_ = grpc::ByteBuffer(&slice, 1);
    at_ += size;
    StartWrite(&message_);
  }

  const batch::Buffer mapping_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;
  size_t at_ = 0;
  size_t end_ = 0;
};

class MappingService final : public grpc::CallbackGenericService {
 public:
  explicit MappingService(batch::Buffer mapping) : mapping_(std::move(mapping)) {}
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new MappingWriter(mapping_);
  }

 private:
  const batch::Buffer mapping_;
};

int Send(const std::string& path) {
  const auto file = storage::OpenFile::Open(path);
  Require(file.status());
  const auto identity = file->Identity();
  Require(identity.status());
  auto mapping = file->Map(static_cast<size_t>(identity->size_bytes));
  Require(mapping.status());
  MappingService service(*std::move(mapping));
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&service);
  const auto server = builder.BuildAndStart();
  fmt::print("{}\n", port);
  std::fflush(stdout);
  std::getchar();
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}

// Receives with a queue that this thread serves, which is the fastest that gRPC offers one stream.
class Receiver {
 public:
  explicit Receiver(const std::string& endpoint)
      : stub_(grpc::CreateChannel(endpoint, grpc::InsecureChannelCredentials())) {}

  // Copies `num_bytes` out; returns how many came.
  size_t Receive(size_t num_bytes, std::vector<char>& into) {
    grpc::ClientContext context;
    const auto stream = stub_.PrepareCall(&context, "/yardstick/Send", &queue_);
    stream->StartCall(nullptr);
    Await();
    const grpc::Slice slice(&num_bytes, sizeof(num_bytes));
    stream->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
    Await();
    size_t at = 0;
    grpc::ByteBuffer message;
    for (stream->Read(&message, nullptr); Await(); stream->Read(&message, nullptr)) {
      std::vector<grpc::Slice> slices;
      if (!message.Dump(&slices).ok()) Fail("a message cannot be read");
      for (const grpc::Slice& piece : slices) {
        std::memcpy(into.data() + at, piece.begin(), piece.size());
        at += piece.size();
      }
    }
    grpc::Status status;
    stream->Finish(&status, nullptr);
    Await();
    if (!status.ok()) Fail(status.error_message());
    return at;
  }

 private:
  bool Await() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
};

std::vector<int64_t> ShuffledKeys(const ServedRecords& records) {
  std::mt19937_64 random(1);
  std::vector<int64_t> keys(kNumKeys);
  for (int64_t& key : keys) {
    key = records.first_key() +
          static_cast<int64_t>(random() % static_cast<uint64_t>(records.num_samples()));
  }
  return keys;
}

void CheckContent(const ServedRecords& records, const std::vector<int64_t>& keys) {
  size_t at = 0;
  Require(records.client().ReadSamples(
      records.dataset(), keys,
      [&](const batch::Batch& rows, const std::vector<storage::v1::MissingSample>& missing) {
        if (!missing.empty()) return Internal("{}", missing.front().reason());
        const batch::Column& payload = *rows.Find(batch::kPayloadColumn);
        const auto labels = rows.Find(batch::kClassLabelColumn)->Values<int64_t>();
        for (int64_t row = 0; row < rows.num_rows(); ++row) {
          const int64_t key = keys[at++];
          const int64_t i = key - records.first_key();
          if (rows.keys()[row] != key || payload.Bytes(row) != ServedRecords::PayloadOf(i) ||
              labels[row] != ServedRecords::LabelOf(i)) {
            return Internal("sample {} came back as another", i);
          }
        }
        return absl::OkStatus();
      }));
  if (at != keys.size()) Fail("samples are missing");
}

// Blocks come as memory of our own: the client copied them out of gRPC's.
double ReadAll(const ServedRecords& records, const std::vector<int64_t>& keys) {
  size_t num_rows = 0;
  size_t num_bytes = 0;
  Require(records.client().ReadSamples(
      records.dataset(), keys,
      [&](const batch::Batch& rows, const std::vector<storage::v1::MissingSample>&) {
        num_rows += rows.keys().size();
        num_bytes += rows.Find(batch::kPayloadColumn)->data.size() + rows.keys().size_bytes() +
                     rows.Find(batch::kClassLabelColumn)->data.size();
        return absl::OkStatus();
      }));
  if (num_rows != keys.size()) Fail("samples are missing");
  return static_cast<double>(num_bytes);
}

int Run() {
  const ServedRecords records(NumSamples(10'000'000));
  const std::vector<int64_t> keys = ShuffledKeys(records);
  CheckContent(records, keys);
  const size_t num_bytes = kNumKeys * kBytesPerSample;
  std::vector<char> copied(num_bytes);
  // The yardstick's server, in a separate process.
  const SecondProcess sender("--send", records.file());
  Receiver receiver("127.0.0.1:" + sender.line());
  Report(Measure(
      "read_grpc", "GB/s", 1e9, [&] { return ReadAll(records, keys); },
      [&] { return static_cast<double>(receiver.Receive(num_bytes, copied)); }));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main(int argc, char** argv) {
  tidemill::KeepFreedPages();  // As our services do.
  if (argc == 3 && std::string(argv[1]) == "--send") return tidemill::benchmarks::Send(argv[2]);
  return tidemill::benchmarks::Run();
}
