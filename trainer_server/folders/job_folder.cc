#include "trainer_server/folders/job_folder.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <system_error>

#include "absl/strings/numbers.h"
#include "google/protobuf/util/json_util.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/paths/regular_file.h"
#include "base/paths/summed_file.h"
#include "trainer_server/folders/old_folder.h"

namespace tidemill::trainer_server {
namespace {

namespace json_util = google::protobuf::util;

// The content of a file of this version, or else of one of an earlier version.
template <typename T>
absl::StatusOr<T> ReadEither(const std::string& folder, std::string_view name,
                             absl::StatusOr<T> (*read_old)(const std::string&)) {
  auto message = ReadMessage<T>(folder, name);
  return absl::IsNotFound(message.status()) ? read_old(folder) : message;
}

// The trigger whose fitted state the newest training uses. Absent when none tells.
absl::StatusOr<std::optional<int64_t>> FittedTriggerOf(const std::string& run_folder) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> triggers,
                   NumbersBefore(run_folder, std::numeric_limits<int64_t>::max()));
  for (const int64_t trigger : triggers) {
    const auto training = ReadTraining(files::Join(run_folder, std::to_string(trigger)));
    if (training.ok()) return training->fitted_trigger();
  }
  return std::nullopt;
}

}  // namespace

absl::Status ReadMessage(const std::string& folder, std::string_view name,
                         google::protobuf::Message& message) {
  const std::string path = files::Join(folder, name);
  ASSIGN_OR_RETURN(std::string bytes, files::ReadRegular(path, kMaxJobFileBytes));
  return ParseMessage(std::move(bytes), path, message);
}

absl::Status ParseMessage(std::string bytes, const std::string& path,
                          google::protobuf::Message& message) {
  ASSIGN_OR_RETURN(const std::string text, files::WithoutSum(std::move(bytes), path));
  const auto parsed = json_util::JsonStringToMessage(text, &message);
  if (parsed.ok()) return absl::OkStatus();
  return DataLoss("{} is not a {}: {}", path, message.GetDescriptor()->name(), parsed.ToString());
}

absl::Status WriteMessage(const std::string& folder, std::string_view name,
                          const google::protobuf::Message& message) {
  json_util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto printed = json_util::MessageToJsonString(message, &text, options);
  if (!printed.ok()) {
    return Internal("cannot print a {}: {}", message.GetDescriptor()->name(), printed.ToString());
  }
  return files::WriteSummed(files::Join(folder, name), text);
}

absl::Status WriteArtefact(const std::string& folder,
                           const std::vector<std::pair<std::string_view, std::string>>& parts) {
  const std::string artefact = files::Join(folder, kArtefactFolder);
  RETURN_IF_ERROR(files::CreateFolder(artefact));
  model_store::v1::Model digests;
  for (const auto& [name, bytes] : parts) {
    model_store::v1::ModelPart& part = *digests.add_parts();
    part.set_name(std::string(name));
    part.set_digest(Sha256(bytes));
    RETURN_IF_ERROR(files::WriteAtomically(files::Join(artefact, name), bytes));
  }
  return WriteMessage(folder, kPartsFile, digests);
}

absl::Status AddDigests(const std::string& folder, model_store::v1::Model& model) {
  const auto digests = ReadMessage<model_store::v1::Model>(folder, kPartsFile);
  if (absl::IsNotFound(digests.status())) return absl::OkStatus();
  RETURN_IF_ERROR(digests.status());
  for (model_store::v1::ModelPart& part : *model.mutable_parts()) {
    for (const model_store::v1::ModelPart& known : digests->parts()) {
      if (known.name() == part.name()) part.set_digest(known.digest());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::WatchTrainingResponse> ReadResult(const std::string& folder) {
  return ReadEither<v1::WatchTrainingResponse>(folder, kResultFile, ReadOldResult);
}

absl::StatusOr<v1::StartTrainingRequest> ReadTraining(const std::string& folder) {
  const auto job = ReadMessage<v1::TrainingJob>(folder, kJobFile);
  if (absl::IsNotFound(job.status())) return ReadOldTraining(folder);
  if (!job.ok()) return job.status();
  return job->request();
}

absl::StatusOr<v1::StoreModelResponse> ReadStored(const std::string& folder) {
  return ReadEither<v1::StoreModelResponse>(folder, kStoredFile, ReadOldStored);
}

absl::StatusOr<std::vector<int64_t>> NumbersBefore(const std::string& folder, int64_t end) {
  std::vector<int64_t> numbers;
  std::error_code error;
  auto entry = std::filesystem::directory_iterator(folder, error);
  if (error == std::errc::no_such_file_or_directory) return numbers;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    int64_t number = 0;
    const std::string name = entry->path().filename().string();
    if (absl::SimpleAtoi(name, &number) && number > 0 && number < end) numbers.push_back(number);
  }
  if (error) return Unavailable("cannot list {}: {}", folder, error.message());
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  return numbers;
}

absl::Status RetireFolders(const std::string& run_folder, int64_t first_kept) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> triggers, NumbersBefore(run_folder, first_kept));
  if (triggers.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<int64_t> fitted, FittedTriggerOf(run_folder));
  for (const int64_t trigger : triggers) {
    const std::string folder = files::Join(run_folder, std::to_string(trigger));
    if (fitted && trigger != *fitted) {
      RETURN_IF_ERROR(files::Remove(folder));
      continue;
    }
    for (const std::string_view part : {kCheckpointFolder, kDownsamplingFolder, kArtefactFolder}) {
      RETURN_IF_ERROR(files::Remove(files::Join(folder, part)));
    }
  }
  return absl::OkStatus();
}

absl::Status ForgetResult(const std::string& folder) {
  RETURN_IF_ERROR(files::Remove(files::Join(folder, kOldResultFile)));
  return files::Remove(files::Join(folder, kResultFile));
}

}  // namespace tidemill::trainer_server
