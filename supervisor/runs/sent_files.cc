#include "supervisor/runs/sent_files.h"

#include "fmt/format.h"

namespace tidemill::supervisor {
namespace {

void NoteMissing(const std::string& name, std::string_view field, config::Problems& problems) {
  problems.Add(field, fmt::format("{} did not come with the pipeline", name),
               "submit the pipeline with `tidemill run`, which sends the file");
}

}  // namespace

std::optional<std::string> SentFiles::Read(const std::string& name, size_t most,
                                           std::string_view field, config::Problems& problems) {
  const auto sent = request_.files().find(name);
  if (sent == request_.files().end()) {
    NoteMissing(name, field, problems);
    return std::nullopt;
  }
  if (sent->second.size() > most) {
    problems.Add(
        field,
        fmt::format("{} has {} bytes, but at most {} are allowed", name, sent->second.size(), most),
        "leave out everything that is not needed to make rows");
    return std::nullopt;
  }
  return sent->second;
}

std::optional<std::string> SentFiles::ReadPacked(const config::NamedFiles::Packed& file,
                                                 config::Problems& problems) {
  const auto packed = request_.files().find(NameOf(file));
  if (packed != request_.files().end()) return packed->second;
  return PipelineFiles::ReadPacked(file, problems);
}

std::optional<std::string> SentFiles::Keep(const std::string& name, std::string_view field,
                                           config::Problems& problems) {
  std::string kept = name.starts_with(kKeptFile)
                         ? name
                         : fmt::format("{}{}", kKeptFile, request_.network_digest());
  return Has(kept, name, field, problems) ? std::optional(kept) : std::nullopt;
}

std::optional<PipelineFiles::Weights> SentFiles::KeepWeights(const models::StartFrom& start_from,
                                                             std::string_view field,
                                                             config::Problems& problems) {
  const std::string& name = start_from.file.empty() ? start_from.folder : start_from.file;
  Weights weights;
  for (const std::string& digest : request_.weights_digests()) {
    weights.kept.push_back(fmt::format("{}{}", kKeptFile, digest));
    if (!Has(weights.kept.back(), name, field, problems)) return std::nullopt;
  }
  if (!weights.kept.empty()) return weights;
  NoteMissing(name, field, problems);
  return std::nullopt;
}

bool SentFiles::Has(const std::string& kept, const std::string& name, std::string_view field,
                    config::Problems& problems) {
  const absl::Status found = downstream_.FindFile(kept.substr(kKeptFile.size()));
  if (found.ok()) return true;
  if (!absl::IsNotFound(found) && !absl::IsInvalidArgument(found)) status_ = found;
  NoteMissing(name, field, problems);
  return false;
}

}  // namespace tidemill::supervisor
