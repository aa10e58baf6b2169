#include "transform/plugin/plugin_fitter.h"

#include <cstring>
#include <string>
#include <utility>

#include "nlohmann/json.hpp"

#include "plugin/spec/json_fields.h"
#include "transform/plugin/declared_op.h"

namespace tidemill::transform {
namespace {

using nlohmann::json;

// The bytes of a block to learn from. The result depends on them.
constexpr int64_t kFitBytes = int64_t{4} << 20;
constexpr int64_t kFitRows = 4096;

constexpr std::string_view kBase64Letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

}  // namespace

class PluginFitter::Waiting {
 public:
  explicit Waiting(std::span<const BoundColumn> inputs) {
    for (const auto& [slot, schema] : inputs) kept_.push_back({.schema = schema});
  }

  int64_t num_rows() const { return num_rows_; }

  void Add(const batch::Batch& inputs, std::span<const plugin::RowRun> runs) {
    for (size_t i = 0; i < kept_.size(); ++i) {
      for (const plugin::RowRun& run : runs) kept_[i].Add(inputs.columns()[i], run);
    }
    for (const plugin::RowRun& run : runs) num_rows_ += run.count;
  }

  // Hands out the rows, and holds none then.
  absl::StatusOr<batch::Batch> Take() {
    batch::Batch rows(std::exchange(num_rows_, 0));
    for (Kept& kept : kept_) RETURN_IF_ERROR(rows.Set(kept.Take()));
    return rows;
  }

 private:
  struct Kept {
    ColumnSchema schema;
    std::string bytes = {};
    std::string offsets = {};

    void Add(const batch::Column& column, const plugin::RowRun& run) {
      if (IsText(schema.type)) return AddStrings(column, run);
      const int64_t row_bytes = schema.Width() * static_cast<int64_t>(batch::SizeOf(schema.type));
      bytes += column.data.view().substr(static_cast<size_t>(run.first * row_bytes),
                                         static_cast<size_t>(run.count * row_bytes));
    }
    void AddStrings(const batch::Column& column, const plugin::RowRun& run) {
      if (offsets.empty()) AddOffset();
      for (int64_t row = run.first; row < run.first + run.count; ++row) {
        bytes += column.Bytes(row);
        AddOffset();
      }
    }
    void AddOffset() {
      const auto end = static_cast<int64_t>(bytes.size());
      offsets.append(reinterpret_cast<const char*>(&end), sizeof end);
    }
    batch::Column Take() {
      batch::Column column{.name = schema.name, .type = schema.type, .shape = schema.shape};
      column.data = batch::Buffer::FromString(std::exchange(bytes, {}));
      if (IsText(schema.type)) {
        column.offsets = batch::Buffer::FromString(std::exchange(offsets, {}));
      }
      return column;
    }
  };

  std::vector<Kept> kept_;
  int64_t num_rows_ = 0;
};

PluginFitter::PluginFitter(const plugin::PluginUse& use, std::span<const BoundColumn> inputs)
    : inputs_(inputs),
      instance_(MakeOpInstance(use, SchemasOf(inputs))),
      block_(FixedRowBytes(inputs), kFitBytes, kFitRows),
      waiting_(std::make_unique<Waiting>(inputs)) {}

PluginFitter::~PluginFitter() = default;

absl::Status PluginFitter::Add(const Frame& frame) {
  ASSIGN_OR_RETURN(const batch::Batch inputs, InputsOf(frame, inputs_));
  const std::vector<int64_t> good = frame.GoodRows();
  for (std::span<const int64_t> rows = good; !rows.empty();) {
    const auto piece = rows.first(block_.Add(inputs, rows));
    const std::vector<plugin::RowRun> runs = plugin::RunsOf(piece);
    rows = rows.subspan(piece.size());
    // A whole block of one frame waits for nothing.
    if (block_.IsFull() && waiting_->num_rows() == 0) {
      RETURN_IF_ERROR(Fit(inputs, runs));
      continue;
    }
    waiting_->Add(inputs, runs);
    if (block_.IsFull()) RETURN_IF_ERROR(FitWaiting());
  }
  return absl::OkStatus();
}

absl::Status PluginFitter::FitWaiting() {
  const plugin::RowRun all{.first = 0, .count = waiting_->num_rows()};
  ASSIGN_OR_RETURN(const batch::Batch rows, waiting_->Take());
  return Fit(rows, {&all, 1});
}

absl::Status PluginFitter::Fit(const batch::Batch& rows, std::span<const plugin::RowRun> runs) {
  block_.Restart();
  has_rows_ = true;
  const auto answer = instance_->Call([&](plugin::HostProcess& host) -> absl::StatusOr<json> {
    ASSIGN_OR_RETURN(json request, host.AddColumns(rows, runs));
    request["call"] = "fit";
    return request;
  });
  if (!answer.ok()) return NoRowsFault(answer.status());
  instance_->Note(plugin::TextAt(*answer, "state"));
  return absl::OkStatus();
}

absl::StatusOr<FitResult> PluginFitter::Finish() {
  if (waiting_->num_rows() > 0) RETURN_IF_ERROR(FitWaiting());
  if (!has_rows_) return FailedPrecondition("there is no good sample to learn from");
  const auto answer = instance_->Call({{"call", "fitted"}});
  if (!answer.ok()) return NoRowsFault(answer.status());
  std::string state = plugin::TextAt(*answer, "state");
  if (state.find_first_not_of(kBase64Letters) != std::string::npos) {
    return FailedPrecondition("the state that the plug-in has learnt is not base64");
  }
  if (state.empty()) {
    return FailedPrecondition(
        "an op that learns must return its state, but it returned none; see seal");
  }
  FitResult result;
  Learned& learned = result.learned.emplace_back();
  learned.statistic = kPluginState;
  learned.words.push_back(std::move(state));
  return result;
}

}  // namespace tidemill::transform
