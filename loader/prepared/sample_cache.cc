#include "loader/prepared/sample_cache.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/files.h"
#include "base/logs/log.h"
#include "base/paths/regular_file.h"

namespace tidemill::loader {
namespace {

using transform::ThreadTime;

// What must be known before anything is decided.
constexpr int64_t kProfileRows = 64;
constexpr int64_t kProfileNs = 100'000'000;
// The next looks are after this time, twice of it, and so on to the longest.
constexpr int64_t kFirstLookNs = 500'000'000;
constexpr int64_t kLookAgainNs = 10'000'000'000;
constexpr char kPluginType[] = "plugin";
// Makers whose work is remembered.
constexpr size_t kMostMakers = 256;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// Another point takes over only if it saves this much more.
constexpr double kTakesOver = 1.25;
// The name of a sample, before it is measured: a call to storage, divided by the samples of a
// block.
constexpr double kNameNs = 1'000;
constexpr char kNoRoom[] =
    "there is no room for prepared samples: `prepared.memory` and `prepared.disk` of the system "
    "configuration are 0, or their folders cannot be used";

SampleCosts CostsOf(const PathWork& work, const transform::Graph& graph, int num_ops_before) {
  SampleCosts costs{.op_ns = std::vector<double>(work.ops.size())};
  if (graph.order().empty()) return costs;
  const auto prepared = static_cast<double>(
      std::max<int64_t>(1, work.ops[static_cast<size_t>(graph.order().front())].work.rows));
  const double all = prepared + static_cast<double>(work.found);
  costs.read_ns = static_cast<double>(work.read_ns) / prepared;
  for (int place = 0; place < std::ssize(graph.order()); ++place) {
    const auto op = static_cast<size_t>(graph.order()[static_cast<size_t>(place)]);
    const double samples = place < num_ops_before ? prepared : all;
    costs.op_ns[op] = static_cast<double>(work.ops[op].work.wall_ns) / samples;
  }
  return costs;
}

// The speed of samples that were found over the speed of those that were made.
double SpeedupIn(const PathWork& work, const transform::Graph& graph, int num_ops_before) {
  if (work.found < kProfileRows || work.ops.empty()) return 0;
  const SampleCosts costs = CostsOf(work, graph, num_ops_before);
  double made = costs.read_ns;
  double found = static_cast<double>(work.find_ns) / static_cast<double>(work.found);
  for (int place = 0; place < std::ssize(graph.order()); ++place) {
    const auto op = static_cast<size_t>(graph.order()[static_cast<size_t>(place)]);
    made += costs.op_ns[op];
    if (place >= num_ops_before) found += costs.op_ns[op];
  }
  return found > 0 ? made / found : 0;
}

prepared::RowColumns ColumnsOf(const transform::CutPoint& point) {
  prepared::RowColumns columns;
  for (size_t i = 0; i < point.columns.size(); ++i) {
    const transform::ColumnSchema& schema = point.columns[i].schema;
    columns.push_back(
        {.name = transform::NameOfKept(i), .type = schema.type, .shape = schema.shape});
  }
  return columns;
}

bool RunsPlugins(const transform::Graph& graph, const transform::CutPoint& point) {
  const std::vector<std::string> types = graph.op_types();
  const auto before = std::span(graph.order()).first(static_cast<size_t>(point.num_ops));
  return std::ranges::any_of(before,
                             [&](int op) { return types[static_cast<size_t>(op)] == kPluginType; });
}

}  // namespace

SampleCache::SampleCache(CacheSetup setup)
    : setup_(std::move(setup)),
      points_(transform::CutPointsOf(*setup_.graph)),
      look_again_ns_(kFirstLookNs) {}

absl::StatusOr<std::unique_ptr<SampleCache>> SampleCache::Create(CacheSetup setup) {
  std::unique_ptr<SampleCache> cache(new SampleCache(std::move(setup)));
  MutexLock lock(cache->mutex_);
  const CacheSetup& of = cache->setup_;
  if (of.mode == CacheMode::kOff || of.store == nullptr) {
    cache->next_look_ns_ = kNever;
    return cache;
  }
  if (!of.store->has_room()) {
    cache->KeepNothing(kNoRoom);
    return cache;
  }
  if (of.mode == CacheMode::kAfter) {
    const auto point =
        std::ranges::find(cache->points_, of.after_op, &transform::CutPoint::last_op);
    if (point == cache->points_.end()) {
      return InvalidArgument("nothing can be kept after op {} of the graph", of.after_op + 1);
    }
    cache->next_look_ns_ = kNever;
    RETURN_IF_ERROR(cache->UseIfPossible(*point, of.uses));
    return cache;
  }
  if (const auto point = cache->PointAskedFor()) {
    cache->next_look_ns_ = kNever;
    cache->choice_.reason = "the dataset was prepared up to there by `tidemill datasets prepare`";
    RETURN_IF_ERROR(cache->UseIfPossible(*point, prepared::kAskedFor));
    return cache;
  }
  if (const auto costs = cache->ReadProfile()) cache->Decide(*costs);
  return cache;
}

void SampleCache::KeepNothing(std::string because) {
  next_look_ns_ = kNever;
  is_decided_ = true;
  choice_.chosen = -1;
  choice_.reason = std::move(because);
  log::Info("no prepared samples are kept", {{"because", choice_.reason}});
}

absl::Status SampleCache::UseIfPossible(const transform::CutPoint& point, double worth) {
  RETURN_IF_ERROR(DigestOf(transform::CutGraph(setup_.graph, point)).status());
  const absl::Status used = Use(point, worth);
  if (!used.ok()) KeepNothing(std::string(used.message()));
  return absl::OkStatus();
}

std::optional<transform::CutPoint> SampleCache::PointAskedFor() const {
  for (auto point = points_.rbegin(); point != points_.rend(); ++point) {
    const auto digest = DigestOf(transform::CutGraph(setup_.graph, *point));
    if (digest.ok() && setup_.store->IsAskedFor(*digest)) return *point;
  }
  return std::nullopt;
}

// Rows with placeholders are of no use to others.
absl::StatusOr<std::string> SampleCache::DigestOf(const transform::CutGraph& cut) const {
  ASSIGN_OR_RETURN(std::string digest, cut.Digest(setup_.fitted.get(), setup_.standardize_target));
  return setup_.ignores_labels ? digest + "-unlabelled" : digest;
}

std::shared_ptr<const OpenCut> SampleCache::cut() const {
  MutexLock lock(mutex_);
  return cut_;
}

absl::StatusOr<std::vector<prepared::SampleName>> SampleCache::NamesOf(
    std::span<const int64_t> keys) const {
  ASSIGN_OR_RETURN(const std::vector<uint64_t> records, setup_.identify(keys));
  std::vector<prepared::SampleName> names;
  names.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) names.push_back({keys[i], records[i]});
  return names;
}

absl::Status SampleCache::Use(const transform::CutPoint& point, double worth, bool keeps) {
  auto open = std::make_shared<OpenCut>(setup_.graph, point);
  open->columns = ColumnsOf(point);
  open->keeps_bad = !RunsPlugins(*setup_.graph, point);
  open->keeps = keeps;
  if (keeps) open->claims = setup_.store->OpenClaims();
  ASSIGN_OR_RETURN(open->digest, DigestOf(open->cut));
  ASSIGN_OR_RETURN(
      open->rows,
      setup_.store->OpenPoint(open->digest, {.worth = worth, .text = setup_.about}, open->columns));
  if (cut_ != nullptr) earlier_.push_back(cut_);
  cut_ = std::move(open);
  is_decided_ = true;
  return absl::OkStatus();
}

CacheQuestion SampleCache::QuestionOf(const SampleCosts& costs) const {
  CacheQuestion question{.costs = costs,
                         .order = setup_.graph->order(),
                         .points = points_,
                         .num_samples = setup_.num_samples,
                         .uses = setup_.uses,
                         .uses_learned = setup_.uses_learned,
                         .name_ns = kNameNs};
  std::vector<std::string> digests;
  for (const transform::CutPoint& point : points_) {
    const auto digest = DigestOf(transform::CutGraph(setup_.graph, point));
    if (digest.ok()) digests.push_back(*digest);
  }
  const auto store_of = [&](const std::optional<prepared::FolderBudget>& budget) -> RoomForRows {
    if (!budget || !budget->MakeFolder().ok()) return {};
    return {prepared::SpeedOf(budget->folder()), budget->BytesFor(digests)};
  };
  question.memory = store_of(setup_.store->memory());
  question.disk = store_of(setup_.store->disk());
  if (prepared::SharedStore* const shared = setup_.store->shared()) {
    question.shared = {shared->speed(), shared->BytesFor(digests)};
  }
  return question;
}

void SampleCache::PreferKept(CacheChoice& choice) {
  if (!setup_.finds_kept || cut_ != nullptr) return;
  const PointGain* kept = nullptr;
  for (size_t i = 0; i < choice.points.size(); ++i) {
    const PointGain& gain = choice.points[i];
    const auto digest = DigestOf(transform::CutGraph(setup_.graph, points_[i]));
    if (!digest.ok() || !setup_.store->HasPoint(*digest)) continue;
    const bool is_faster = gain.speedup >= kLeastSpeedup;
    if (is_faster && (kept == nullptr || gain.speedup > kept->speedup)) kept = &gain;
  }
  if (kept == nullptr) return;
  const auto at = kept - choice.points.data();
  if (choice.chosen >= 0) {
    const PointGain& best = choice.points[static_cast<size_t>(choice.chosen)];
    if (best.saved_ns <= kTakesOver * kept->saved_ns) choice.chosen = static_cast<int>(at);
    return;
  }
  // Worth nothing: what others have written about these rows stays.
  if (!Use(points_[static_cast<size_t>(at)], 0, /*keeps=*/false).ok()) return;
  choice.chosen = static_cast<int>(at);
  choice.reason = "rows that were kept before are used; " + choice.reason;
  next_look_ns_ = kNever;
}

void SampleCache::Decide(const SampleCosts& costs) {
  CacheChoice choice = ChooseCache(QuestionOf(costs));
  PreferKept(choice);
  if (cut_ != nullptr && !cut_->keeps) {
    choice_ = std::move(choice);
    return;
  }
  next_look_ns_ = ThreadTime::WallNow() + look_again_ns_;
  look_again_ns_ = std::min(2 * look_again_ns_, kLookAgainNs);
  const bool had_decided = std::exchange(is_decided_, true);
  const auto gain_at = [&](int num_ops) -> const PointGain* {
    const auto found = std::ranges::find(choice.points, num_ops, &PointGain::num_ops);
    return found == choice.points.end() ? nullptr : &*found;
  };
  const int now = cut_ == nullptr ? 0 : cut_->cut.point().num_ops;
  const PointGain* const used = gain_at(now);
  if (choice.chosen >= 0) {
    const PointGain& best = choice.points[static_cast<size_t>(choice.chosen)];
    const bool takes_over = used == nullptr || best.saved_ns > kTakesOver * used->saved_ns;
    if (best.num_ops != now && takes_over) {
      const double worth = best.saved_ns / (static_cast<double>(setup_.num_samples) *
                                            static_cast<double>(best.row_bytes));
      const absl::Status status = Use(points_[static_cast<size_t>(choice.chosen)], worth);
      if (!status.ok()) {
        choice.chosen = -1;
        choice.reason = std::string(status.message());
        next_look_ns_ = kNever;
      }
    } else if (used != nullptr) {
      choice.chosen = static_cast<int>(used - choice.points.data());
    }
  } else if (used != nullptr && used->saved_ns > 0) {
    // What is kept already still saves something.
    choice.chosen = static_cast<int>(used - choice.points.data());
  } else if (cut_ != nullptr) {
    earlier_.push_back(std::exchange(cut_, nullptr));
  }
  if (!had_decided || choice.chosen != choice_.chosen) {
    log::Info("decided what to keep of prepared samples", {{"because", choice.reason}});
  }
  choice_ = std::move(choice);
}

void SampleCache::Observe(const PathCounters& counters) {
  const int64_t now = ThreadTime::WallNow();
  if (now < next_look_ns_.load(std::memory_order_relaxed)) return;
  const PathWork all = counters.Snapshot();
  MutexLock lock(mutex_);
  if (now < next_look_ns_.load(std::memory_order_relaxed)) return;
  const PathWork work = Since(seen_[&counters], all);
  int64_t graph_ns = work.read_ns + work.find_ns;
  int64_t rows = 0;
  for (const transform::OpStatistics& op : work.ops) {
    graph_ns += op.work.wall_ns;
    rows = std::max(rows, op.work.rows);
  }
  if (rows < kProfileRows || graph_ns < kProfileNs) return;
  const int num_ops_before = cut_ == nullptr ? 0 : cut_->cut.point().num_ops;
  const int64_t prepared = work.ops[static_cast<size_t>(setup_.graph->order().front())].work.rows;
  // What was only found tells nothing about what it costs to make.
  if (prepared < kProfileRows) {
    next_look_ns_ = now + kLookAgainNs;
    return;
  }
  const SampleCosts costs = CostsOf(work, *setup_.graph, num_ops_before);
  WriteProfile(costs);
  Decide(costs);
  if (seen_.size() > kMostMakers) seen_.clear();
  seen_[&counters] = all;
}

// Beside the points, whose names are digests.
std::string SampleCache::ProfilePath() const {
  const auto& folder = setup_.store->memory() ? setup_.store->memory() : setup_.store->disk();
  if (!folder) return "";
  return files::Join(folder->folder(), fmt::format("profile-{}", setup_.graph->Fingerprint()));
}

std::optional<SampleCosts> SampleCache::ReadProfile() const {
  const std::string path = ProfilePath();
  if (path.empty()) return std::nullopt;
  const auto text = files::ReadRegular(path, size_t{1} << 20);
  if (!text.ok()) return std::nullopt;
  std::istringstream stream(*text);
  SampleCosts costs;
  if (!(stream >> costs.read_ns)) return std::nullopt;
  for (double ns = 0; stream >> ns;) costs.op_ns.push_back(ns);
  if (costs.op_ns.size() != setup_.graph->op_types().size()) return std::nullopt;
  return costs;
}

void SampleCache::WriteProfile(const SampleCosts& costs) const {
  // Without it, the next job measures again.
  const std::string path = ProfilePath();
  if (path.empty()) return;
  files::WriteAtomically(path, fmt::format("{} {}\n", costs.read_ns, fmt::join(costs.op_ns, " ")))
      .IgnoreError();
}

CacheReport SampleCache::report(const PathWork& work) const {
  MutexLock lock(mutex_);
  CacheReport report{.mode = setup_.mode, .is_decided = is_decided_, .choice = choice_};
  const auto add = [&](const OpenCut& cut) {
    const prepared::StoreCounts counts = cut.rows->counts();
    report.counts.found += counts.found;
    report.counts.missing += counts.missing;
    report.counts.kept += counts.kept;
    report.counts.kept_bytes += counts.kept_bytes;
    report.counts.damaged += counts.damaged;
    report.counts.refused += counts.refused;
    report.counts.read_ns += counts.read_ns;
    report.counts.write_ns += counts.write_ns;
    report.counts.shared += counts.shared;
    report.counts.shared_bytes += counts.shared_bytes;
    report.counts.not_shared += counts.not_shared;
  };
  for (const auto& cut : earlier_) add(*cut);
  if (cut_ == nullptr) return report;
  add(*cut_);
  report.point = cut_->cut.point();
  report.measured_speedup = SpeedupIn(work, *setup_.graph, report.point->num_ops);
  return report;
}

}  // namespace tidemill::loader
