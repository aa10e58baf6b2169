#include "supervisor/checks/part_check.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "records/text.h"

namespace tidemill::supervisor {
namespace {

using storage::SampleUnit;
using storage::TriedPart;

constexpr size_t kMaxReasons = 3;
constexpr char kCounted[] =
    "correct them in the file, or accept that they are left out and counted";

std::string ReasonsOf(const TriedPart& part) {
  std::vector<std::string> texts;
  for (const storage::TriedReason& reason : part.reasons) {
    if (texts.size() == kMaxReasons) break;
    texts.push_back(reason.num_records == part.num_left_out
                        ? reason.reason
                        : fmt::format("{} ({} times)", reason.reason, reason.num_records));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// "IMG_1.JPG has its time in IMG_1.time".
std::string HintForFiles(const storage::DatasetSpec& spec, const std::string& file) {
  std::vector<std::string> rules;
  const std::string stem =
      file.substr(0, file.rfind('.') > file.rfind('/') + 1 ? file.rfind('.') : std::string::npos);
  if (spec.event_time.sidecar) {
    rules.push_back(
        fmt::format("the time of {} is looked for in {}{}", file, stem, *spec.event_time.sidecar));
  }
  if (spec.label.sidecar) {
    rules.push_back(
        fmt::format("the label of {} is looked for in {}{}", file, stem, *spec.label.sidecar));
  }
  if (rules.empty()) return "correct the files, or write a pattern that leaves them out";
  return fmt::format("{}", fmt::join(rules, ", and "));
}

// Files that are one sample each.
std::vector<config::Remark> JudgeFiles(const DatasetPeek& peek, const storage::DatasetSpec& spec) {
  std::vector<const TriedPart*> refused;
  for (const TriedPart& part : peek.parts) {
    if (!part.refusal.empty()) refused.push_back(&part);
  }
  if (refused.empty()) return {};
  const TriedPart& first = *refused.front();
  return {{.path = "files",
           .message = fmt::format("{} of {} files that were tried would be left out, first {}: {}",
                                  refused.size(), peek.parts.size(), first.file, first.refusal),
           .hint = HintForFiles(spec, first.file),
           .is_error = refused.size() == peek.parts.size()}};
}

config::Remark JudgeRefusal(const storage::DatasetSpec& spec, const TriedPart& part,
                            bool is_error) {
  return {.path = "files",
          .message = fmt::format("{} would be left out as a whole: {}", part.file, part.refusal),
          .hint = spec.format->Unit() == SampleUnit::kWholeFile
                      ? HintForFiles(spec, part.file)
                      : "correct the file, or write a pattern that leaves it out",
          .is_error = is_error};
}

config::Remark JudgeRecords(const storage::DatasetSpec& spec, const TriedPart& part, bool telling) {
  const bool too_many = static_cast<double>(part.num_left_out) >
                        spec.max_bad_fraction * static_cast<double>(part.num_records);
  return {.path = "files",
          .message = fmt::format("{} of {} records in {} would be left out: {}", part.num_left_out,
                                 part.num_records, PlaceOf(spec, part), ReasonsOf(part)),
          .hint = kCounted,
          .is_error = telling && too_many};
}

void JudgeFolders(const DatasetPeek& peek, std::vector<config::Remark>& remarks) {
  if (peek.unknown_folders.empty()) return;
  int64_t num_files = 0;
  std::vector<std::string> names;
  for (const storage::UnknownFolder& folder : peek.unknown_folders) {
    num_files += folder.num_files;
    if (names.size() < kMaxReasons) names.push_back(Quoted(folder.name));
  }
  const size_t more = peek.unknown_folders.size() - names.size();
  remarks.push_back(
      {.path = "label.classes",
       .message = fmt::format(
           "{} of {} files would be left out: they are in {}{}, which {} not among the classes",
           num_files, peek.num_files, fmt::join(names, ", "),
           more > 0 ? fmt::format(" and {} other folders", more) : "",
           peek.unknown_folders.size() == 1 ? "is" : "are"),
       .hint = "name the folders in `classes`, or write a pattern that leaves them out",
       .is_error = num_files == peek.num_files});
}

}  // namespace

bool ShowsMistakesOfSpec(const DatasetPeek& peek, const storage::DatasetSpec& spec,
                         const TriedPart& part) {
  if (spec.format->Unit() == SampleUnit::kWholeFile) return true;
  return part.from_byte == 0 && part.file == peek.first;
}

std::string PlaceOf(const storage::DatasetSpec& spec, const TriedPart& part) {
  if (spec.format->Unit() != SampleUnit::kRecord) return part.file;
  return fmt::format("bytes {} to {} of {}", part.from_byte, part.to_byte, part.file);
}

std::vector<config::Remark> JudgeParts(const DatasetPeek& peek, const storage::DatasetSpec& spec) {
  std::vector<config::Remark> remarks;
  JudgeFolders(peek, remarks);
  if (spec.format->Unit() == SampleUnit::kWholeFile) {
    if (remarks.empty()) remarks = JudgeFiles(peek, spec);
    return remarks;
  }
  for (const TriedPart& part : peek.parts) {
    const bool telling = ShowsMistakesOfSpec(peek, spec, part);
    if (telling && spec.format->Delimited() && !spec.where) continue;
    if (!part.refusal.empty()) remarks.push_back(JudgeRefusal(spec, part, telling));
    if (part.num_left_out > 0) remarks.push_back(JudgeRecords(spec, part, telling));
  }
  return remarks;
}

}  // namespace tidemill::supervisor
