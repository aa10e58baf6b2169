#include "supervisor/requests/run_lists.h"

#include <optional>
#include <string>
#include <utility>

#include "base/names.h"
#include "supervisor/requests/run_score.h"

namespace tidemill::supervisor {
namespace {

void AddUnscored(int64_t count, const std::string& why, v1::ListRunsResponse& response) {
  response.set_num_unscored(response.num_unscored() + count);
  if (response.why_unscored().empty()) response.set_why_unscored(why);
}

}  // namespace

absl::StatusOr<v1::ListRunsResponse> RunLists::List(const v1::ListRunsRequest& request) const {
  RETURN_IF_ERROR(CheckRunList(request));
  v1::ListRunsRequest asked = request;
  ASSIGN_OR_RETURN(*asked.mutable_namespace_(), CheckedNamespace(request.namespace_()));
  v1::ListRunsResponse response;
  const bool is_by_score = request.order() == v1::RUN_ORDER_SCORE;
  if (is_by_score) RETURN_IF_ERROR(ScoreMatching(asked, response));
  RunPage page;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    page = ListRuns(work, asked);
    return absl::OkStatus();
  }));
  if (request.with_scores() && !is_by_score) RETURN_IF_ERROR(ScorePage(page, response));
  response.set_num_left_out(page.num_matching - static_cast<int64_t>(page.runs.size()));
  for (ListedRun& listed : page.runs) {
    if (!request.with_scores()) listed.run.clear_score();
    *response.add_runs() = std::move(listed.run);
  }
  return response;
}

absl::Status RunLists::ScoreMatching(const v1::ListRunsRequest& request,
                                     v1::ListRunsResponse& response) const {
  UnscoredRuns unscored;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    unscored = ListUnscored(work, request, kMaxComputed);
    return absl::OkStatus();
  }));
  for (const RunId run : unscored.runs) {
    const auto score = Score(run);
    if (!score.ok()) AddUnscored(1, std::string(score.status().message()), response);
  }
  const int64_t rest = unscored.num_matching - static_cast<int64_t>(unscored.runs.size());
  if (rest > 0) {
    AddUnscored(
        rest,
        fmt::format("a list computes at most {} scores; the next list computes more", kMaxComputed),
        response);
  }
  return absl::OkStatus();
}

absl::Status RunLists::ScorePage(RunPage& page, v1::ListRunsResponse& response) const {
  int64_t num_computed = 0;
  for (ListedRun& listed : page.runs) {
    if (listed.is_scored) continue;
    if (num_computed++ >= kMaxComputed) {
      AddUnscored(1, fmt::format("a list computes at most {} scores", kMaxComputed), response);
      continue;
    }
    auto score = Score({listed.run.run_id()});
    if (!score.ok()) {
      AddUnscored(1, std::string(score.status().message()), response);
    } else if (*score) {
      *listed.run.mutable_score() = **std::move(score);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<v1::RunScore>> RunLists::Score(RunId run) const {
  // An event that comes while the score is computed makes it old, which is all that it costs.
  int64_t sequence = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    sequence = LastEventOf(work, run);
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(const v1::GetRunResponse measured, measured_(run));
  std::optional<v1::RunScore> score = ScoreOf(measured);
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    SaveScore(work, run, sequence, score);
    return absl::OkStatus();
  }));
  return score;
}

}  // namespace tidemill::supervisor
