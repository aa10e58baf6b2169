#include "supervisor/requests/named_files.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "supervisor/pipeline/torchscript_file.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {

namespace {

// As long as the model store keeps files that no pipeline names.
constexpr int64_t kKeptMicros = int64_t{3'600} * 1'000'000;

// Whether a file begins as weights do: with the length of a header, in eight bytes, and a JSON
// object. A training reads the rest. A value.
class WeightsLook {
 public:
  void Add(std::string_view bytes) {
    file_bytes_ += bytes.size();
    head_ += bytes.substr(0, kHeadBytes - head_.size());
  }
  bool AreWeights() const {
    if (head_.size() < kHeadBytes || head_.back() != '{') return false;
    static_assert(std::endian::native == std::endian::little);
    uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, head_.data(), sizeof header_bytes);
    return header_bytes <= file_bytes_ - sizeof header_bytes;
  }

 private:
  static constexpr size_t kHeadBytes = sizeof(uint64_t) + 1;
  std::string head_;
  uint64_t file_bytes_ = 0;
};

}  // namespace

absl::Status NamedFiles::TakeNetwork(const v1::SendNetworkRequest::Header& header,
                                     const Downstream::NextBytes& next) const {
  ASSIGN_OR_RETURN(const bool is_new, Reserve(header));
  const absl::Status taken = TakeBytes(header, next);
  if (!taken.ok() && is_new) {
    MutexLock lock(mutex_);
    unnamed_.erase(header.digest());
  }
  return taken;
}

absl::StatusOr<bool> NamedFiles::Reserve(const v1::SendNetworkRequest::Header& header) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> named, FindNamed());
  MutexLock lock(mutex_);
  for (const std::string& digest : named) unnamed_.erase(digest);
  const Timestamp oldest{Now().micros - kKeptMicros};
  std::erase_if(unnamed_, [&](const auto& entry) { return entry.second.at < oldest; });
  int64_t bytes = std::max<int64_t>(header.size_bytes(), 0);
  for (const auto& [digest, sent] : unnamed_) bytes += digest == header.digest() ? 0 : sent.bytes;
  if (bytes > kMaxUnnamedBytes) {
    return ResourceExhausted(
        "networks without a pipeline would have {} bytes, and the most is {}; submit the pipelines "
        "of those that were sent, or wait for an hour",
        bytes, kMaxUnnamedBytes);
  }
  const Sent sent{.bytes = std::max<int64_t>(header.size_bytes(), 0), .at = Now()};
  return unnamed_.insert_or_assign(header.digest(), sent).second;
}

// The last piece waits for the judgement of all: what is refused is not kept.
absl::Status NamedFiles::TakeBytes(const v1::SendNetworkRequest::Header& header,
                                   const Downstream::NextBytes& next) const {
  model_store::v1::PutFileRequest::Header kept;
  *kept.mutable_command() = header.command();
  kept.set_size_bytes(header.size_bytes());
  kept.set_digest(header.digest());
  TorchScriptLook network;
  WeightsLook weights;
  ASSIGN_OR_RETURN(std::optional<std::string> ahead, next());
  return downstream_.KeepFile(kept, [&]() -> absl::StatusOr<std::optional<std::string>> {
    std::optional<std::string> piece = std::move(ahead);
    ahead.reset();
    if (piece) {
      network.Add(*piece);
      weights.Add(*piece);
      ASSIGN_OR_RETURN(ahead, next());
    }
    if (!ahead && !weights.AreWeights()) RETURN_IF_ERROR(network.Judge(header.file_name()));
    return piece;
  });
}

absl::StatusOr<std::vector<std::string>> NamedFiles::FindNamed() const {
  std::vector<std::string> named;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    named = ListNamedFiles(work);
    return absl::OkStatus();
  }));
  return named;
}

void NamedFiles::Retire() const {
  const absl::StatusOr<std::vector<std::string>> kept = FindNamed();
  const absl::Status status = kept.ok() ? downstream_.RetireFiles(*kept) : kept.status();
  if (!status.ok()) log::Warn("cannot remove files of pipelines", {{"error", status.ToString()}});
}

}  // namespace tidemill::supervisor
