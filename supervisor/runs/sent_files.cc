#include "supervisor/runs/sent_files.h"

#include "fmt/format.h"

namespace tidemill::supervisor {

std::optional<std::string> SentFiles::Read(const std::string& name, size_t most,
                                           std::string_view field, config::Problems& problems) {
  const auto sent = request_.files().find(name);
  if (sent == request_.files().end()) {
    problems.Add(field, fmt::format("{} did not come with the pipeline", name),
                 "submit the pipeline with `tidemill run`, which sends the file");
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
  const absl::Status found = downstream_.FindFile(kept.substr(kKeptFile.size()));
  if (found.ok()) return kept;
  if (!absl::IsNotFound(found) && !absl::IsInvalidArgument(found)) status_ = found;
  problems.Add(field, fmt::format("{} did not come with the pipeline", name),
               "submit the pipeline with `tidemill run`, which sends the file");
  return std::nullopt;
}

}  // namespace tidemill::supervisor
