#include "storage/client/left_out_text.h"

#include <algorithm>

#include "fmt/format.h"

#include "base/thousands.h"

namespace tidemill::storage {

namespace {

constexpr int kMostReasons = 3;

std::string Counted(int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", WithThousands(count), count == 1 ? one : many);
}

std::string WithPlace(const rpc::v1::LeftOut::Reason& reason) {
  return fmt::format("{} ({})", InWords(reason), FirstPlace(reason));
}

// The reasons with the most records, each with its count where there are several.
std::string ReasonsText(const rpc::v1::LeftOut& left_out) {
  if (left_out.reasons_size() == 1) return WithPlace(left_out.reasons(0));
  std::string text;
  const int num_named = std::min(left_out.reasons_size(), kMostReasons);
  for (int i = 0; i < num_named; ++i) {
    const auto& reason = left_out.reasons(i);
    text += fmt::format("{}{} because {}", i == 0 ? "" : ", ",
                        Amount(reason.num_records(), reason.num_files()), WithPlace(reason));
  }
  const int num_more = left_out.reasons_size() - num_named;
  if (num_more > 0) text += ", and for " + Counted(num_more, "more reason", "more reasons");
  return text;
}

}  // namespace

bool AnyLost(const rpc::v1::LeftOut& left_out) {
  const auto& reasons = left_out.reasons();
  return std::any_of(reasons.begin(), reasons.end(),
                     [](const rpc::v1::LeftOut::Reason& reason) { return !reason.wanted(); });
}

std::string Amount(int64_t num_records, int64_t num_files) {
  if (num_files == 0) return Counted(num_records, "record", "records");
  std::string files = Counted(num_files, "file", "files");
  if (num_records == 0) return files;
  return fmt::format("{} and {}", Counted(num_records, "record", "records"), files);
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
  if (left_out.num_unlabelled() == 0) return text;
  return fmt::format("{}{}{} no label", text, text.empty() ? "" : "; ",
                     Counted(left_out.num_unlabelled(), "sample has", "samples have"));
}

std::string WhyEmpty(const std::string& name, int64_t num_files, const rpc::v1::LeftOut& left_out) {
  if (left_out.reasons_size() == 0) {
    if (num_files > 0) return "it has no samples because its files hold no records";
    return "it has no samples because no file matches `path` and `files`; `tidemill check` shows "
           "which files would";
  }
  return fmt::format(
      "it has no samples: {}. Correct the files and run again, or correct the dataset's section "
      "and run again after `tidemill datasets delete {}`; `tidemill datasets quarantine {}` lists "
      "what was left out",
      LeftOutText(left_out), name, name);
}

}  // namespace tidemill::storage
