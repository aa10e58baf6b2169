#include "preprocess/dispatcher/assignments.h"

#include <algorithm>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::preprocess {

Job* Assignments::FindJob(int64_t job_id) const {
  const auto it = jobs_.find(job_id);
  return it == jobs_.end() || it->second->ending ? nullptr : it->second.get();
}

absl::Status Assignments::Install(StoredJob stored, Clock::time_point now) {
  const int64_t job_id = stored.facts.job_id;
  std::unique_ptr<Job>& job = jobs_[job_id];
  if (job != nullptr && job->ending) {
    return Unavailable("an earlier job {} is being removed", stored.facts.name);
  }
  if (job != nullptr) return absl::OkStatus();
  log::Info("job known", {{"job", stored.facts.name}, {"id", std::to_string(job_id)}});
  job = std::make_unique<Job>(std::move(stored.facts), std::move(stored.lanes), now);
  job->KeepAnswer(std::move(stored.answer));
  return absl::OkStatus();
}

void Assignments::End(int64_t job_id, bool removing) {
  const auto it = jobs_.find(job_id);
  if (it == jobs_.end()) return;
  it->second->ending = true;
  it->second->removing = removing;
}

std::map<int64_t, int32_t> Assignments::CountLeases() const {
  std::map<int64_t, int32_t> num_leased;
  for (const auto& [id, job] : jobs_) {
    for (const Lane& lane : job->lanes()) lane.CountLeases(num_leased);
  }
  return num_leased;
}

std::vector<engine::KnownMember> Assignments::StartedMembers(const std::string& group) const {
  std::map<int64_t, int32_t> num_leased = CountLeases();
  std::vector<engine::KnownMember> members;
  for (const auto& [id, worker] : workers_.all()) {
    const auto number = engine::NumberOf(worker.started_as, group);
    if (!number || worker.lost) continue;
    members.push_back({.number = *number,
                       .id = id,
                       .name = worker.name,
                       .draining = worker.draining,
                       .busy = num_leased[id] > 0});
  }
  return members;
}

std::vector<JobTotals> Assignments::Totals() const {
  std::vector<JobTotals> totals;
  for (const auto& [id, job] : jobs_) {
    if (!job->ending) totals.push_back(job->Totals());
  }
  return totals;
}

std::optional<Assignment> Assignments::Assign(const Incarnation& worker,
                                              const std::string& request_id) {
  if (jobs_.empty()) return std::nullopt;
  auto it = jobs_.upper_bound(last_job_);
  for (size_t tried = 0; tried < jobs_.size(); ++tried, ++it) {
    if (it == jobs_.end()) it = jobs_.begin();
    const Job::Issued issued = it->second->Issue(worker, request_id, workers_);
    if (issued.lane < 0) continue;
    last_job_ = it->first;
    return Assignment{.job_id = it->first, .issued = issued};
  }
  return std::nullopt;
}

std::vector<Assignment> Assignments::AssignedBefore(const Incarnation& worker,
                                                    const std::string& request_id) const {
  std::vector<Assignment> assigned;
  for (const auto& [id, job] : jobs_) {
    if (job->ending) continue;
    for (const Job::Issued& issued : job->LeasedBy(worker, request_id)) {
      assigned.push_back({.job_id = id, .issued = issued});
    }
  }
  return assigned;
}

bool Assignments::Revoke(const std::vector<Assignment>& assigned, const Incarnation& worker,
                         const std::string& request_id) {
  bool taken_back = false;
  for (const Assignment& assignment : assigned) {
    const auto it = jobs_.find(assignment.job_id);
    if (it == jobs_.end()) continue;
    Lane& lane = it->second->lanes()[static_cast<size_t>(assignment.issued.lane)];
    taken_back |= lane.Revoke(assignment.issued.from_batch, worker, request_id);
  }
  return taken_back;
}

int64_t Assignments::GiveUp(const std::function<bool(const Incarnation&)>& is_gone) {
  int64_t num_given_up = 0;
  for (auto& [id, job] : jobs_) num_given_up += job->Lose(is_gone);
  return num_given_up;
}

bool Assignments::HasChanges() const {
  if (!workers_.newly_lost().empty()) return true;
  return std::any_of(jobs_.begin(), jobs_.end(), [](const auto& entry) {
    return !entry.second->ending &&
           std::any_of(entry.second->lanes().begin(), entry.second->lanes().end(),
                       [](const Lane& lane) { return lane.has_changes(); });
  });
}

IssueChanges Assignments::TakeChanges() {
  IssueChanges changes;
  changes.lost_workers = workers_.TakeNewlyLost();
  for (auto& [id, job] : jobs_) {
    if (job->ending) continue;
    for (size_t i = 0; i < job->lanes().size(); ++i) {
      Lane& lane = job->lanes()[i];
      if (!lane.has_changes()) continue;
      changes.lanes.push_back(
          {.job_id = id, .lane = static_cast<int32_t>(i), .changes = lane.TakeChanges()});
    }
  }
  return changes;
}

void Assignments::ReturnChanges(const IssueChanges& changes) {
  workers_.ReturnNewlyLost(changes.lost_workers);
  for (const IssueChanges::OfLane& lane : changes.lanes) {
    const auto it = jobs_.find(lane.job_id);
    if (it == jobs_.end()) continue;
    it->second->lanes()[static_cast<size_t>(lane.lane)].ReturnChanges(lane.changes);
  }
}

}  // namespace tidemill::preprocess
