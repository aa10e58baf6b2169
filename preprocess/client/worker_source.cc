#include "preprocess/client/worker_source.h"

#include <algorithm>
#include <utility>

#include "base/logs/log.h"
#include "base/threads/thread_priority.h"
#include "preprocess/client/path_work_message.h"

// The makers of the batches of a lane:
//
//            done_before                     done_before + window
//   ---------|-------------------------------|---------------------------------> batches
//    taken   | workers, in any order:        | this process (threads_here),
//            | they arrive in `arrivals_`    | in whole splits of its own
//            |
//            `-- the next batch for Next(). When no worker sends it for too long, this process
//                makes it, and may report it as missed.
//
// KeepReporting() tells the dispatcher done_before, the window and this process's own splits. The
// answer names the workers to connect to.

namespace tidemill::preprocess {
namespace {

// How long a consumer is silent at most.
constexpr std::chrono::milliseconds kReportInterval{50};
constexpr std::chrono::milliseconds kReportDeadline{2'000};
// Progress is reported after a quarter of the window, or after half of it when that is sooner than
// this: each report costs a round of the dispatcher.
constexpr std::chrono::milliseconds kLeastInterval{10};
// Makes enough splits of the batches under way that all workers have something to do and a slow one
// holds little.
constexpr int64_t kSplitsAhead = 16;
// The number under way for each worker, so that none waits while others hold several.
constexpr int64_t kSplitsOfWorker = 4;
// The least number of splits of a small training.
constexpr int64_t kLeastSplits = 64;
constexpr int64_t kSplitBytes = int64_t{4} << 20;
// The most batches under way. Small ones would otherwise be too many to keep track of.
constexpr int64_t kMaxAhead = 4096;
// Batches of a split that is a window of buckets, and how many of those should be under way.
constexpr int64_t kMaxWindow = kMaxAhead / 4;
constexpr int64_t kWindowsAhead = 8;
// Workers are too few when the consumer waits for a larger share of its time.
constexpr double kShortShare = 0.1;
// How much longer than it takes to make a batch a consumer waits for one before a worker counts as
// one that does not send it, and how many such batches are reported together.
constexpr int kMissedFactor = 10;
constexpr size_t kMostMissed = 1000;
// The size in bytes of the pieces of a split that this process makes.
constexpr int64_t kPieceBytes = int64_t{1} << 20;

// The bytes for batches from workers. The splits that this process makes have the other half.
int64_t BytesOfWindow(const WorkerSourceOptions& options) {
  return options.threads_here > 0 ? options.bytes_ahead / 2 : options.bytes_ahead;
}

// Batches that a worker leases together: whole windows of buckets, since who makes one batch of a
// window makes all of it. `num_batches`: of the longest lane.
int64_t SplitOf(const loader::BatchMaker& maker, int64_t num_batches,
                const WorkerSourceOptions& options) {
  const int64_t ahead = std::max(kSplitsAhead, kSplitsOfWorker * options.most_workers);
  const int64_t together =
      maker.BatchesTogether(std::min(kSplitBytes, options.bytes_ahead / ahead));
  const int64_t split =
      std::clamp<int64_t>(num_batches / std::max(kLeastSplits, 2 * ahead), 1,
                          std::min(together, std::max<int64_t>(1, kMaxAhead / ahead)));
  if (!maker.plan().buckets) return split;
  const int64_t window = maker.plan().buckets->window;
  return std::min(std::max<int64_t>(1, split / window) * window, kMaxWindow);
}

// Batches that are under way at most. A window counts for little of what a batch of full width
// would take, and is the least that a worker makes.
int64_t WindowOf(const loader::BatchMaker& maker, int64_t split, int64_t bytes_ahead) {
  const int64_t splits = maker.plan().buckets ? std::min(kWindowsAhead, kMaxAhead / split - 1) : 2;
  // A split that begins within the window may end after it.
  return std::clamp<int64_t>(bytes_ahead / maker.batch_bytes(), splits * split, kMaxAhead - split);
}

// The lanes of a job whose consumers share the batches of a plan.
std::vector<v1::Lane> LanesOf(const loader::BatchMaker& maker, int64_t num_lanes) {
  v1::Lane lane;
  lane.set_first_batch(maker.plan().first_batch);
  lane.set_end_batch(maker.end());
  return std::vector<v1::Lane>(static_cast<size_t>(num_lanes), lane);
}

// Batches of the longest lane of the job.
int64_t MostBatches(const loader::BatchMaker& maker, const WorkerSourceOptions& options) {
  if (!options.shard) return maker.end();
  int64_t most = 0;
  for (const v1::Lane& lane : options.shard->lanes) most = std::max(most, lane.end_batch());
  return most;
}

}  // namespace

WorkerSource::WorkerSource(const JobSpec& job, std::unique_ptr<const loader::BatchMaker> maker,
                           const WorkerSourceOptions& options)
    : options_(options),
      maker_(std::move(maker)),
      clock_(options.threads_here),
      lane_(options.shard ? options.shard->lane : static_cast<int32_t>(maker_->plan().slice)),
      owns_job_(job.num_lanes == 1 && !options.shard),
      charges_(options.charges == nullptr && !options.shard && lane_ == 0
                   ? std::make_shared<JobCharges>()
                   : options.charges),
      consumer_(fmt::format("{}/{}", options.job_name, rpc::NewRequestId())),
      dispatcher_(options.dispatcher),
      split_(SplitOf(*maker_, MostBatches(*maker_, options), options)),
      window_(WindowOf(*maker_, split_, BytesOfWindow(options))),
      arrivals_(maker_->plan().first_batch, maker_->end()),
      own_(maker_->end(), split_, window_),
      reported_(maker_->plan().first_batch),
      reporter_(std::make_unique<WorkerPool>("preprocess-report", 1)) {}

absl::StatusOr<std::unique_ptr<WorkerSource>> WorkerSource::Open(
    const JobSpec& job, const std::string& fitted, std::unique_ptr<const loader::BatchMaker> maker,
    const WorkerSourceOptions& options) {
  if (maker->plan().first_batch >= maker->end()) {
    return InvalidArgument("no batch is left among the {} of {}", maker->end(), options.job_name);
  }
  std::unique_ptr<WorkerSource> source(new WorkerSource(job, std::move(maker), options));
  RETURN_IF_ERROR(source->CreateJob(job, fitted));
  source->reporter_->Submit([self = source.get()] { self->KeepReporting(); });
  if (options.threads_here > 0) {
    source->makers_ = std::make_unique<WorkerPool>("preprocess-here", options.threads_here);
    for (int thread = 0; thread < options.threads_here; ++thread) {
      source->makers_->Submit([self = source.get()] { self->KeepMaking(); });
    }
  }
  return source;
}

absl::Status WorkerSource::CreateJob(const JobSpec& job, const std::string& fitted) {
  const std::vector<v1::Lane> lanes =
      options_.shard ? options_.shard->lanes : LanesOf(*maker_, job.num_lanes);
  v1::CreateJobRequest request;
  request.mutable_command()->set_run_id(job.run_id);
  request.set_name(options_.job_name);
  request.set_spec(config::Print(job));
  request.set_fitted(fitted);
  *request.mutable_samples() = options_.samples;
  request.mutable_lanes()->Assign(lanes.begin(), lanes.end());
  request.set_split_batches(split_);
  ASSIGN_OR_RETURN(job_id_, dispatcher_.CreateJob(request));
  v1::ReadBatchesRequest::Open open;
  open.set_job_id(job_id_);
  open.add_lanes(lane_);
  const int64_t most_links = options_.shard ? 1 : options_.most_workers;
  connections_ = std::make_unique<WorkerConnections>(
      WorkerConnections::Options{
          .peer = options_.dispatcher,
          .link = options_.link,
          .open = open,
          // The consumers of a job's shards choose from the same workers, each another one.
          .consumer = options_.shard ? options_.job_name : consumer_,
          .most = options_.most_workers,
          .shard = options_.shard ? std::optional<int32_t>(lane_) : std::nullopt,
          .credit_bytes = std::max(BytesOfWindow(options_) / most_links, maker_->batch_bytes())},
      WorkerConnections::Listener{
          .batch = [this](int64_t connection,
                          BatchMessage message) { Arrived(connection, std::move(message)); },
          .ended = [this](const absl::Status& failure) { Ended(failure); }});
  return absl::OkStatus();
}

WorkerSource::~WorkerSource() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    due_.notify_all();
    own_due_.notify_all();
  }
  stop_.request_stop();
  makers_.reset();
  reporter_.reset();
  // Links call back until they have ended, and find the connections by this pointer.
  if (connections_ != nullptr) connections_->Close();
  if (!owns_job_ || job_id_ == 0) return;
  v1::FinishJobRequest request;
  request.set_job_id(job_id_);
  const auto finished = dispatcher_.FinishJob(request, kReportDeadline);
  if (!finished.ok()) {
    log::Warn("cannot tell the dispatcher that a job has ended; it will notice later",
              {{"job", options_.job_name}, {"error", std::string(finished.status().message())}});
  } else if (charges_ != nullptr) {
    charges_->Note(finished->usage());
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
          "the dispatcher has given up the job {} because its consumers did not report for too "
          "long",
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
  connections_->Describe(request);
  MutexLock lock(mutex_);
  v1::LaneProgress* const lane = request.add_lanes();
  lane->set_lane(lane_);
  lane->set_done_before(arrivals_.done_before());
  lane->set_window(window_);
  for (const int64_t from : own_.Held(arrivals_.done_before())) lane->add_own(from);
  lane->mutable_missed()->Assign(missed_.begin(), missed_.end());
  missed_.clear();
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - reported_at_).count();
  const double waited = counters_.wait_seconds - reported_wait_;
  wait_share_ = seconds > 0 ? std::clamp(waited / seconds, 0.0, 1.0) : 0;
  request.set_wait_share(wait_share_);
  reported_at_ = now;
  reported_wait_ = counters_.wait_seconds;
  reported_ = arrivals_.done_before();
  return request;
}

void WorkerSource::Apply(const v1::ReportProgressRequest& sent,
                         const v1::ReportProgressResponse& answer) {
  if (charges_ != nullptr) charges_->Note(answer.usage());
  connections_->AcknowledgeReport(sent);
  int64_t wanted = 0;
  {
    MutexLock lock(mutex_);
    work_ = FromMessage(answer.work());
    wanted = arrivals_.done_before();
  }
  if (!connections_->Update(answer, wanted)) return;
  MutexLock lock(mutex_);
  is_due_ = true;  // New workers get no work before it is known that we listen.
}

void WorkerSource::Arrived(int64_t connection, BatchMessage message) {
  const int64_t bytes = BytesOf(message);
  std::string lie;
  {
    MutexLock lock(mutex_);
    last_company_ = Clock::now();
    if (message.lane != lane_ || !arrivals_.Has(message.number)) {
      lie = fmt::format("sent batch {} of lane {}, which it was not asked for", message.number,
                        message.lane);
    } else if (arrivals_.Add(std::move(message),
                             Arrivals::Origin{.connection = connection, .bytes = bytes})) {
      // Batches that come again do not count: a worker may send nothing else.
      last_arrival_ = last_company_;
      changed_.notify_all();
      return;
    }
  }
  if (!lie.empty()) return connections_->Distrust(connection, lie);
  connections_->GiveBackLater(connection, bytes);
}

void WorkerSource::Ended(const absl::Status& failure) {
  MutexLock lock(mutex_);
  if (failure_.ok()) failure_ = failure;
  is_due_ = true;
  due_.notify_all();
  changed_.notify_all();
}

bool WorkerSource::IsLeftWaiting(Clock::time_point since) {
  const bool has_company = !connections_->empty();
  const Clock::time_point now = Clock::now();
  MutexLock lock(mutex_);
  if (has_company) last_company_ = now;
  if (now - last_company_ > options_.patience) return true;
  return now - std::max(last_arrival_, since) > options_.standstill;
}

absl::StatusOr<std::optional<Arrivals::Arrival>> WorkerSource::WaitForNext() {
  const Clock::time_point since = Clock::now();
  for (bool has_asked = false;; has_asked = true) {
    int64_t wanted = 0;
    {
      MutexLock lock(mutex_);
      std::optional<Arrivals::Arrival> next = arrivals_.Take();
      if (!next && has_asked && failure_.ok() && !arrivals_.ended()) {
        changed_.wait_for(mutex_, kReportInterval);
        next = arrivals_.Take();
      }
      if (next) return next;
      if (!failure_.ok()) return failure_;
      if (arrivals_.ended()) return std::optional<Arrivals::Arrival>();
      wanted = arrivals_.done_before();
    }
    if (IsLeftWaiting(since)) {
      RETURN_IF_ERROR(MakeWanted(since));
    } else if (!has_asked) {
      connections_->Ask(wanted);
    }
  }
}

absl::Status WorkerSource::MakeWanted(Clock::time_point since) {
  int64_t number = 0;
  const Clock::time_point began = Clock::now();
  Clock::duration waited{};
  {
    MutexLock lock(mutex_);
    number = arrivals_.done_before();
    waited = began - std::max(last_arrival_, since);
    if (!std::exchange(was_left_, true)) {
      log::Warn("no worker sends anything; this process makes batches until one does",
                {{"job", options_.job_name}});
    }
  }
  RETURN_IF_ERROR(MakeHere(number, number + 1));
  // A worker that makes it as fast would have sent it.
  const bool is_missed = waited > (Clock::now() - began) * kMissedFactor;
  MutexLock lock(mutex_);
  if (is_missed && missed_.size() < kMostMissed) missed_.push_back(number);
  is_due_ = true;
  due_.notify_all();
  return absl::OkStatus();
}

absl::Status WorkerSource::MakeHere(int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(std::vector<loader::TrainingBatch> made,
                   maker_->Make(from, to, stop_.get_token()));
  MutexLock lock(mutex_);
  counters_.num_made_here += std::ssize(made);
  for (loader::TrainingBatch& batch : made) {
    arrivals_.Add({.lane = lane_,
                   .number = from++,
                   .rows = std::move(batch.rows),
                   .num_skipped = batch.num_skipped,
                   .num_filtered = batch.num_filtered,
                   .reason = std::move(batch.reason)},
                  std::nullopt);
  }
  changed_.notify_all();
  return absl::OkStatus();
}

bool WorkerSource::IsShort() const {
  return wait_share_ > kShortShare ||
         (waits_since_ && Clock::now() - *waits_since_ > kReportInterval);
}

std::optional<std::pair<int64_t, int64_t>> WorkerSource::TakeOwnSplit() {
  MutexLock lock(mutex_);
  while (!stopping_ && failure_.ok() && !arrivals_.ended()) {
    if (IsShort()) {
      const auto split = own_.Take(reported_, arrivals_.done_before());
      if (split) return split;
    }
    own_due_.wait_for(mutex_, kReportInterval);
  }
  return std::nullopt;
}

void WorkerSource::KeepMaking() {
  LowerThreadPriority();
  const int64_t together = maker_->BatchesTogether(kPieceBytes);
  while (const auto split = TakeOwnSplit()) {
    absl::Status made;
    for (int64_t from = split->first; from < split->second && made.ok(); from += together) {
      made = MakeHere(from, std::min(from + together, split->second));
    }
    if (!made.ok()) return Ended(made);
  }
}

bool WorkerSource::IsProgressDue(int64_t wanted) const {
  if (arrivals_.ended()) return true;
  const bool is_soon = Clock::now() - reported_at_ < kLeastInterval;
  return wanted - reported_ >= window_ / (is_soon ? 2 : 4);
}

void WorkerSource::NoteTaken(const std::optional<Arrivals::Origin>& origin) {
  int64_t wanted = 0;
  {
    MutexLock lock(mutex_);
    ++counters_.num_batches;
    own_due_.notify_all();
    wanted = arrivals_.done_before();
    if (IsProgressDue(wanted)) {
      is_due_ = true;
      due_.notify_all();
    }
  }
  if (origin) connections_->GiveBack(origin->connection, origin->bytes, wanted);
}

absl::StatusOr<std::optional<loader::TrainingBatch>> WorkerSource::Next() {
  const auto began = Clock::now();
  {
    MutexLock lock(mutex_);
    waits_since_ = began;
  }
  absl::StatusOr<std::optional<Arrivals::Arrival>> next = WaitForNext();
  const double waited = std::chrono::duration<double>(Clock::now() - began).count();
  {
    MutexLock lock(mutex_);
    counters_.wait_seconds += waited;
    waits_since_.reset();
  }
  RETURN_IF_ERROR(next.status());
  if (!*next) return std::optional<loader::TrainingBatch>();
  NoteTaken((*next)->origin);
  BatchMessage& message = (*next)->message;
  loader::TrainingBatch batch = maker_->Numbered(message.number);
  batch.rows = std::move(message.rows);
  batch.num_skipped = message.num_skipped;
  batch.num_filtered = message.num_filtered;
  batch.reason = std::move(message.reason);
  if (options_.settle && batch.rows.num_rows() > 0) RETURN_IF_ERROR(options_.settle(batch.rows));
  return std::optional<loader::TrainingBatch>(std::move(batch));
}

loader::PathWork WorkerSource::work() const {
  const loader::PathWork here = work_here();
  MutexLock lock(mutex_);
  loader::PathWork work = work_;
  // Both are of the same graph, so they add up.
  loader::Merge(here, work).IgnoreError();
  return work;
}

loader::PathWork WorkerSource::work_here() const {
  {
    MutexLock lock(mutex_);
    if (counters_.num_made_here == 0) return {};
  }
  loader::PathWork work = maker_->work();
  if (options_.threads_here > 0) clock_.Fill(work);
  return work;
}

WorkerSourceCounters WorkerSource::counters() const {
  std::map<std::string, LinkCounters> links = connections_->counters();
  MutexLock lock(mutex_);
  WorkerSourceCounters counters = counters_;
  counters.links = std::move(links);
  return counters;
}

}  // namespace tidemill::preprocess
