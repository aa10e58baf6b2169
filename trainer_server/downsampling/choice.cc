#include "trainer_server/downsampling/choice.h"

#include <charconv>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "base/paths/regular_file.h"
#include "batch/batch.h"
#include "batch/wire.h"

namespace tidemill::trainer_server {
namespace {

constexpr std::string_view kSuffix = ".choice";
constexpr size_t kDigestSize = 64;
// Rows of the columns `facts` and `seconds`, which say something of the whole.
constexpr char kFacts[] = "facts";
constexpr char kSeconds[] = "seconds";

// A file: the SHA-256 of the rest in hexadecimal, then a batch whose columns hold rows of arrays.
absl::Status WriteFile(const std::string& path, const batch::Batch& content) {
  const std::string bytes = batch::Encode(content);
  return files::WriteAtomically(path, Sha256(bytes) + bytes);
}

absl::StatusOr<batch::Batch> ReadFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, files::ReadRegular(path, size_t{1} << 36));
  if (bytes.size() < kDigestSize ||
      Sha256(std::string_view(bytes).substr(kDigestSize)) != bytes.substr(0, kDigestSize)) {
    return DataLoss("{} is damaged", path);
  }
  return batch::Decode(batch::Buffer::FromString(bytes.substr(kDigestSize)));
}

// One row that holds the whole array.
template <typename T>
absl::Status Add(batch::Batch& content, std::string_view name, std::span<const T> values) {
  return content.Set(batch::MakeColumn<T>(name, values, {std::ssize(values)}));
}

template <typename T>
absl::StatusOr<std::vector<T>> Get(const batch::Batch& content, std::string_view name,
                                   batch::DataType type) {
  ASSIGN_OR_RETURN(const batch::Column* const column, content.Get(name, type));
  const std::span<const T> values = column->Values<T>();
  return std::vector<T>(values.begin(), values.end());
}

}  // namespace

std::string ChoiceFiles::PathOf(int64_t epoch) const {
  return files::Join(folder_, fmt::format("{:09}{}", epoch, kSuffix));
}

absl::Status ChoiceFiles::Write(int64_t epoch, const Choice& choice) const {
  RETURN_IF_ERROR(files::CreateFolder(folder_));
  batch::Batch content(1);
  const int64_t facts[] = {choice.num_scored, choice.num_not_finite, choice.num_skipped,
                           choice.num_filtered};
  RETURN_IF_ERROR(Add<int64_t>(content, "ordinals", choice.subset.ordinals));
  RETURN_IF_ERROR(Add<float>(content, "weights", choice.subset.weights));
  RETURN_IF_ERROR(Add<int64_t>(content, kFacts, facts));
  RETURN_IF_ERROR(Add<double>(content, kSeconds, {&choice.seconds, 1}));
  return WriteFile(PathOf(epoch), content);
}

absl::StatusOr<Choice> ChoiceFiles::Read(int64_t epoch) const {
  ASSIGN_OR_RETURN(const batch::Batch content, ReadFile(PathOf(epoch)));
  Choice choice;
  ASSIGN_OR_RETURN(choice.subset.ordinals,
                   Get<int64_t>(content, "ordinals", batch::DataType::kInt64));
  ASSIGN_OR_RETURN(choice.subset.weights,
                   Get<float>(content, "weights", batch::DataType::kFloat32));
  ASSIGN_OR_RETURN(const auto facts, Get<int64_t>(content, kFacts, batch::DataType::kInt64));
  ASSIGN_OR_RETURN(const auto seconds, Get<double>(content, kSeconds, batch::DataType::kFloat64));
  // Before 0.9 what graphs filter was not kept.
  if (facts.size() < 3 || facts.size() > 4 || seconds.size() != 1)
    return DataLoss("{} is damaged", PathOf(epoch));
  choice.num_scored = facts[0];
  choice.num_not_finite = facts[1];
  choice.num_skipped = facts[2];
  choice.num_filtered = facts.size() > 3 ? facts[3] : 0;
  choice.seconds = seconds[0];
  return choice;
}

absl::Status ChoiceFiles::Forget(int64_t epoch) const {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = file.path().filename().string();
    int64_t first = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), first);
    if (failed != std::errc() || std::string_view(end) != kSuffix || first >= epoch) continue;
    RETURN_IF_ERROR(files::Remove(file.path().string()));
  }
  return absl::OkStatus();
}

absl::Status WriteNumbers(const std::string& path, const std::vector<float>& numbers,
                          double seconds) {
  RETURN_IF_ERROR(files::CreateFolder(std::filesystem::path(path).parent_path().string()));
  batch::Batch content(1);
  RETURN_IF_ERROR(Add<float>(content, "numbers", numbers));
  RETURN_IF_ERROR(Add<double>(content, kSeconds, {&seconds, 1}));
  return WriteFile(path, content);
}

absl::StatusOr<StoredNumbers> ReadNumbers(const std::string& path) {
  ASSIGN_OR_RETURN(const batch::Batch content, ReadFile(path));
  StoredNumbers stored;
  ASSIGN_OR_RETURN(stored.numbers, Get<float>(content, "numbers", batch::DataType::kFloat32));
  ASSIGN_OR_RETURN(const auto seconds, Get<double>(content, kSeconds, batch::DataType::kFloat64));
  if (seconds.size() != 1) return DataLoss("{} is damaged", path);
  stored.seconds = seconds[0];
  return stored;
}

}  // namespace tidemill::trainer_server
