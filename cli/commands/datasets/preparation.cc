#include "cli/commands/datasets/preparation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/mutex.h"
#include "base/threads/worker_pool.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/terminal/pace.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"
#include "config/config.h"
#include "loader/batches/cut_rows.h"
#include "loader/path/path_work.h"
#include "loader/prepared/point_advice.h"
#include "loader/prepared/sample_cache.h"
#include "loader/training_set.h"
#include "prepared/prepared_config.h"
#include "samples/dataset_schema.h"
#include "storage/client/storage_client.h"
#include "storage/prepared_objects/open_host_store.h"
#include "supervisor/checks/pipeline_check.h"
#include "transform/cut_graph.h"
#include "transform/cut_points.h"

namespace tidemill::cli {
namespace {

using loader::PointAdvice;
using storage::StorageClient;
using transform::CutPoint;

// Samples on which the ops are measured, and those that a thread prepares at a time.
constexpr size_t kMeasured = 128;
constexpr size_t kAtOnce = 64;

int NumThreads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

// The dataset, the graph, and the points up to which it can be prepared.
struct Subject {
  storage::v1::Dataset dataset;
  std::shared_ptr<const transform::Graph> graph;
  std::vector<CutPoint> points;
  loader::TrainingSet all;  // Every sample.
  std::shared_ptr<const StorageClient> storage;
  loader::SampleReader reader;
  std::shared_ptr<const prepared::HostStore> store;
  int64_t free_bytes = 0;

  std::string NameOf(int op) const {
    return fmt::format("{} {}", op + 1, graph->op_types()[static_cast<size_t>(op)]);
  }
};

absl::Status ListKeys(const Subject& subject, std::vector<int64_t>& keys) {
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = subject.dataset.snapshot();
  return subject.storage->ListSamples(request, [&](const batch::Batch& batch) {
    keys.insert(keys.end(), batch.keys().begin(), batch.keys().end());
    return absl::OkStatus();
  });
}

// Where the services of a local stack keep prepared samples, and the store that hosts share.
absl::StatusOr<std::shared_ptr<const prepared::HostStore>> StoreOf(const Session& session) {
  if (session.remote()) {
    return FailedPrecondition(
        "the stack runs on another machine; run this command there, where its prepared samples "
        "are");
  }
  const std::string path = session.layout().ConfigFile();
  ASSIGN_OR_RETURN(const std::string text, files::Read(path, kMaxConfigBytes));
  ASSIGN_OR_RETURN(const auto config,
                   config::ReadSection<prepared::PreparedConfig>(text, path, "prepared"));
  prepared::HostStoreOptions options = prepared::OptionsOf(config, session.layout().state_folder);
  options.memory_bytes = 0;  // What is in memory ends with the stack.
  ASSIGN_OR_RETURN(const auto connection, storage::ConnectionOf(text, path));
  ASSIGN_OR_RETURN(auto store, storage::OpenHostStore(options, connection, /*takes_all=*/true));
  return std::shared_ptr<const prepared::HostStore>(std::move(store));
}

absl::StatusOr<Subject> Open(const Session& session, const std::string& name,
                             const transform::GraphSpec& graph) {
  Subject subject;
  ASSIGN_OR_RETURN(subject.store, StoreOf(session));
  ASSIGN_OR_RETURN(subject.dataset, session.Ask(&StorageClient::GetDataset, name));
  ASSIGN_OR_RETURN(const auto spec,
                   config::ReadKept<storage::DatasetSpec>(subject.dataset.spec(), "dataset"));
  ASSIGN_OR_RETURN(transform::Graph built, transform::Graph::Build(graph, samples::SchemaOf(spec)));
  subject.graph = std::make_shared<const transform::Graph>(std::move(built));
  subject.points = transform::CutPointsOf(*subject.graph);
  // What an op learns differs from run to run.
  std::erase_if(subject.points, [](const CutPoint& point) { return point.learns; });
  if (subject.points.empty()) {
    return FailedPrecondition(
        "the dataset cannot be prepared with this graph: a random op or one that learns comes "
        "before the last one that reads records, or each point has texts");
  }
  subject.storage = std::make_shared<const StorageClient>(session.PeerOf("storage"));
  subject.reader = loader::ReaderOf(*subject.storage, DatasetId{subject.dataset.dataset_id()});
  RETURN_IF_ERROR(ListKeys(subject, subject.all.keys));
  if (subject.all.keys.empty()) {
    return FailedPrecondition("the dataset {} has no samples; run `tidemill datasets sync {}`",
                              name, name);
  }
  const prepared::HostStore& store = *subject.store;
  if (store.disk()) subject.free_bytes = store.disk()->BytesFor({});
  if (store.shared() != nullptr) {
    subject.free_bytes = std::max(subject.free_bytes, store.shared()->BytesFor({}));
  }
  return subject;
}

std::vector<int64_t> EvenlySpread(int64_t size) {
  std::vector<int64_t> ordinals;
  const int64_t count = std::min<int64_t>(size, kMeasured);
  for (int64_t i = 0; i < count; ++i) ordinals.push_back(i * size / count);
  return ordinals;
}

// Runs the ops up to the last point, or the whole graph when nothing learns, on some samples.
absl::StatusOr<loader::SampleCosts> MeasureCosts(const Subject& subject) {
  transform::OpCounters counters(subject.graph->op_types());
  const transform::CutGraph cut(subject.graph, subject.points.back());
  int64_t graph_ns = 0;
  const auto run = [&](batch::Batch& piece, loader::Rows&) -> absl::Status {
    const int64_t begin = transform::ThreadTime::WallNow();
    if (subject.graph->needs_fit()) {
      RETURN_IF_ERROR(cut.Prepare(piece, nullptr, {}, &counters).status());
    } else {
      RETURN_IF_ERROR(subject.graph->Run(piece, nullptr, {}, &counters).status());
    }
    piece = batch::Batch();
    graph_ns += transform::ThreadTime::WallNow() - begin;
    return absl::OkStatus();
  };
  const std::vector<int64_t> ordinals = EvenlySpread(subject.all.size());
  const int64_t begin = transform::ThreadTime::WallNow();
  RETURN_IF_ERROR(
      loader::ReadRows(subject.all, ordinals, subject.reader, kAtOnce, run, {}).status());
  const int64_t read_ns = transform::ThreadTime::WallNow() - begin - graph_ns;
  const auto count = static_cast<double>(ordinals.size());
  loader::SampleCosts costs{.read_ns = static_cast<double>(read_ns) / count};
  for (const transform::OpStatistics& op : counters.Snapshot()) {
    costs.op_ns.push_back(static_cast<double>(op.work.wall_ns) / count);
  }
  return costs;
}

nlohmann::ordered_json ToJson(const Subject& subject, const std::vector<PointAdvice>& advice) {
  auto points = nlohmann::ordered_json::array();
  for (const PointAdvice& point : advice) {
    nlohmann::ordered_json json = {{"to", subject.NameOf(point.last_op)},
                                   {"row_bytes", point.row_bytes},
                                   {"bytes", point.bytes},
                                   {"fits", point.bytes <= subject.free_bytes},
                                   {"prepare_seconds", point.prepare_seconds},
                                   {"samples_per_second_now", point.now},
                                   {"samples_per_second_later", point.later},
                                   {"pays_after_epochs", nullptr}};
    if (point.pays_after) json["pays_after_epochs"] = *point.pays_after;
    points.push_back(std::move(json));
  }
  return points;
}

std::string TableOf(const Subject& subject, const std::vector<PointAdvice>& advice) {
  Table table({"TO", "BYTES", "FITS", "PREPARING", "SAMPLES/S", "LATER", "PAYS AFTER"});
  for (const PointAdvice& point : advice) {
    table.Add({subject.NameOf(point.last_op), Short(static_cast<double>(point.bytes)),
               point.bytes <= subject.free_bytes ? "yes" : "no", Elapsed(point.prepare_seconds),
               Short(point.now), Short(point.later),
               point.pays_after ? fmt::format("{} epochs", *point.pays_after) : "never"});
  }
  std::string text = table.ToString();
  if (subject.graph->needs_fit()) {
    text += "Ops that learn, and those after them, are not measured.\n";
  }
  return text;
}

// Says how far it has come, once a second.
class ProgressLine {
 public:
  ProgressLine(int64_t num_samples, bool quiet) : num_samples_(num_samples), quiet_(quiet) {}

  void Note(int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    pace_.Note(static_cast<double>(done) / static_cast<double>(num_samples_), now);
    if (quiet_ || now - said_ < std::chrono::seconds(1)) return;
    said_ = now;
    const auto left = pace_.SecondsLeft();
    PrintToStderr(fmt::format("{} of {} samples{}\n", WithThousands(done),
                              WithThousands(num_samples_),
                              left ? fmt::format(", about {} left", About(*left)) : ""));
  }

 private:
  const int64_t num_samples_;
  const bool quiet_;
  Pace pace_;
  std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

struct Prepared {
  loader::PreparedCounts counts;
  prepared::StoreCounts kept;
};

// What there is to say about the store that hosts share.
std::string SharedText(const Subject& subject, const prepared::StoreCounts& kept) {
  if (subject.store->shared() == nullptr) return "";
  std::string text = fmt::format("{} were put into the object store\n", WithThousands(kept.shared));
  if (kept.not_shared > 0) {
    text += fmt::format(
        "{} were not, as above; run the command again when the store can be reached and has room\n",
        WithThousands(kept.not_shared));
  }
  return text;
}

// Prepares all samples on all cores.
absl::StatusOr<Prepared> PrepareAll(const Subject& subject, const CutPoint& point, bool quiet) {
  loader::CacheSetup setup{
      .mode = loader::CacheMode::kAfter,
      .after_op = point.last_op,
      .store = subject.store,
      .graph = subject.graph,
      .identify =
          [&](std::span<const int64_t> keys) {
            return subject.storage->FindIdentities(DatasetId{subject.dataset.dataset_id()}, keys);
          },
      .num_samples = subject.all.size(),
      .uses = prepared::kAskedFor,
      .about = fmt::format("dataset {}, prepared up to op {}", subject.dataset.name(),
                           subject.NameOf(point.last_op))};
  ASSIGN_OR_RETURN(const auto cache, loader::SampleCache::Create(std::move(setup)));
  const auto cut = cache->cut();
  if (cut == nullptr) {
    return FailedPrecondition(
        "the dataset cannot be kept: {}; see `prepared` in the system configuration",
        cache->report().choice.reason);
  }
  const loader::CutRowsSetup rows{
      .set = subject.all, .reader = subject.reader, .cache = *cache, .cut = *cut};
  std::vector<int64_t> ordinals(subject.all.keys.size());
  for (size_t i = 0; i < ordinals.size(); ++i) ordinals[i] = static_cast<int64_t>(i);
  loader::PathCounters counters(subject.graph->op_types());
  ProgressLine progress(subject.all.size(), quiet);
  Mutex mutex;
  Prepared prepared;
  absl::Status status;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t from = next.fetch_add(kAtOnce); from < ordinals.size();
         from = next.fetch_add(kAtOnce)) {
      const auto some =
          std::span(ordinals).subspan(from, std::min(kAtOnce, ordinals.size() - from));
      loader::PreparedCounts counts;
      const absl::Status made = loader::PrepareRows(rows, some, counters, counts, {});
      MutexLock lock(mutex);
      status.Update(made);
      if (!status.ok()) return;
      prepared.counts += counts;
      progress.Note(prepared.counts.total());
    }
  };
  {
    WorkerPool threads("prepare", NumThreads());
    for (int i = 0; i < NumThreads(); ++i) threads.Submit(work);
  }
  RETURN_IF_ERROR(status);
  cut->rows->Flush();
  prepared.kept = cache->report().counts;
  if (prepared.kept.refused > 0) {
    return absl::ResourceExhaustedError(fmt::format(
        "there was no room for {} samples; give prepared.disk of the system configuration more, "
        "and run the command again: it continues",
        prepared.kept.refused));
  }
  return prepared;
}

int Prepare(const GlobalFlags& flags, const Subject& subject, const PreparationFlags& wanted,
            const std::vector<PointAdvice>& advice) {
  const auto point = transform::CutPointAfter(*subject.graph, wanted.to);
  if (!point.ok()) {
    return Report(Annotate(point.status(), "the dataset cannot be prepared up to there"));
  }
  if (point->learns) {
    return Report(InvalidArgument(
        "the dataset cannot be prepared up to op {}: an op up to there learns, so that rows differ "
        "from run to run",
        subject.NameOf(point->last_op)));
  }
  const auto prepared = PrepareAll(subject, *point, flags.quiet);
  if (!prepared.ok()) return Report(prepared.status());
  const loader::PreparedCounts* const counts = &prepared->counts;
  if (flags.json) {
    nlohmann::ordered_json json = {
        {"dataset", subject.dataset.name()}, {"to", subject.NameOf(point->last_op)},
        {"samples", subject.all.size()},     {"prepared_before", counts->found},
        {"prepared", counts->good},          {"bad", counts->bad},
        {"filtered", counts->filtered},      {"unreadable", counts->unreadable},
        {"points", ToJson(subject, advice)}};
    if (subject.store->shared() != nullptr) {
      json["shared"] = prepared->kept.shared;
      json["not_shared"] = prepared->kept.not_shared;
    }
    fmt::print("{}\n", json.dump());
    return kDone;
  }
  fmt::print(
      "{} samples of {} up to op {}: {} prepared now, {} before, {} bad, {} filtered, {} "
      "unreadable\n{}Trainings with graphs that begin alike use them; run the command again when "
      "samples have come.\n",
      WithThousands(subject.all.size()), Printable(subject.dataset.name()),
      subject.NameOf(point->last_op), WithThousands(counts->good), WithThousands(counts->found),
      WithThousands(counts->bad), WithThousands(counts->filtered),
      WithThousands(counts->unreadable), SharedText(subject, prepared->kept));
  return kDone;
}

int Advise(const GlobalFlags& flags, const Subject& subject, const PreparationFlags& wanted) {
  const auto costs = MeasureCosts(subject);
  if (!costs.ok()) return Report(costs.status());
  loader::CacheQuestion question{.costs = *costs,
                                 .order = subject.graph->order(),
                                 .points = subject.points,
                                 .num_samples = subject.all.size()};
  if (subject.store->disk()) {
    question.disk.speed = prepared::SpeedOf(subject.store->disk()->folder());
  } else if (subject.store->shared() != nullptr) {
    question.disk.speed = subject.store->shared()->speed();
  }
  const std::vector<PointAdvice> advice = loader::AdviseOn(question, NumThreads());
  if (!wanted.to.empty()) {
    if (!flags.json) fmt::print("{}\n", TableOf(subject, advice));
    return Prepare(flags, subject, wanted, advice);
  }
  if (flags.json) {
    const nlohmann::ordered_json json = {{"dataset", subject.dataset.name()},
                                         {"samples", subject.all.size()},
                                         {"points", ToJson(subject, advice)}};
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}\nNothing was prepared; name an op of the table with --to.\n",
               TableOf(subject, advice));
  }
  return kDone;
}

}  // namespace

int PrepareDataset(const GlobalFlags& flags, const std::string& name,
                   const PreparationFlags& preparation) {
  UsePluginSettings(flags);
  const auto file = ReadPipelineFile(preparation.graph);
  if (!file.ok()) return Report(file.status());
  const supervisor::CheckedPipeline checked = CheckPipelineFile(*file);
  if (!checked.problems.empty()) return ReportProblems(checked.problems, flags.json);
  return WithSession(flags, [&](const Session& session) -> int {
    const auto subject = Open(session, name, checked.value.preprocess.graph);
    if (!subject.ok()) return Report(subject.status());
    return Advise(flags, *subject, preparation);
  });
}

}  // namespace tidemill::cli
