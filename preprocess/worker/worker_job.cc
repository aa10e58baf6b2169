#include "preprocess/worker/worker_job.h"

#include <set>
#include <utility>

namespace tidemill::preprocess {

absl::Status WorkerJob::Open() {
  {
    MutexLock lock(mutex_);
    while (is_opening_) opened_.wait(mutex_);
    if (job_) return job_->status();
    is_opening_ = true;
  }
  absl::StatusOr<OpenedJob> job = open_();
  MutexLock lock(mutex_);
  is_opening_ = false;
  job_.emplace(std::move(job));
  opened_.notify_all();
  return job_->status();
}

absl::StatusOr<const loader::BatchMaker*> WorkerJob::MakerOf(int32_t lane) {
  RETURN_IF_ERROR(Open());
  MutexLock lock(mutex_);
  const OpenedJob& job = **job_;
  if (lane < 0 || lane >= job.spec.num_lanes) {
    return InvalidArgument("the job has {} lanes and no lane {}", job.spec.num_lanes, lane);
  }
  std::unique_ptr<const loader::BatchMaker>& maker = makers_[lane];
  if (maker == nullptr) {
    ASSIGN_OR_RETURN(maker,
                     loader::BatchMaker::Create(job.parts, PlanOf(job.spec, job.division, lane)));
  }
  return maker.get();
}

absl::Status WorkerJob::Admit(const rpc::JobScope& caller) {
  RETURN_IF_ERROR(Open());
  MutexLock lock(mutex_);
  return caller.CheckHolder((*job_)->holder);
}

void WorkerJob::Attach(const std::shared_ptr<Outbox>& outbox) {
  std::set<std::shared_ptr<Outbox>> before;
  std::vector<BatchMessage> early;
  absl::Status failure;
  {
    MutexLock lock(mutex_);
    for (const int32_t lane : outbox->lanes()) {
      std::shared_ptr<Outbox>& place = outboxes_[lane];
      if (place != nullptr) before.insert(place);
      place = outbox;
      for (BatchMessage& message : early_[lane]) {
        early_bytes_ -= BytesOf(message);
        early.push_back(std::move(message));
      }
      early_.erase(lane);
    }
    failure = failure_;
  }
  for (const auto& old : before) old->Close(Unavailable("another stream already reads this lane"));
  for (BatchMessage& message : early) outbox->Put(std::move(message));
  if (!failure.ok()) outbox->Close(failure);
}

bool WorkerJob::Put(BatchMessage message) {
  std::shared_ptr<Outbox> outbox;
  {
    MutexLock lock(mutex_);
    const auto it = outboxes_.find(message.lane);
    if (it == outboxes_.end()) {
      early_bytes_ += BytesOf(message);
      early_[message.lane].push_back(std::move(message));
      return true;
    }
    outbox = it->second;
  }
  if (outbox->closed()) return false;
  outbox->Put(std::move(message));
  return true;
}

void WorkerJob::Close(const absl::Status& why) {
  std::set<std::shared_ptr<Outbox>> outboxes;
  {
    MutexLock lock(mutex_);
    if (failure_.ok()) failure_ = why;
    for (const auto& [lane, outbox] : outboxes_) outboxes.insert(outbox);
    early_.clear();
    early_bytes_ = 0;
  }
  for (const auto& outbox : outboxes) outbox->Close(why);
}

loader::PathWork WorkerJob::work() const {
  loader::PathWork work;
  clock_.Fill(work);
  MutexLock lock(mutex_);
  for (const auto& [lane, maker] : makers_) {
    // All of one graph, so that they add up.
    if (maker != nullptr) loader::Merge(maker->work(), work).IgnoreError();
  }
  std::set<const Outbox*> counted;
  for (const auto& [lane, outbox] : outboxes_) {
    if (!counted.insert(outbox.get()).second) continue;
    const Outbox::LinkTime time = outbox->link_time();
    work.link_busy_ns += time.busy_ns;
    work.link_ns += time.total_ns;
  }
  return work;
}

void WorkerJob::BeginSplit(int64_t bytes) {
  int64_t largest = split_bytes_;
  while (largest < bytes && !split_bytes_.compare_exchange_weak(largest, bytes)) {
  }
}

int64_t WorkerJob::bytes() const {
  MutexLock lock(mutex_);
  int64_t bytes = early_bytes_;
  std::set<const Outbox*> counted;
  for (const auto& [lane, outbox] : outboxes_) {
    if (counted.insert(outbox.get()).second) bytes += outbox->bytes();
  }
  return bytes;
}

}  // namespace tidemill::preprocess
