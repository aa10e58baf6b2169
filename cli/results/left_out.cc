#include "cli/results/left_out.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/results/ledger.h"
#include "cli/terminal/text.h"
#include "storage/client/left_out_text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;
using rpc::v1::LeftOut;

// The limit per dataset, unless all are asked for.
constexpr int kMaxReasons = 5;

// A protobuf map has another order each time.
std::map<std::string, LeftOut> ByDataset(const v1::GetRunResponse& run) {
  return {run.left_out().begin(), run.left_out().end()};
}

ordered_json ReasonToJson(const std::string& dataset, const LeftOut::Reason& reason) {
  const ordered_json record =
      reason.has_first_record() ? ordered_json(reason.first_record()) : ordered_json(nullptr);
  return {{"dataset", dataset},
          {"reason", reason.reason()},
          {"records", reason.num_records()},
          {"files", reason.num_files()},
          {"lost_bytes", reason.lost_bytes()},
          {"members", reason.num_members()},
          {"wanted", reason.wanted()},
          {"first",
           {{"file", reason.first_path()}, {"record", record}, {"reason", reason.first_reason()}}}};
}

std::string DescribeReasons(const std::string& name, const LeftOut& left_out, const View& view) {
  const int num_named =
      view.full ? left_out.reasons_size() : std::min(left_out.reasons_size(), kMaxReasons);
  std::string text =
      fmt::format("{} of {} records of {} were left out\n", WithThousands(left_out.num_records()),
                  WithThousands(left_out.num_seen()), name);
  if (left_out.lost_bytes() > 0) text += "  " + storage::LostBytesText(left_out) + "\n";
  for (int i = 0; i < num_named; ++i) {
    const LeftOut::Reason& reason = left_out.reasons(i);
    const std::string line = fmt::format("{}: {} ({})", storage::Amount(reason),
                                         storage::InWords(reason), storage::FirstPlace(reason));
    text += Wrapped(OneLine(line), view, 2);
  }
  const int num_more = left_out.reasons_size() - num_named;
  if (num_more > 0) text += fmt::format("  and {} more reasons; --full shows all\n", num_more);
  if (storage::AnyLost(left_out)) text += "  see `tidemill datasets quarantine " + name + "`\n";
  return text;
}

// Nothing is wrong with these records, so they are listed after lost ones.
std::string DescribeFiltered(const v1::GetRunResponse& run, const View& view) {
  std::string text;
  for (const auto& [name, left_out] : ByDataset(run)) {
    if (left_out.num_filtered() == 0) continue;
    const std::string line = fmt::format(
        "{} of {} records of {} do not satisfy `where`: {}", WithThousands(left_out.num_filtered()),
        WithThousands(left_out.num_seen()), name, left_out.where());
    text += Wrapped(OneLine(line), view, 0);
  }
  return text;
}

std::string DescribeAllNotTaken(const v1::GetRunResponse& run, const View& view) {
  std::string text;
  for (const auto& [name, left_out] : ByDataset(run)) {
    if (left_out.not_taken().num_files() == 0) continue;
    text += Wrapped(DescribeNotTaken(left_out.not_taken(), name), view, 0);
  }
  return text;
}

std::string DescribeUnlabelled(const v1::GetRunResponse& run) {
  std::string text;
  for (const auto& [name, left_out] : ByDataset(run)) {
    if (left_out.num_unlabelled() == 0) continue;
    text += fmt::format("{} samples of {} have no label: nothing is trained on them or measured\n",
                        WithThousands(left_out.num_unlabelled()), OneLine(name));
  }
  return text;
}

}  // namespace

bool AnyLost(const v1::GetRunResponse& run) {
  const auto& datasets = run.left_out();
  return std::any_of(datasets.begin(), datasets.end(),
                     [](const auto& entry) { return storage::AnyLost(entry.second); }) ||
         AnyBad(run);
}

std::string DescribeLeftOut(const v1::GetRunResponse& run, const View& view) {
  std::string text;
  for (const auto& [name, left_out] : ByDataset(run)) {
    if (left_out.reasons_size() > 0) text += DescribeReasons(OneLine(name), left_out, view);
  }
  return text + DescribeFiltered(run, view) + DescribeUnlabelled(run) +
         DescribeAllNotTaken(run, view);
}

std::string DescribeNotTaken(const rpc::v1::FilesNotTaken& not_taken, const std::string& dataset) {
  return OneLine(storage::NotTakenText(not_taken, dataset));
}

ordered_json NotTakenToJson(const rpc::v1::FilesNotTaken& not_taken) {
  ordered_json first = ordered_json::array();
  for (const rpc::v1::FilesNotTaken::File& file : not_taken.files()) {
    first.push_back({{"file", file.path()}, {"reason", file.reason()}});
  }
  return {{"files", not_taken.num_files()}, {"first", std::move(first)}};
}

ordered_json LeftOutToJson(const v1::GetRunResponse& run) {
  int64_t records = 0, seen = 0, files = 0, unlabelled = 0, lost_bytes = 0, bytes = 0, filtered = 0;
  ordered_json reasons = ordered_json::array(), filters = ordered_json::array();
  ordered_json not_taken = ordered_json::array();
  for (const auto& [name, left_out] : ByDataset(run)) {
    records += left_out.num_records();
    seen += left_out.num_seen();
    files += left_out.num_files();
    unlabelled += left_out.num_unlabelled();
    lost_bytes += left_out.lost_bytes();
    bytes += left_out.num_bytes();
    filtered += left_out.num_filtered();
    if (!left_out.where().empty()) {
      filters.push_back({{"dataset", name},
                         {"where", left_out.where()},
                         {"filtered", left_out.num_filtered()},
                         {"of", left_out.num_seen()}});
    }
    if (left_out.not_taken().num_files() > 0) {
      not_taken.push_back({{"dataset", name}});
      not_taken.back().update(NotTakenToJson(left_out.not_taken()));
    }
    for (const LeftOut::Reason& reason : left_out.reasons()) {
      reasons.push_back(ReasonToJson(name, reason));
    }
  }
  return {{"records", records},
          {"of", seen},
          {"files", files},
          {"unlabelled", unlabelled},
          {"lost_bytes", lost_bytes},
          {"of_bytes", bytes},
          {"filtered", filtered},
          {"filters", std::move(filters)},
          {"reasons", std::move(reasons)},
          {"not_taken", std::move(not_taken)}};
}

}  // namespace tidemill::cli
