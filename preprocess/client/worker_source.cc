#include "preprocess/client/worker_source.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "preprocess/client/path_work_message.h"
#include "xxhash.h"

namespace tidemill::preprocess {
namespace {

// How long a consumer is silent at most.
constexpr std::chrono::milliseconds kReportInterval{50};
constexpr std::chrono::milliseconds kReportDeadline{2'000};
// Of the batches under way at least so many splits are made, that all workers have something to do
// and a slow one holds little of them.
constexpr int64_t kSplitsAhead = 16;
// A small training is cut into at least so many splits.
constexpr int64_t kLeastSplits = 64;
// Credit is given back in so many parts.
constexpr int64_t kGrantsOfCredit = 8;
// Between attempts to connect to a worker that does not answer.
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kLongestPause{1'000};
constexpr int64_t kSplitBytes = int64_t{4} << 20;
// What is done out of order is reported batch by batch, and fits into a token.
constexpr int64_t kMostAhead = ResumeToken::kMostBeyond;

// Batches that a worker leases together.
int64_t SplitOf(const loader::BatchMaker& maker, int64_t bytes_ahead) {
  const int64_t together = maker.BatchesTogether(std::min(kSplitBytes, bytes_ahead / kSplitsAhead));
  return std::clamp<int64_t>(maker.end() / kLeastSplits, 1,
                             std::min(together, kMostAhead / kSplitsAhead));
}

// Whether another worker may do what this one could not.
bool IsOfTheWorker(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

bool IsSame(const v1::WorkerIncarnation& a, const v1::WorkerIncarnation& b) {
  return a.worker_id() == b.worker_id() && a.incarnation() == b.incarnation();
}

std::pair<int64_t, int64_t> KeyOf(const v1::WorkerIncarnation& worker) {
  return {worker.worker_id(), worker.incarnation()};
}

// Rendezvous hashing: which of more workers than it wants a consumer connects to, so that consumers
// spread over them (Thaler and Ravishankar, "Using name-based mappings to increase hit rates",
// 1998).
uint64_t Affinity(const std::string& consumer, int64_t worker_id) {
  return XXH3_64bits_withSeed(consumer.data(), consumer.size(), static_cast<uint64_t>(worker_id));
}

}  // namespace

WorkerSource::WorkerSource(const JobSpec& job, std::unique_ptr<const loader::BatchMaker> maker,
                           const WorkerSourceOptions& options)
    : options_(options),
      maker_(std::move(maker)),
      lane_(static_cast<int32_t>(maker_->plan().slice)),
      owns_job_(job.num_lanes == 1),
      consumer_(fmt::format("{}/{}", options.job_name, rpc::NewRequestId())),
      dispatcher_(options.dispatcher),
      arrivals_(maker_->plan().first_batch, maker_->end(), options.guarantee, options.delivery,
                options.done_beyond),
      reporter_(std::make_unique<WorkerPool>("preprocess-report", 1)) {}

absl::StatusOr<std::unique_ptr<WorkerSource>> WorkerSource::Open(
    const JobSpec& job, const std::string& fitted, std::unique_ptr<const loader::BatchMaker> maker,
    const WorkerSourceOptions& options) {
  if (maker->plan().first_batch >= maker->end()) {
    return InvalidArgument("no batch is left of the {} of {}", maker->end(), options.job_name);
  }
  std::unique_ptr<WorkerSource> source(new WorkerSource(job, std::move(maker), options));
  RETURN_IF_ERROR(source->CreateJob(job, fitted));
  source->reporter_->Submit([self = source.get()] { self->KeepReporting(); });
  return source;
}

absl::Status WorkerSource::CreateJob(const JobSpec& job, const std::string& fitted) {
  const int64_t split = SplitOf(*maker_, options_.bytes_ahead);
  // A split that begins within the window may end behind it.
  window_ = std::clamp<int64_t>(options_.bytes_ahead / maker_->batch_bytes(), 2 * split,
                                kMostAhead - split);
  credit_bytes_ = std::max(options_.bytes_ahead / options_.most_workers, maker_->batch_bytes());
  v1::CreateJobRequest request;
  request.mutable_command()->set_run_id(job.run_id);
  request.set_name(options_.job_name);
  request.set_spec(config::Print(job));
  request.set_fitted(fitted);
  for (int64_t lane = 0; lane < job.num_lanes; ++lane) {
    v1::Lane* const added = request.add_lanes();
    added->set_first_batch(maker_->plan().first_batch);
    added->set_end_batch(maker_->end());
  }
  request.set_split_batches(split);
  request.set_guarantee(options_.guarantee);
  ASSIGN_OR_RETURN(job_id_, dispatcher_.CreateJob(request));
  return absl::OkStatus();
}

WorkerSource::~WorkerSource() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    due_.notify_all();
  }
  reporter_.reset();  // From here on nobody connects.
  std::map<int64_t, Connection> connections;
  std::vector<std::shared_ptr<BatchLink>> ended;
  {
    MutexLock lock(mutex_);
    connections.swap(connections_);
    ended.swap(ended_links_);
  }
  connections.clear();
  ended.clear();
  if (!owns_job_ || job_id_ == 0) return;
  v1::FinishJobRequest request;
  request.set_job_id(job_id_);
  const absl::Status finished = dispatcher_.FinishJob(request, kReportDeadline);
  if (!finished.ok()) {
    log::Warn("the dispatcher does not hear that a job is over; it will find out",
              {{"job", options_.job_name}, {"error", std::string(finished.message())}});
  }
}

void WorkerSource::KeepReporting() {
  while (true) {
    {
      MutexLock lock(mutex_);
      if (!is_due_ && !stopping_) due_.wait_for(mutex_, kReportInterval);
      if (stopping_) return;
      is_due_ = false;
    }
    const v1::ReportProgressRequest request = NextReport();
    const auto answer = dispatcher_.ReportProgress(request, kReportDeadline);
    if (answer.ok()) {
      Apply(request, *answer);
    } else if (answer.status().code() == absl::StatusCode::kNotFound) {
      MutexLock lock(mutex_);
      failure_ = FailedPrecondition(
          "the dispatcher has given up the job {}: it heard nothing of its consumers for too long",
          options_.job_name);
      changed_.notify_all();
      return;
    }
  }
}

v1::ReportProgressRequest WorkerSource::NextReport() {
  v1::ReportProgressRequest request;
  request.set_job_id(job_id_);
  request.set_consumer(consumer_);
  std::vector<std::shared_ptr<BatchLink>> ended;  // Dropped without the lock.
  MutexLock lock(mutex_);
  ended.swap(ended_links_);
  v1::LaneProgress* const lane = request.add_lanes();
  lane->set_lane(lane_);
  lane->set_done_before(arrivals_.done_before());
  for (const int64_t number : arrivals_.DoneBeyond()) lane->add_done(number);
  lane->set_window(window_);
  for (const auto& [number, connection] : connections_) {
    *request.add_connected() = connection.worker.incarnation();
  }
  for (const v1::WorkerIncarnation& worker : broken_) *request.add_broken() = worker;
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - reported_at_).count();
  const double waited = counters_.wait_seconds - reported_wait_;
  request.set_wait_share(seconds > 0 ? std::clamp(waited / seconds, 0.0, 1.0) : 0);
  reported_at_ = now;
  reported_wait_ = counters_.wait_seconds;
  reported_ = arrivals_.done_before();
  return request;
}

void WorkerSource::Apply(const v1::ReportProgressRequest& sent,
                         const v1::ReportProgressResponse& answer) {
  std::vector<v1::Worker> chosen;
  std::vector<std::shared_ptr<BatchLink>> silent;  // Dropped without the lock.
  {
    MutexLock lock(mutex_);
    silent = DropUnknown(answer);
    for (const v1::WorkerIncarnation& told : sent.broken()) {
      std::erase_if(broken_, [&](const auto& worker) { return IsSame(worker, told); });
    }
    for (const auto& lost : answer.lost()) {
      if (lost.lane() == lane_) arrivals_.GiveUp(lost.from_batch(), lost.to_batch());
    }
    if (answer.lost_size() > 0) changed_.notify_all();
    work_ = FromMessage(answer.work());
    chosen = NewWorkers(answer);
    if (!chosen.empty()) is_due_ = true;  // They get no work before it is known that we listen.
  }
  for (const v1::Worker& worker : chosen) Connect(worker);
}

std::vector<std::shared_ptr<BatchLink>> WorkerSource::DropUnknown(
    const v1::ReportProgressResponse& answer) {
  // A worker that hangs keeps its connection, but the dispatcher has given its work to others.
  std::vector<std::shared_ptr<BatchLink>> dropped;
  std::erase_if(connections_, [&](auto& connection) {
    const bool is_known = std::ranges::any_of(answer.workers(), [&](const v1::Worker& worker) {
      return IsSame(worker.incarnation(), connection.second.worker.incarnation());
    });
    if (!is_known && connection.second.link != nullptr) {
      dropped.push_back(std::move(connection.second.link));
      return true;
    }
    return false;
  });
  return dropped;
}

std::vector<v1::Worker> WorkerSource::NewWorkers(const v1::ReportProgressResponse& answer) const {
  std::vector<v1::Worker> workers;
  for (const v1::Worker& worker : answer.workers()) {
    const auto is_it = [&](const v1::WorkerIncarnation& one) {
      return IsSame(one, worker.incarnation());
    };
    const bool is_connected = std::ranges::any_of(
        connections_, [&](const auto& one) { return is_it(one.second.worker.incarnation()); });
    // Who is broken is tried again once the dispatcher has heard of it.
    const auto retry = retries_.find(KeyOf(worker.incarnation()));
    const bool is_broken = std::ranges::any_of(broken_, is_it) ||
                           (retry != retries_.end() && Clock::now() < retry->second.at);
    if (!is_connected && !is_broken && worker.state() == v1::WORKER_STATE_ALIVE) {
      workers.push_back(worker);
    }
  }
  std::ranges::sort(workers, std::greater(), [&](const v1::Worker& worker) {
    return Affinity(consumer_, worker.incarnation().worker_id());
  });
  const int64_t room = options_.most_workers - std::ssize(connections_);
  workers.resize(static_cast<size_t>(std::clamp<int64_t>(room, 0, std::ssize(workers))));
  return workers;
}

void WorkerSource::Connect(const v1::Worker& worker) {
  int64_t id = 0;
  {
    MutexLock lock(mutex_);
    id = next_connection_++;
    connections_[id] = {.worker = worker, .link = nullptr};
  }
  v1::ReadBatchesRequest::Open open;
  open.set_job_id(job_id_);
  open.add_lanes(lane_);
  std::shared_ptr<BatchLink> link =
      OpenLink(options_.dispatcher, worker, open, options_.link,
               {.batch = [this, id](BatchMessage message) { Arrived(id, std::move(message)); },
                .ended = [this, id](const absl::Status& why) { Ended(id, why); }});
  int64_t wanted = 0;
  {
    MutexLock lock(mutex_);
    wanted = arrivals_.done_before();
    const auto it = connections_.find(id);
    if (it == connections_.end()) {
      ended_links_.push_back(link);  // It has ended already.
    } else {
      it->second.link = link;
    }
  }
  link->Grant(credit_bytes_, {&wanted, 1});
}

void WorkerSource::Arrived(int64_t connection, BatchMessage message) {
  const int64_t bytes = BytesOf(message);
  const int64_t number = message.number;
  std::shared_ptr<BatchLink> link;
  int64_t wanted = 0;
  {
    MutexLock lock(mutex_);
    last_company_ = Clock::now();
    const auto sender = connections_.find(connection);
    if (sender != connections_.end()) retries_.erase(KeyOf(sender->second.worker.incarnation()));
    if (arrivals_.Add(std::move(message))) {
      origins_[number] = {.connection = connection, .bytes = bytes};
      changed_.notify_all();
      return;
    }
    if (sender == connections_.end()) return;
    link = sender->second.link;
    wanted = arrivals_.done_before();
  }
  if (link != nullptr) link->Grant(bytes, {&wanted, 1});
}

void WorkerSource::Ended(int64_t connection, const absl::Status& why) {
  MutexLock lock(mutex_);
  const auto it = connections_.find(connection);
  if (it == connections_.end()) return;
  if (!IsOfTheWorker(why)) {
    failure_ = Annotate(why, fmt::format("worker {}", it->second.worker.name()));
  } else if (!why.ok()) {
    log::Warn("a worker is gone; its batches are made by others",
              {{"worker", it->second.worker.name()}, {"error", std::string(why.message())}});
    broken_.push_back(it->second.worker.incarnation());
  }
  Retry& retry = retries_[KeyOf(it->second.worker.incarnation())];
  retry.pause = std::clamp(retry.pause * 2, kFirstPause, kLongestPause);
  retry.at = Clock::now() + retry.pause;
  // A link cannot be destroyed by its own call.
  if (it->second.link != nullptr) ended_links_.push_back(std::move(it->second.link));
  connections_.erase(it);
  is_due_ = true;
  due_.notify_all();
  changed_.notify_all();
}

bool WorkerSource::IsAlone() const {
  return connections_.empty() && Clock::now() - last_company_ > options_.patience;
}

absl::StatusOr<std::optional<BatchMessage>> WorkerSource::WaitForNext() {
  bool has_asked = false;
  while (true) {
    bool is_alone = false;
    {
      MutexLock lock(mutex_);
      while (true) {
        if (std::optional<BatchMessage> next = arrivals_.Take()) return next;
        if (!failure_.ok()) return failure_;
        if (arrivals_.ended()) return std::optional<BatchMessage>();
        if (!connections_.empty()) last_company_ = Clock::now();
        is_alone = IsAlone();
        if (is_alone || !has_asked) break;
        changed_.wait_for(mutex_, kReportInterval);
      }
    }
    if (is_alone) {
      RETURN_IF_ERROR(MakeHere());
    } else {
      AskForNext();
      has_asked = true;
    }
  }
}

void WorkerSource::AskForNext() {
  std::vector<std::pair<std::shared_ptr<BatchLink>, int64_t>> grants;
  int64_t wanted = 0;
  {
    MutexLock lock(mutex_);
    wanted = arrivals_.done_before();
    for (auto& [id, connection] : connections_) {
      if (connection.link == nullptr) continue;
      grants.emplace_back(connection.link, std::exchange(connection.owed, 0));
    }
  }
  for (const auto& [link, bytes] : grants) link->Grant(bytes, {&wanted, 1});
}

absl::Status WorkerSource::MakeHere() {
  int64_t number = 0;
  {
    MutexLock lock(mutex_);
    number = arrivals_.done_before();
    if (counters_.num_made_here++ == 0) {
      log::Warn("there is no worker; batches are made in this process until there is one",
                {{"job", options_.job_name}});
    }
  }
  ASSIGN_OR_RETURN(std::vector<loader::TrainingBatch> made, maker_->Make(number, number + 1, {}));
  MutexLock lock(mutex_);
  arrivals_.Add({.lane = lane_,
                 .number = number,
                 .rows = std::move(made[0].rows),
                 .num_skipped = made[0].num_skipped,
                 .reason = std::move(made[0].reason)});
  return absl::OkStatus();
}

void WorkerSource::GiveCredit(const BatchMessage& taken) {
  std::shared_ptr<BatchLink> link;
  int64_t bytes = 0;
  int64_t wanted = 0;
  {
    MutexLock lock(mutex_);
    ++counters_.num_batches;
    wanted = arrivals_.done_before();
    if (wanted - reported_ >= window_ / 4 || arrivals_.ended()) {
      is_due_ = true;
      due_.notify_all();
    }
    const auto origin = origins_.extract(taken.number);
    if (origin.empty()) return;
    const auto it = connections_.find(origin.mapped().connection);
    if (it == connections_.end()) return;
    it->second.owed += origin.mapped().bytes;
    if (it->second.owed < credit_bytes_ / kGrantsOfCredit) return;
    link = it->second.link;
    bytes = std::exchange(it->second.owed, 0);
  }
  if (link != nullptr) link->Grant(bytes, {&wanted, 1});
}

absl::StatusOr<std::optional<loader::TrainingBatch>> WorkerSource::Next() {
  const auto began = Clock::now();
  absl::StatusOr<std::optional<BatchMessage>> next = WaitForNext();
  const double waited = std::chrono::duration<double>(Clock::now() - began).count();
  {
    MutexLock lock(mutex_);
    counters_.wait_seconds += waited;
  }
  RETURN_IF_ERROR(next.status());
  if (!*next) return std::optional<loader::TrainingBatch>();
  BatchMessage message = **std::move(next);
  GiveCredit(message);
  loader::TrainingBatch batch = {
      .epoch = maker_->plan().first_epoch + message.number / maker_->num_batches(),
      .index = message.number % maker_->num_batches(),
      .rows = std::move(message.rows),
      .num_skipped = message.num_skipped,
      .reason = std::move(message.reason)};
  if (options_.settle && batch.rows.num_rows() > 0) RETURN_IF_ERROR(options_.settle(batch.rows));
  return std::optional<loader::TrainingBatch>(std::move(batch));
}

loader::PathWork WorkerSource::work() const {
  MutexLock lock(mutex_);
  loader::PathWork work = work_;
  if (counters_.num_made_here == 0) return work;
  // Of the same graph, so that they add up.
  loader::Merge(maker_->work(), work).IgnoreError();
  return work;
}

ResumeToken WorkerSource::token() const {
  MutexLock lock(mutex_);
  return {.done_before = arrivals_.done_before(), .done_beyond = arrivals_.DoneBeyond()};
}

WorkerSourceCounters WorkerSource::counters() const {
  MutexLock lock(mutex_);
  WorkerSourceCounters counters = counters_;
  counters.num_dropped = arrivals_.num_dropped();
  counters.num_given_up = arrivals_.num_given_up();
  for (const auto& [id, connection] : connections_) {
    if (connection.link == nullptr) continue;
    counters.links[connection.worker.name()] = connection.link->counters();
  }
  return counters;
}

}  // namespace tidemill::preprocess
