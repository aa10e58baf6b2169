#include "selector/columns/training_set_file.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/digest.h"
#include "base/files.h"
#include "batch/sealed_file.h"
#include "batch/wire.h"

namespace tidemill::selector {
namespace {

// Hashed while it is still in the cache.
constexpr int64_t kPieceBytes = int64_t{256} << 10;
constexpr int64_t kKeyBytes = sizeof(int64_t);
constexpr int64_t kWeightBytes = sizeof(float);

template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// A column of `size` bytes for callers that need its size only.
batch::Column Sized(std::string_view name, batch::DataType type, int64_t size) {
  return {.name = std::string(name),
          .type = type,
          .data = batch::Buffer::Wrap(nullptr, static_cast<size_t>(size), nullptr)};
}

// The columns of a set with their sizes, but without numbers.
absl::StatusOr<batch::Batch> ShapeOf(int64_t num_keys, bool weighted) {
  batch::Batch shape(num_keys);
  RETURN_IF_ERROR(
      shape.Set(Sized(batch::kKeyColumn, batch::DataType::kInt64, num_keys * kKeyBytes)));
  if (weighted) {
    RETURN_IF_ERROR(
        shape.Set(Sized(batch::kWeightColumn, batch::DataType::kFloat32, num_keys * kWeightBytes)));
  }
  return shape;
}

int64_t RoundUpTo64(int64_t size) { return (size + 63) / 64 * 64; }

}  // namespace

// The file, and the order in which its parts are written:
//
//   0          keys_at_                        weights_at                         total
//   +----------+-------------------------+-----+----------------------------------+---------+
//   | header   | key 0 | key 1 | ...     | pad | weight 0 | weight 1 | ...        | SHA-256 |
//   +----------+-------------------------+-----+----------------------------------+---------+
//     3.         1. AddKeys()                    2. AddWeights()                    4.
//
// Keys and weights begin at multiples of 64. The header says how many entries there are, which is
// known at the end only, so its room is left free; it has the same size whatever the number. The
// digest covers everything before it, hence the second pass over the file in Seal().
TrainingSetWriter::TrainingSetWriter(std::string folder) : folder_(std::move(folder)) {}

absl::Status TrainingSetWriter::Open(bool weighted) {
  TIDEMILL_CHECK(file_ == nullptr);
  ASSIGN_OR_RETURN(file_, TemporaryFile::Create(folder_));
  weighted_ = weighted;
  ASSIGN_OR_RETURN(const batch::Batch shape, ShapeOf(1, weighted));
  keys_at_ = static_cast<int64_t>(batch::FirstBufferOffset(shape));
  return absl::OkStatus();
}

absl::Status TrainingSetWriter::AddKeys(std::span<const int64_t> keys) {
  TIDEMILL_CHECK(file_ != nullptr && num_weights_ == 0);
  RETURN_IF_ERROR(file_->WriteAt(keys_at_ + num_keys_ * kKeyBytes, BytesOf(keys)));
  num_keys_ += std::ssize(keys);
  return absl::OkStatus();
}

absl::Status TrainingSetWriter::AddWeights(std::span<const float> weights) {
  TIDEMILL_CHECK(file_ != nullptr && (weighted_ || weights.empty()));
  const int64_t weights_at = RoundUpTo64(keys_at_ + num_keys_ * kKeyBytes);
  RETURN_IF_ERROR(file_->WriteAt(weights_at + num_weights_ * kWeightBytes, BytesOf(weights)));
  num_weights_ += std::ssize(weights);
  return absl::OkStatus();
}

absl::Status TrainingSetWriter::ReadKeys(int64_t first, std::span<int64_t> keys) const {
  return file_->ReadAt(keys_at_ + first * kKeyBytes,
                       {reinterpret_cast<char*>(keys.data()), keys.size_bytes()});
}

absl::Status TrainingSetWriter::ReadWeights(int64_t first, std::span<float> weights) const {
  const int64_t weights_at = RoundUpTo64(keys_at_ + num_keys_ * kKeyBytes);
  return file_->ReadAt(weights_at + first * kWeightBytes,
                       {reinterpret_cast<char*>(weights.data()), weights.size_bytes()});
}

// The header comes first and says how many entries there are, so the file is read again for its
// digest; meanwhile the disk is busy with it.
absl::StatusOr<std::string> TrainingSetWriter::Seal() {
  if (file_ == nullptr) RETURN_IF_ERROR(Open(/*weighted=*/false));
  if (num_weights_ != (weighted_ ? num_keys_ : 0)) {
    return FailedPrecondition("{} keys have {} weights", num_keys_, num_weights_);
  }
  ASSIGN_OR_RETURN(const batch::Batch shape, ShapeOf(num_keys_, weighted_));
  const auto size = static_cast<int64_t>(batch::EncodedSize(shape));
  RETURN_IF_ERROR(file_->WriteAt(0, batch::EncodeHead(shape)));
  file_->StartSync();
  Sha256Stream sha256;
  std::vector<char> piece(static_cast<size_t>(std::min(size, kPieceBytes)));
  for (int64_t at = 0; at < size; at += kPieceBytes) {
    const auto bytes =
        std::span(piece).first(static_cast<size_t>(std::min(size - at, kPieceBytes)));
    RETURN_IF_ERROR(file_->ReadAt(at, bytes));
    sha256.Add({bytes.data(), bytes.size()});
  }
  std::string digest = sha256.Finish();
  RETURN_IF_ERROR(file_->WriteAt(size, digest));
  RETURN_IF_ERROR(file_->Sync());
  return digest;
}

absl::Status TrainingSetWriter::Publish(const std::string& path) { return file_->Publish(path); }

absl::StatusOr<std::string> WriteTrainingSet(const std::string& path,
                                             const TrainingSetContent& content) {
  TrainingSetWriter writer(std::filesystem::path(path).parent_path().string());
  RETURN_IF_ERROR(writer.Open(!content.weights.empty()));
  RETURN_IF_ERROR(writer.AddKeys(content.keys));
  RETURN_IF_ERROR(writer.AddWeights(content.weights));
  ASSIGN_OR_RETURN(std::string digest, writer.Seal());
  RETURN_IF_ERROR(writer.Publish(path));
  return digest;
}

absl::StatusOr<batch::Batch> ReadTrainingSet(const std::string& path, const std::string& digest) {
  ASSIGN_OR_RETURN(batch::SealedBatch file, batch::ReadSealedFile(path));
  if (file.digest != digest) {
    return DataLoss("{} does not match its SHA-256: found {}, sealed as {}", path, file.digest,
                    digest);
  }
  return std::move(file.batch);
}

}  // namespace tidemill::selector
