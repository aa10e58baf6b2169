#include "trainer_server/downsampling/spec/plugin_scorer.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "batch/slice.h"
#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"

namespace tidemill::trainer_server {
namespace {

using nlohmann::json;

// Scores are not random: only the choice draws.
constexpr uint64_t kSeed = 0;
// The size of a block that is shown in one call. A process keeps the memory that it was shown once.
constexpr int64_t kMaxBlockBytes = int64_t{16} << 20;

// A process that died twice is the plug-in's doing, and would die again in another training.
absl::Status OwnFault(const absl::Status& failure) {
  if (!absl::IsUnavailable(failure) || plugin::IsOfMachine(failure)) return failure;
  return plugin::WithTraceback(absl::InvalidArgumentError(failure.message()),
                               plugin::TracebackOf(failure));
}

}  // namespace

PluginScorer::PluginScorer(const plugin::PluginUse& use)
    : use_(use.use), instance_(use, kScoreKind, kSeed, plugin::HostSettingsOf(use)) {
  auto declaration = ScoreDeclarationOf(use);
  undeclared_ = declaration.status();
  if (declaration.ok()) declaration_ = *declaration;
}

absl::StatusOr<std::vector<double>> PluginScorer::Score(const batch::Batch& block) {
  RETURN_IF_ERROR(undeclared_);
  std::vector<double> scores;
  scores.reserve(static_cast<size_t>(block.num_rows()));
  const int64_t rows = std::max<int64_t>(block.num_rows(), 1);
  const int64_t row_bytes = std::max<int64_t>(batch::BytesOf(block) / rows, 1);
  const int64_t most_rows = std::max<int64_t>(kMaxBlockBytes / row_bytes, 1);
  for (int64_t from = 0; from < block.num_rows(); from += most_rows) {
    const int64_t to = std::min(from + most_rows, block.num_rows());
    const absl::Status scored = from == 0 && to == block.num_rows()
                                    ? ScorePiece(block, scores)
                                    : ScorePiece(batch::Slice(block, from, to), scores);
    if (!scored.ok()) return OwnFault(scored);
  }
  return scores;
}

absl::Status PluginScorer::ScorePiece(const batch::Batch& piece, std::vector<double>& scores) {
  ASSIGN_OR_RETURN(const json answer, Ask(piece));
  return Read(answer, piece.num_rows(), scores);
}

absl::StatusOr<json> PluginScorer::Ask(const batch::Batch& piece) {
  return instance_.Call([&piece](plugin::HostProcess& host) -> absl::StatusOr<json> {
    ASSIGN_OR_RETURN(json request, host.AddColumns(piece));
    request["call"] = "score";
    return request;
  });
}

absl::Status PluginScorer::Read(const json& answer, int64_t num_rows,
                                std::vector<double>& scores) const {
  const auto columns = instance_.Columns(answer);
  if (!columns.ok()) return Annotate(columns.status(), use_ + ": score");
  const batch::Column* const column = columns->Find("score");
  if (columns->num_rows() != num_rows || column == nullptr || !column->shape.empty() ||
      !column->validity.empty() || column->type != batch::DataType::kFloat64) {
    return InvalidArgument("{}: score: the answer to {} rows is not {} numbers", use_, num_rows,
                           num_rows);
  }
  // Copied first: shared memory may change while it is read.
  const auto said = column->Values<double>();
  const size_t begin = scores.size();
  scores.insert(scores.end(), said.begin(), said.end());
  const bool no_negative = declaration_.keep == KeepBy::kInProportion;
  for (size_t i = begin; i < scores.size(); ++i) {
    if (std::isfinite(scores[i]) && (scores[i] >= 0 || !no_negative)) continue;
    return InvalidArgument("{}: score: {} in row {} is {}", use_, scores[i], i - begin,
                           std::isfinite(scores[i]) ? "negative, and samples are drawn in "
                                                      "proportion to it"
                                                    : "no finite number");
  }
  return absl::OkStatus();
}

}  // namespace tidemill::trainer_server
