#include "storage/client/left_out_text.h"

#include <algorithm>

#include "fmt/format.h"

#include "base/numbers/thousands.h"

namespace tidemill::storage {

namespace {

constexpr int kMaxReasons = 3;

std::string Counted(int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", WithThousands(count), count == 1 ? one : many);
}

std::string WithPlace(const rpc::v1::LeftOut::Reason& reason) {
  return fmt::format("{} ({})", InWords(reason), FirstPlace(reason));
}

bool CostsRecords(const rpc::v1::LeftOut::Reason& reason) {
  return reason.num_records() > 0 || reason.num_files() > 0;
}

// The reasons with the most records, each with its count if there are several.
std::string ReasonsText(const rpc::v1::LeftOut& left_out) {
  std::string text;
  const auto num_reasons = static_cast<int>(
      std::count_if(left_out.reasons().begin(), left_out.reasons().end(), CostsRecords));
  int num_named = 0;
  for (const auto& reason : left_out.reasons()) {
    if (!CostsRecords(reason)) continue;
    if (num_reasons == 1) return WithPlace(reason);
    text += fmt::format("{}{} because {}", num_named == 0 ? "" : ", ", Amount(reason),
                        WithPlace(reason));
    if (++num_named == kMaxReasons) break;
  }
  const int num_more = num_reasons - num_named;
  if (num_more > 0) text += ", and for " + Counted(num_more, "more reason", "more reasons");
  return text;
}

void AddPart(const std::string& part, std::string& text) {
  if (part.empty()) return;
  if (!text.empty()) text += "; ";
  text += part;
}

}  // namespace

bool AnyLost(const rpc::v1::LeftOut& left_out) {
  if (left_out.not_taken().num_files() > 0) return true;
  const auto& reasons = left_out.reasons();
  return std::any_of(reasons.begin(), reasons.end(), [](const rpc::v1::LeftOut::Reason& reason) {
    return !reason.wanted() &&
           (CostsRecords(reason) || reason.lost_bytes() > 0 || reason.num_members() > 0);
  });
}

std::string Amount(const rpc::v1::LeftOut::Reason& reason) {
  std::string records = Counted(reason.num_records(), "record", "records");
  std::string files = Counted(reason.num_files(), "file", "files");
  if (reason.num_records() > 0 && reason.num_files() > 0) return records + " and " + files;
  if (reason.num_files() > 0) return files;
  if (reason.num_records() > 0) return records;
  return reason.num_members() > 0 ? Counted(reason.num_members(), "member", "members") : "remark";
}

std::string LostBytesText(const rpc::v1::LeftOut& left_out) {
  if (left_out.lost_bytes() == 0) return "";
  return ShareOfBytes(left_out.lost_bytes(), left_out.num_bytes()) + " hold no readable record";
}

std::string FirstPlace(const rpc::v1::LeftOut::Reason& reason) {
  const std::string& path = reason.first_path();
  std::string name = path.substr(path.rfind('/') + 1);
  if (!reason.has_first_record()) return name;
  return fmt::format("{}, record {}", name, reason.first_record());
}

std::string InWords(const rpc::v1::LeftOut::Reason& reason) {
  if (reason.reason().empty()) return "reasons that are not listed";
  return reason.first_reason();
}

std::string FilteredText(const rpc::v1::LeftOut& left_out) {
  if (left_out.num_filtered() == 0) return "";
  return fmt::format("{} of {} records do not satisfy `where` ({})",
                     WithThousands(left_out.num_filtered()), WithThousands(left_out.num_seen()),
                     left_out.where());
}

std::string NotTakenText(const rpc::v1::FilesNotTaken& not_taken, const std::string& name) {
  if (not_taken.num_files() == 0) return "";
  std::string text =
      fmt::format("{}{}{} not taken: ", Counted(not_taken.num_files(), "file", "files"),
                  name.empty() ? "" : " of " + name, not_taken.num_files() == 1 ? " was" : " were");
  const int num_named = std::min(not_taken.files_size(), kMaxReasons);
  for (int i = 0; i < num_named; ++i) {
    const rpc::v1::FilesNotTaken::File& file = not_taken.files(i);
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", file.path(), file.reason());
  }
  const int64_t num_more = not_taken.num_files() - num_named;
  return num_more > 0 ? text + fmt::format(", and {} more", WithThousands(num_more)) : text;
}

std::string AwaitedText(int64_t num_files, const std::string& name) {
  return fmt::format("{}{} that still {}", Counted(num_files, "file", "files"),
                     name.empty() ? "" : " of " + name, num_files == 1 ? "changes" : "change");
}

std::string LeftOutText(const rpc::v1::LeftOut& left_out) {
  std::string text;
  if (left_out.num_records() > 0) {
    text = fmt::format("{} of {} records", WithThousands(left_out.num_records()),
                       WithThousands(left_out.num_seen()));
  }
  if (left_out.num_files() > 0) {
    text += fmt::format("{}{}", text.empty() ? "" : " and ",
                        Counted(left_out.num_files(), "whole file", "whole files"));
  }
  if (!text.empty()) text += " left out: " + ReasonsText(left_out);
  AddPart(LostBytesText(left_out), text);
  for (const auto& reason : left_out.reasons()) {
    if (CostsRecords(reason)) continue;
    AddPart(WithPlace(reason), text);
  }
  AddPart(FilteredText(left_out), text);
  if (left_out.num_unlabelled() > 0) {
    AddPart(Counted(left_out.num_unlabelled(), "sample has", "samples have") + " no label", text);
  }
  AddPart(NotTakenText(left_out.not_taken()), text);
  return text;
}

std::string WhyEmpty(const std::string& name, int64_t num_files, const rpc::v1::LeftOut& left_out) {
  if (LeftOutText(left_out).empty()) {
    if (num_files > 0) return "it has no samples because its files hold no records";
    return "it has no samples because no file matches `path` and `files`; `tidemill check` shows "
           "which files would";
  }
  if (left_out.not_taken().num_files() > 0 && left_out.reasons().empty()) {
    return fmt::format("it has no samples: {}; run again when they are written",
                       LeftOutText(left_out));
  }
  return fmt::format(
      "it has no samples: {}. Correct the files and run again, or correct the dataset's section "
      "and run again after `tidemill datasets delete {}`; `tidemill datasets quarantine {}` lists "
      "what was left out",
      LeftOutText(left_out), name, name);
}

}  // namespace tidemill::storage
