#include "trainer_server/job_folder.h"

#include "google/protobuf/util/json_util.h"

#include "base/files.h"
#include "base/paths/regular_file.h"
#include "trainer_server/old_folder.h"

namespace tidemill::trainer_server {
namespace {

namespace json_util = google::protobuf::util;

// What a file of this version says, or else one of an earlier version.
template <typename T>
absl::StatusOr<T> ReadEither(const std::string& folder, std::string_view name,
                             absl::StatusOr<T> (*read_old)(const std::string&)) {
  auto message = ReadMessage<T>(folder, name);
  return absl::IsNotFound(message.status()) ? read_old(folder) : message;
}

}  // namespace

absl::Status ReadMessage(const std::string& folder, std::string_view name,
                         google::protobuf::Message& message) {
  const std::string path = files::Join(folder, name);
  ASSIGN_OR_RETURN(const std::string text, files::ReadRegular(path, kMostMessageBytes));
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
  return files::WriteAtomically(files::Join(folder, name), text);
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

bool IsStored(const std::string& folder) {
  return files::Exists(files::Join(folder, kStoredFile)) ||
         files::Exists(files::Join(folder, kOldStoredFile));
}

absl::Status ForgetResult(const std::string& folder) {
  RETURN_IF_ERROR(files::Remove(files::Join(folder, kOldResultFile)));
  return files::Remove(files::Join(folder, kResultFile));
}

}  // namespace tidemill::trainer_server
