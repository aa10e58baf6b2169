#include "preprocess/dispatcher/issue_table.h"

#include "db/sql_array.h"

namespace tidemill::preprocess {
namespace {

constexpr char kBeginTerm[] = "UPDATE preprocess.terms SET term = term + 1 RETURNING term";

constexpr char kCheckTerm[] = "SELECT 1 FROM preprocess.terms WHERE term = $1 FOR SHARE";

constexpr char kUpdateLanes[] = R"(
  UPDATE preprocess.lanes AS lanes
  SET issued_before = new.issued_before, done_before = new.done_before,
      num_reissued = new.num_reissued, shard_worker_id = nullif(new.shard_worker_id, 0),
      consumer = new.consumer
  FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
              $7::text[])
    AS new (job_id, lane, issued_before, done_before, num_reissued, shard_worker_id, consumer)
  WHERE lanes.job_id = new.job_id AND lanes.lane = new.lane)";

constexpr char kDeleteSplits[] = R"(
  DELETE FROM preprocess.splits AS splits
  USING unnest($1::bigint[], $2::integer[], $3::bigint[]) AS gone (job_id, lane, from_batch)
  WHERE splits.job_id = gone.job_id AND splits.lane = gone.lane
    AND splits.from_batch = gone.from_batch)";

constexpr char kUpsertSplits[] = R"(
  INSERT INTO preprocess.splits
    (job_id, lane, from_batch, to_batch, attempt, worker_id, incarnation, request_id)
  SELECT job_id, lane, from_batch, to_batch, attempt, nullif(worker_id, 0),
         nullif(incarnation, 0), request_id
  FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[], $5::integer[],
              $6::bigint[], $7::bigint[], $8::text[])
    AS new (job_id, lane, from_batch, to_batch, attempt, worker_id, incarnation, request_id)
  ON CONFLICT (job_id, lane, from_batch) DO UPDATE
  SET to_batch = excluded.to_batch, attempt = excluded.attempt, worker_id = excluded.worker_id,
      incarnation = excluded.incarnation, request_id = excluded.request_id)";

constexpr char kLoseWorkers[] = R"(
  UPDATE preprocess.workers AS workers SET lost = true
  FROM unnest($1::bigint[], $2::bigint[]) AS gone (worker_id, incarnation)
  WHERE workers.worker_id = gone.worker_id AND workers.incarnation = gone.incarnation)";

}  // namespace

int64_t IssueTable::BeginTerm() { return work_.exec(kBeginTerm).at(0)[0].as<int64_t>(); }

absl::Status IssueTable::CheckTerm(int64_t term) {
  if (!work_.exec_params(kCheckTerm, term).empty()) return absl::OkStatus();
  return Unavailable("another dispatcher has taken over");
}

void IssueTable::Write(const IssueChanges& changes) {
  if (!changes.lanes.empty()) {
    WriteLanes(changes);
    DeleteSplits(changes);
    WriteSplits(changes);
  }
  if (changes.lost_workers.empty()) return;
  db::SqlArray ids, incarnations;
  for (const Incarnation& worker : changes.lost_workers) {
    ids.Add(worker.worker_id);
    incarnations.Add(worker.number);
  }
  work_.exec_params(kLoseWorkers, ids.text(), incarnations.text());
}

void IssueTable::WriteLanes(const IssueChanges& changes) {
  db::SqlArray jobs, lanes, issued, done, reissued, shard_workers, consumers;
  for (const IssueChanges::OfLane& lane : changes.lanes) {
    const LaneCounts& counts = lane.changes.counts;
    jobs.Add(lane.job_id);
    lanes.Add(lane.lane);
    issued.Add(counts.issued_before);
    done.Add(counts.done_before);
    reissued.Add(counts.num_reissued);
    shard_workers.Add(counts.shard_worker_id);
    consumers.Add(counts.consumer);
  }
  work_.exec_params(kUpdateLanes, jobs.text(), lanes.text(), issued.text(), done.text(),
                    reissued.text(), shard_workers.text(), consumers.text());
}

void IssueTable::DeleteSplits(const IssueChanges& changes) {
  db::SqlArray jobs, lanes, froms;
  bool any = false;
  for (const IssueChanges::OfLane& lane : changes.lanes) {
    for (const int64_t from : lane.changes.gone) {
      jobs.Add(lane.job_id);
      lanes.Add(lane.lane);
      froms.Add(from);
      any = true;
    }
  }
  if (any) work_.exec_params(kDeleteSplits, jobs.text(), lanes.text(), froms.text());
}

void IssueTable::WriteSplits(const IssueChanges& changes) {
  db::SqlArray jobs, lanes, froms, tos, attempts, workers, incarnations, requests;
  bool any = false;
  for (const IssueChanges::OfLane& lane : changes.lanes) {
    for (const IssuedSplit& split : lane.changes.kept) {
      jobs.Add(lane.job_id);
      lanes.Add(lane.lane);
      froms.Add(split.from_batch);
      tos.Add(split.to_batch);
      attempts.Add(split.attempt);
      workers.Add(split.worker.worker_id);
      incarnations.Add(split.worker.number);
      requests.Add(split.request_id);
      any = true;
    }
  }
  if (!any) return;
  work_.exec_params(kUpsertSplits, jobs.text(), lanes.text(), froms.text(), tos.text(),
                    attempts.text(), workers.text(), incarnations.text(), requests.text());
}

}  // namespace tidemill::preprocess
