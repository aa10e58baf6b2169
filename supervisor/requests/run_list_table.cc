#include "supervisor/requests/run_list_table.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "fmt/format.h"

#include "base/names.h"
#include "supervisor/runs/run_annotations.h"
#include "supervisor/runs/run_summary.h"

namespace tidemill::supervisor {
namespace {

// $1 namespace, $2 pipeline or '', $3 states or {}, $4 tags, $5 whether to leave out trials,
// $6 sweep or ''.
constexpr char kFromMatching[] = R"(
  FROM (SELECT *, (SELECT max(seq) FROM supervisor.run_events e WHERE e.run_id = one.run_id)
                    AS last_seq
        FROM supervisor.run_summaries one) s
  LEFT JOIN supervisor.run_scores c USING (run_id)
  WHERE s.namespace = $1 AND ($2 = '' OR s.pipeline_name = $2)
    AND ($3::text[] = '{}' OR s.state = ANY($3::text[])) AND ($4::text[] = '{}' OR s.tags::text[] @> $4::text[])
    AND NOT ($5 AND s.is_trial) AND ($6 = '' OR s.sweep = $6))";

constexpr char kCount[] = "SELECT count(*)";

constexpr char kSelectUnscored[] = "SELECT s.run_id, count(*) OVER () AS num_matching ";

constexpr char kIsScored[] = "c.seq IS NOT DISTINCT FROM s.last_seq";

constexpr char kUpsertScore[] = R"(
  INSERT INTO supervisor.run_scores (run_id, seq, value, score)
  SELECT run_id, $2, $3, $4 FROM supervisor.runs WHERE run_id = $1
  ON CONFLICT (run_id) DO UPDATE SET seq = $2, value = $3, score = $4)";

constexpr char kSelectLastEvent[] =
    "SELECT coalesce(max(seq), 0) FROM supervisor.run_events WHERE run_id = $1";

std::string_view ColumnOf(v1::RunOrder order) {
  switch (order) {
    case v1::RUN_ORDER_PIPELINE:
      return "s.pipeline_name";
    case v1::RUN_ORDER_STATE:
      return "s.state";
    case v1::RUN_ORDER_STARTED:
      return "s.started_at";
    case v1::RUN_ORDER_DURATION:
      return "coalesce(s.finished_at, now()) - s.started_at";
    case v1::RUN_ORDER_TRIGGERS:
      return "s.num_triggers";
    case v1::RUN_ORDER_SAMPLES:
      return "s.num_samples";
    case v1::RUN_ORDER_SCORE:
      return "c.value";
    default:
      return "s.run_id";
  }
}

std::string OrderOf(const v1::ListRunsRequest& request) {
  const bool descending = request.order() == v1::RUN_ORDER_UNSPECIFIED || request.descending();
  return fmt::format(" ORDER BY {} {} NULLS LAST, s.run_id DESC", ColumnOf(request.order()),
                     descending ? "DESC" : "ASC");
}

std::string StatesOf(const v1::ListRunsRequest& request) {
  std::vector<std::string> names;
  for (int i = 0; i < request.states_size(); ++i) {
    names.push_back(v1::RunState_Name(request.states(i)));
  }
  return ArrayOf(names);
}

std::string TagsOf(const v1::ListRunsRequest& request) {
  return ArrayOf({request.tags().begin(), request.tags().end()});
}

pqxx::result Select(pqxx::work& work, const std::string& statement,
                    const v1::ListRunsRequest& request, std::optional<int64_t> limit) {
  return work.exec_params(statement, request.namespace_(), request.pipeline_name(),
                          StatesOf(request), TagsOf(request), request.without_trials(),
                          request.sweep(), limit);
}

ListedRun ListedOf(const pqxx::row& row) {
  ListedRun listed{.run = SummaryOf(row), .is_scored = row["is_scored"].as<bool>()};
  if (!listed.is_scored) return listed;
  const std::string score = pqxx::binarystring(row["score"]).str();
  if (!score.empty()) listed.run.mutable_score()->ParseFromString(score);
  return listed;
}

}  // namespace

absl::Status CheckRunList(const v1::ListRunsRequest& request) {
  RETURN_IF_ERROR(CheckedNamespace(request.namespace_()).status());
  if (!request.pipeline_name().empty()) {
    RETURN_IF_ERROR(CheckName("pipeline", request.pipeline_name()));
  }
  for (int i = 0; i < request.states_size(); ++i) {
    if (!v1::RunState_IsValid(request.states(i))) {
      return InvalidArgument("there is no state {} of a run", static_cast<int>(request.states(i)));
    }
  }
  if (!v1::RunOrder_IsValid(request.order())) {
    return InvalidArgument("there is no order {} of runs", static_cast<int>(request.order()));
  }
  if (!request.sweep().empty()) RETURN_IF_ERROR(CheckName("sweep", request.sweep()));
  if (request.limit() < 0) return InvalidArgument("the limit {} is negative", request.limit());
  return CheckAnnotations({.added_tags = {request.tags().begin(), request.tags().end()}});
}

RunPage ListRuns(pqxx::work& work, const v1::ListRunsRequest& request) {
  const std::string statement = std::string("SELECT ") + kSummaryColumns + ", c.score, " +
                                kIsScored + " AS is_scored" + kFromMatching + OrderOf(request) +
                                " LIMIT $7";
  const auto limit = request.limit() == 0 ? std::nullopt : std::optional(request.limit());
  RunPage page;
  for (const pqxx::row& row : Select(work, statement, request, limit)) {
    page.runs.push_back(ListedOf(row));
  }
  // Counting separately leaves PostgreSQL free to end at the limit, and to read no tags.
  page.num_matching = static_cast<int64_t>(page.runs.size());
  if (limit && page.num_matching == *limit) {
    static const std::string count = std::string(kCount) + kFromMatching + " LIMIT $7";
    // A run may be deleted in between.
    const auto counted = Select(work, count, request, std::nullopt)[0][0].as<int64_t>();
    page.num_matching = std::max(page.num_matching, counted);
  }
  return page;
}

UnscoredRuns ListUnscored(pqxx::work& work, const v1::ListRunsRequest& request, int64_t most) {
  const std::string statement = std::string(kSelectUnscored) + kFromMatching + " AND NOT (" +
                                kIsScored + ") ORDER BY s.run_id DESC LIMIT $7";
  UnscoredRuns unscored;
  for (const pqxx::row& row : Select(work, statement, request, most)) {
    unscored.runs.push_back({row["run_id"].as<int64_t>()});
    unscored.num_matching = row["num_matching"].as<int64_t>();
  }
  return unscored;
}

int64_t LastEventOf(pqxx::work& work, RunId run) {
  return work.exec_params1(kSelectLastEvent, run.value)[0].as<int64_t>();
}

void SaveScore(pqxx::work& work, RunId run, int64_t sequence,
               const std::optional<v1::RunScore>& score) {
  const std::optional<double> value = score ? std::optional(score->value()) : std::nullopt;
  const std::string kept = score ? score->SerializeAsString() : "";
  work.exec_params0(kUpsertScore, run.value, sequence, value, pqxx::binarystring(kept));
}

}  // namespace tidemill::supervisor
