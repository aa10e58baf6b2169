#include "supervisor/runs/run_annotations.h"

#include <algorithm>

#include "base/names.h"
#include "base/printable.h"
#include "supervisor/runs/run_summary.h"

namespace tidemill::supervisor {
namespace {

constexpr char kSetNote[] = "UPDATE supervisor.runs SET note = $2 WHERE run_id = $1";

constexpr char kDeleteTags[] =
    "DELETE FROM supervisor.run_tags WHERE run_id = $1 AND tag = ANY($2::text[])";

constexpr char kInsertTags[] = R"(
  INSERT INTO supervisor.run_tags (run_id, tag)
  SELECT $1::bigint, unnest($2::text[])
  ON CONFLICT DO NOTHING)";

constexpr char kCountTags[] = "SELECT count(*) FROM supervisor.run_tags WHERE run_id = $1";

absl::Status CheckNote(const std::string& note) {
  if (note.size() > kMaxNoteBytes) {
    return InvalidArgument("the note has {} bytes; {} are allowed", note.size(), kMaxNoteBytes);
  }
  if (IsPrintable(note)) return absl::OkStatus();
  return InvalidArgument(
      "the note {} has line breaks or other invisible characters, or is not UTF-8", Quoted(note));
}

}  // namespace

absl::Status CheckAnnotations(const RunAnnotations& annotations) {
  for (const auto* tags : {&annotations.added_tags, &annotations.removed_tags}) {
    if (tags->size() > kMaxRunTags) {
      return InvalidArgument("there are {} tags; a run has at most {}", tags->size(), kMaxRunTags);
    }
    for (const std::string& tag : *tags) RETURN_IF_ERROR(CheckName("tag", tag));
  }
  for (const std::string& tag : annotations.added_tags) {
    if (std::ranges::find(annotations.removed_tags, tag) != annotations.removed_tags.end()) {
      return InvalidArgument("the tag {} is both added and removed", tag);
    }
  }
  return annotations.note ? CheckNote(*annotations.note) : absl::OkStatus();
}

absl::Status AnnotateRun(pqxx::work& work, RunId run, const RunAnnotations& annotations) {
  if (annotations.note) work.exec_params0(kSetNote, run.value, *annotations.note);
  if (!annotations.removed_tags.empty()) {
    work.exec_params0(kDeleteTags, run.value, ArrayOf(annotations.removed_tags));
  }
  if (annotations.added_tags.empty()) return absl::OkStatus();
  work.exec_params0(kInsertTags, run.value, ArrayOf(annotations.added_tags));
  const auto num_tags = work.exec_params1(kCountTags, run.value)[0].as<size_t>();
  if (num_tags <= kMaxRunTags) return absl::OkStatus();
  return FailedPrecondition("run {} would have {} tags; a run has at most {}", run.value, num_tags,
                            kMaxRunTags);
}

}  // namespace tidemill::supervisor
