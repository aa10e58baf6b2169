#include "selector/training_set_file.h"

#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "batch/wire.h"

namespace tidemill::selector {
namespace {

constexpr size_t kDigestSize = 64;  // SHA-256 in hexadecimal.
// 3.5 * 10^9 keys with weights.
constexpr size_t kMaxFileBytes = size_t{42} << 30;

}  // namespace

absl::StatusOr<std::string> WriteTrainingSet(const std::string& path,
                                             const TrainingSetContent& content) {
  batch::Batch batch(static_cast<int64_t>(content.keys.size()));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, content.keys)));
  if (!content.weights.empty()) {
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<float>(batch::kWeightColumn, content.weights)));
  }
  std::string bytes = batch::Encode(batch);
  std::string digest = Sha256(bytes);
  bytes += digest;
  RETURN_IF_ERROR(files::WriteAtomically(path, bytes));
  return digest;
}

absl::StatusOr<batch::Batch> ReadTrainingSet(const std::string& path, const std::string& digest) {
  ASSIGN_OR_RETURN(std::string bytes, files::Read(path, kMaxFileBytes));
  if (bytes.size() < kDigestSize) return DataLoss("{} is cut short", path);
  const size_t body = bytes.size() - kDigestSize;
  const std::string found = Sha256(std::string_view(bytes).substr(0, body));
  if (found != std::string_view(bytes).substr(body) || found != digest) {
    return DataLoss("{} does not match its SHA-256: found {}, sealed as {}", path, found, digest);
  }
  // The copy brings the columns to the alignment that they ask for.
  batch::Buffer aligned = batch::Buffer::Allocate(body);
  bytes.copy(reinterpret_cast<char*>(aligned.mutable_data()), body);
  return batch::Decode(std::move(aligned));
}

}  // namespace tidemill::selector
