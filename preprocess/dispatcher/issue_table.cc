#include "preprocess/dispatcher/issue_table.h"

#include "db/sql_array.h"

namespace tidemill::preprocess {
namespace {

constexpr char kBeginTerm[] = "UPDATE preprocess.terms SET term = term + 1 RETURNING term";

constexpr char kCheckTerm[] = "SELECT 1 FROM preprocess.terms WHERE term = $1 FOR SHARE";

// One statement, which is prepared once, as the dispatcher writes in the way of batches. Each part
// joins the row of the term, so that none does anything after another dispatcher has taken over.
constexpr char kWriteName[] = "preprocess_issue";
constexpr char kWrite[] = R"(
  WITH term AS MATERIALIZED (SELECT 1 FROM preprocess.terms WHERE term = $1::bigint FOR SHARE),
  written_lanes AS (
    UPDATE preprocess.lanes AS lanes
    SET issued_before = new.issued_before, done_before = new.done_before,
        num_reissued = new.num_reissued, shard_worker_id = nullif(new.shard_worker_id, 0),
        consumer = new.consumer
    FROM term, unnest($2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[],
                      $7::bigint[], $8::text[])
      AS new (job_id, lane, issued_before, done_before, num_reissued, shard_worker_id, consumer)
    WHERE lanes.job_id = new.job_id AND lanes.lane = new.lane),
  deleted_splits AS (
    DELETE FROM preprocess.splits AS splits
    USING term, unnest($9::bigint[], $10::integer[], $11::bigint[]) AS gone (job_id, lane, from_batch)
    WHERE splits.job_id = gone.job_id AND splits.lane = gone.lane
      AND splits.from_batch = gone.from_batch),
  written_splits AS (
    INSERT INTO preprocess.splits
      (job_id, lane, from_batch, to_batch, attempt, worker_id, incarnation, request_id)
    SELECT job_id, lane, from_batch, to_batch, attempt, nullif(worker_id, 0),
           nullif(incarnation, 0), request_id
    FROM term, unnest($12::bigint[], $13::integer[], $14::bigint[], $15::bigint[], $16::integer[],
                      $17::bigint[], $18::bigint[], $19::text[])
      AS new (job_id, lane, from_batch, to_batch, attempt, worker_id, incarnation, request_id)
    ON CONFLICT (job_id, lane, from_batch) DO UPDATE
    SET to_batch = excluded.to_batch, attempt = excluded.attempt, worker_id = excluded.worker_id,
        incarnation = excluded.incarnation, request_id = excluded.request_id),
  lost_workers AS (
    UPDATE preprocess.workers AS workers SET lost = true
    FROM term, unnest($20::bigint[], $21::bigint[]) AS gone (worker_id, incarnation)
    WHERE workers.worker_id = gone.worker_id AND workers.incarnation = gone.incarnation)
  SELECT count(*) FROM term)";

// The columns of the statement's arrays.
struct LaneColumns {
  db::SqlArray jobs, lanes, issued, done, reissued, shard_workers, consumers;
};
struct GoneColumns {
  db::SqlArray jobs, lanes, froms;
};
struct KeptColumns {
  db::SqlArray jobs, lanes, froms, tos, attempts, workers, incarnations, requests;
};
struct LostColumns {
  db::SqlArray workers, incarnations;
};

void Add(const IssueChanges::OfLane& lane, LaneColumns& columns) {
  const LaneCounts& counts = lane.changes.counts;
  columns.jobs.Add(lane.job_id);
  columns.lanes.Add(lane.lane);
  columns.issued.Add(counts.issued_before);
  columns.done.Add(counts.done_before);
  columns.reissued.Add(counts.num_reissued);
  columns.shard_workers.Add(counts.shard_worker_id);
  columns.consumers.Add(counts.consumer);
}

void Add(const IssueChanges::OfLane& lane, GoneColumns& columns) {
  for (const int64_t from : lane.changes.gone) {
    columns.jobs.Add(lane.job_id);
    columns.lanes.Add(lane.lane);
    columns.froms.Add(from);
  }
}

void Add(const IssueChanges::OfLane& lane, KeptColumns& columns) {
  for (const IssuedSplit& split : lane.changes.kept) {
    columns.jobs.Add(lane.job_id);
    columns.lanes.Add(lane.lane);
    columns.froms.Add(split.from_batch);
    columns.tos.Add(split.to_batch);
    columns.attempts.Add(split.attempt);
    columns.workers.Add(split.worker.member_id);
    columns.incarnations.Add(split.worker.number);
    columns.requests.Add(split.request_id);
  }
}

absl::Status TakenOver() { return Unavailable("another dispatcher has taken over"); }

}  // namespace

int64_t IssueTable::BeginTerm() { return work_.exec(kBeginTerm).at(0)[0].as<int64_t>(); }

absl::Status IssueTable::CheckTerm(int64_t term) {
  if (!work_.exec_params(kCheckTerm, term).empty()) return absl::OkStatus();
  return TakenOver();
}

absl::Status IssueTable::Write(int64_t term, const IssueChanges& changes) {
  LaneColumns lanes;
  GoneColumns gone;
  KeptColumns kept;
  for (const IssueChanges::OfLane& lane : changes.lanes) {
    Add(lane, lanes);
    Add(lane, gone);
    Add(lane, kept);
  }
  LostColumns lost;
  for (const Incarnation& worker : changes.lost_workers) {
    lost.workers.Add(worker.member_id);
    lost.incarnations.Add(worker.number);
  }
  work_.conn().prepare(kWriteName, kWrite);  // Only the first time on a connection.
  const pqxx::row written = work_.exec_prepared1(
      kWriteName, term, lanes.jobs.text(), lanes.lanes.text(), lanes.issued.text(),
      lanes.done.text(), lanes.reissued.text(), lanes.shard_workers.text(), lanes.consumers.text(),
      gone.jobs.text(), gone.lanes.text(), gone.froms.text(), kept.jobs.text(), kept.lanes.text(),
      kept.froms.text(), kept.tos.text(), kept.attempts.text(), kept.workers.text(),
      kept.incarnations.text(), kept.requests.text(), lost.workers.text(),
      lost.incarnations.text());
  return written[0].as<int64_t>() == 1 ? absl::OkStatus() : TakenOver();
}

}  // namespace tidemill::preprocess
