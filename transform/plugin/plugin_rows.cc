#include "transform/plugin/plugin_rows.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "plugin/process/fault.h"
#include "plugin/spec/json_fields.h"
#include "transform/plugin/declared_op.h"

namespace tidemill::transform {
namespace {

using nlohmann::json;

// Rows that are tried alone before a plug-in is said to fail with every row.
constexpr size_t kProbes = 8;
// Calls that take too long, of one that has never made a row: each costs a whole timeout.
constexpr int kMaxTimeouts = 3;
// Single rows in succession that may end a process each. Blocks that end one do not count: one row
// in each of many threads' blocks may be to blame.
constexpr int kMaxDeathsInSuccession = 24;
constexpr size_t kMaxReason = 300;

bool IsDeath(const absl::Status& failure) {
  return absl::IsUnavailable(failure) || absl::IsDeadlineExceeded(failure);
}

}  // namespace

absl::Status PluginRows::Run(std::span<const int64_t> rows) {
  while (!rows.empty()) {
    blocks_.Restart();
    const auto piece = rows.first(blocks_.Add(inputs_, rows));
    RETURN_IF_ERROR(RunPiece(piece));
    rows = rows.subspan(piece.size());
  }
  return absl::OkStatus();
}

absl::Status PluginRows::RunPiece(std::span<const int64_t> rows) {
  RETURN_IF_ERROR(Ready());
  const std::vector<plugin::RowRun> runs = plugin::RunsOf(rows);
  if (const auto answer = Ask(runs); answer.ok()) {
    num_deaths_ = 0;
    has_made_ = true;
    for (const auto& [row, why] : answer->bad) {
      frame_.Reject(rows[static_cast<size_t>(row)], fmt::format("{}: {}", use_, why));
    }
    return made_.Take(answer->columns, runs, frame_);
  } else {
    RETURN_IF_ERROR(Tolerate(rows, answer.status()));
    if (rows.size() == 1) {
      frame_.Reject(rows[0], std::string(answer.status().message()));
      return absl::OkStatus();
    }
  }
  RETURN_IF_ERROR(RunPiece(rows.first(rows.size() / 2)));
  return RunPiece(rows.subspan(rows.size() / 2));
}

absl::Status PluginRows::Ready() {
  const absl::Status ready = instance_.Created().status();
  return ready.ok() ? ready : NoRowsFault(ready);
}

absl::StatusOr<PluginRows::Answer> PluginRows::Ask(std::span<const plugin::RowRun> runs) {
  int64_t num_rows = 0;
  for (const plugin::RowRun& run : runs) num_rows += run.count;
  ASSIGN_OR_RETURN(const json said,
                   instance_.Call([&](plugin::HostProcess& host) -> absl::StatusOr<json> {
                     ASSIGN_OR_RETURN(json request, host.AddColumns(inputs_, runs));
                     request["call"] = "apply";
                     return request;
                   }));
  auto answer = Read(said, num_rows);
  if (answer.ok()) return answer;
  return InvalidArgument("{}: apply: {}", use_, Printable(std::string(answer.status().message())));
}

absl::StatusOr<PluginRows::Answer> PluginRows::Read(const json& said, int64_t num_rows) const {
  Answer answer;
  ASSIGN_OR_RETURN(answer.columns, instance_.Columns(said));
  RETURN_IF_ERROR(made_.Check(answer.columns, num_rows));
  for (const json& bad : plugin::ListAt(said, "bad")) {
    const auto row = bad.is_object() ? plugin::CountAt(bad, "row") : std::nullopt;
    if (!row || *row >= num_rows) {
      return InvalidArgument("it reports a bad row that is not among the {} rows of the block",
                             num_rows);
    }
    const std::string why = plugin::TextAt(bad, "why").substr(0, kMaxReason);
    answer.bad.emplace_back(*row, why.empty() ? "it gave no reason" : Printable(why));
  }
  return answer;
}

absl::Status PluginRows::Tolerate(std::span<const int64_t> rows, const absl::Status& failure) {
  if (plugin::IsOfMachine(failure)) return failure;
  if (IsDeath(failure) && rows.size() == 1 && ++num_deaths_ >= kMaxDeathsInSuccession) {
    return NoRowsFault(Annotate(failure, "the plug-in ends with one row after the other"));
  }
  if (has_made_ || rows.size() < kProbes) return absl::OkStatus();
  return Probe(rows, failure);
}

absl::Status PluginRows::Probe(std::span<const int64_t> rows, const absl::Status& failure) {
  int num_timeouts = absl::IsDeadlineExceeded(failure) ? 1 : 0;
  for (size_t i = 0; i < kProbes; ++i) {
    RETURN_IF_ERROR(Ready());
    const plugin::RowRun row{.first = rows[i * (rows.size() - 1) / (kProbes - 1)], .count = 1};
    const auto answer = Ask({&row, 1});
    if (answer.ok()) {
      has_made_ = true;
      num_deaths_ = 0;
      return absl::OkStatus();
    }
    if (plugin::IsOfMachine(answer.status())) return answer.status();
    if (absl::IsDeadlineExceeded(answer.status()) && ++num_timeouts == kMaxTimeouts) {
      return NoRowsFault(Annotate(
          failure, fmt::format("the plug-in took too long {} times in succession", kMaxTimeouts)));
    }
  }
  return NoRowsFault(Annotate(failure, "the plug-in fails with every row"));
}

}  // namespace tidemill::transform
