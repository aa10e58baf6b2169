#include "evaluator/reading/kept_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/logs/log.h"
#include "evaluator/reading/graph_rows.h"
#include "loader/batches/cut_block.h"
#include "transform/cut_points.h"

namespace tidemill::evaluator {
namespace {

using loader::CutBlock;
using loader::CutRowsSetup;

absl::StatusOr<std::unique_ptr<loader::SampleCache>> CreateCache(loader::CacheSetup setup,
                                                                 const models::CacheSpec& spec) {
  if (const auto op = spec->AfterOp()) {
    setup.mode = loader::CacheMode::kAfter;
    ASSIGN_OR_RETURN(const transform::CutPoint point, transform::CutPointAfter(*setup.graph, *op));
    setup.after_op = point.last_op;
  }
  return loader::SampleCache::Create(std::move(setup));
}

absl::Status NoReader(std::span<const int64_t>, const loader::SampleSink&) {
  return Internal("a block is read by its owner");
}

}  // namespace

// The samples of one block that are prepared, in the graphs of one call. A graph that has a cut is
// run in two parts; graphs whose cuts have equal digests share the first.
class KeptBlock {
 public:
  using OpenGraph = KeptRows::OpenGraph;

  KeptBlock(const batch::Batch& samples, std::span<const int64_t> prepared_rows,
            const std::vector<OpenGraph*>& graphs) {
    for (const int64_t row : prepared_rows) {
      set_.keys.push_back(samples.keys()[static_cast<size_t>(row)]);
      places_.emplace(set_.keys.back(), std::ssize(places_));
    }
    ordinals_.resize(set_.keys.size());
    std::iota(ordinals_.begin(), ordinals_.end(), 0);
    is_to_read_.resize(set_.keys.size());
    is_read_.resize(set_.keys.size());
    for (OpenGraph* const graph : graphs) Add(*graph);
  }

  // Looks for what is kept of each graph.
  absl::Status Find() {
    std::optional<std::vector<prepared::SampleName>> names;
    for (Part& part : parts_) {
      if (part.cut == nullptr) {
        std::ranges::fill(is_to_read_, 1);
        continue;
      }
      if (part.block == nullptr) continue;
      if (!names) {
        const int64_t asked = transform::ThreadTime::WallNow();
        ASSIGN_OR_RETURN(names, part.graph->cache->NamesOf(set_.keys));
        part.graph->counters->AddFound(0, transform::ThreadTime::WallNow() - asked);
      }
      part.block->Find(*names);
      NoteMissing(part);
    }
    return absl::OkStatus();
  }

  // To be called when what was read is made: waits for what others prepare at this time. Returns
  // whether there were such samples; those that they did not keep must be read now.
  absl::StatusOr<bool> FindOthers() {
    is_first_ = false;
    std::ranges::fill(is_to_read_, 0);
    bool has_more = false;
    // All, before one is waited for: another process may wait for them in another order.
    for (Part& part : parts_) {
      if (part.block != nullptr) part.block->Release();
    }
    for (Part& part : parts_) {
      if (part.block == nullptr) continue;
      ASSIGN_OR_RETURN(const bool waited, part.block->FindOthers({}));
      if (!waited) continue;
      has_more = true;
      NoteMissing(part);
    }
    return has_more;
  }

  // Whether the sample with this key has to be read: some graph lacks it, or it is not prepared.
  bool IsToRead(int64_t key) const {
    const auto place = places_.find(key);
    if (place == places_.end()) return is_first_;
    return is_to_read_[static_cast<size_t>(place->second)] != 0;
  }
  int64_t NumFound() const { return std::ranges::count(is_read_, 0); }

  // Makes what is missing of samples that were read, in the order of the block, within `read_ns`.
  void Make(const batch::Batch& read, int64_t read_ns) {
    for (Part& part : parts_) {
      const bool is_done = part.cut == nullptr ? !is_first_ : part.block == nullptr;
      if (is_done || !part.status.ok()) continue;
      std::vector<int64_t> rows;
      std::vector<int64_t> ordinals;
      std::vector<char> is_wanted(set_.keys.size(), part.cut == nullptr ? 1 : 0);
      if (part.cut != nullptr) {
        for (const int64_t at : part.block->Missing()) is_wanted[static_cast<size_t>(at)] = 1;
      }
      for (int64_t row = 0; row < read.num_rows(); ++row) {
        const auto place = places_.find(read.keys()[static_cast<size_t>(row)]);
        if (place == places_.end() || is_wanted[static_cast<size_t>(place->second)] == 0) continue;
        rows.push_back(row);
        ordinals.push_back(place->second);
      }
      if (rows.empty()) continue;
      part.graph->counters->AddRead(read_ns);
      const bool all = std::ssize(rows) == read.num_rows();
      part.status = MakePart(part, all ? read : read.Take(rows), ordinals);
    }
  }

  absl::StatusOr<GraphRows> RowsOf(const OpenGraph& graph) {
    Part& part = *std::ranges::find(parts_, &graph, &Part::graph);
    if (part.cut == nullptr) {
      RETURN_IF_ERROR(part.status);
      return std::move(part.whole);
    }
    Part& first = FirstLike(part);
    RETURN_IF_ERROR(first.status);
    if (&first != &part) part.graph->counters->AddFound(std::ssize(ordinals_), 0);
    loader::Rows made;
    RETURN_IF_ERROR(first.block->Finish(*part.setup, *part.graph->counters, made));
    return ToGraphRows(std::move(made));
  }

 private:
  struct Part {
    OpenGraph* graph = nullptr;
    std::shared_ptr<const loader::OpenCut> cut = nullptr;  // nullptr: the whole graph is run.
    std::unique_ptr<const CutRowsSetup> setup = nullptr;
    // Absent where an earlier part has the same digest.
    std::unique_ptr<CutBlock> block = nullptr;
    GraphRows whole = {};
    absl::Status status = {};
  };

  void Add(OpenGraph& graph) {
    Part part{.graph = &graph};
    if (graph.cache != nullptr) part.cut = graph.cache->cut();
    if (part.cut != nullptr) {
      part.setup = std::make_unique<const CutRowsSetup>(
          CutRowsSetup{.set = set_, .reader = reader_, .cache = *graph.cache, .cut = *part.cut});
      if (std::ranges::none_of(parts_, [&](const Part& other) { return AreAlike(other, part); })) {
        part.block = std::make_unique<CutBlock>(*part.setup, ordinals_, *graph.counters);
      }
    }
    parts_.push_back(std::move(part));
  }

  static bool AreAlike(const Part& one, const Part& other) {
    return one.cut != nullptr && one.cut->digest == other.cut->digest;
  }
  Part& FirstLike(const Part& part) {
    return *std::ranges::find_if(parts_, [&](const Part& one) { return AreAlike(one, part); });
  }

  void NoteMissing(const Part& part) {
    for (const int64_t at : part.block->Missing()) {
      is_to_read_[static_cast<size_t>(at)] = 1;
      is_read_[static_cast<size_t>(at)] = 1;
    }
  }

  absl::Status MakePart(Part& part, batch::Batch samples, std::span<const int64_t> ordinals) {
    transform::OpCounters& counters = part.graph->counters->ops();
    if (part.cut == nullptr) {
      ASSIGN_OR_RETURN(part.whole, RunGraph(*part.graph->graph, samples, &counters));
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals)));
    RETURN_IF_ERROR(part.block->Prepare(samples));
    part.block->Keep();
    return absl::OkStatus();
  }

  GraphRows ToGraphRows(loader::Rows made) const {
    GraphRows rows{.bad = std::move(made.bad), .num_filtered = std::ssize(made.filtered)};
    std::ranges::sort(rows.bad, {},
                      [&](const loader::Unreadable& bad) { return places_.at(bad.key); });
    if (made.pieces.empty()) return rows;
    rows.rows = std::move(made.pieces.front());  // A block is finished as one piece.
    rows.rows.Drop(batch::kEventTimeColumn);
    rows.rows.Drop(batch::kOrdinalColumn);
    return rows;
  }

  const loader::SampleReader reader_ = NoReader;
  loader::TrainingSet set_;
  std::vector<int64_t> ordinals_;
  absl::flat_hash_map<int64_t, int64_t> places_;  // By key.
  bool is_first_ = true;                          // Until FindOthers() is called.
  std::vector<char> is_to_read_;
  std::vector<char> is_read_;  // Or must be read.
  std::vector<Part> parts_;
};

KeptRows::KeptRows(const storage::StorageClient& storage, Options options)
    : storage_(storage), options_(std::move(options)) {}

void KeptRows::Open(std::span<const SharedGraph> graphs, const WindowReads& reads) {
  for (const SharedGraph& graph : graphs) {
    auto& open = graphs_[graph->fingerprint];
    if (open.graph != nullptr) continue;
    open.graph = graph;
    open.fingerprint = graph->graph.Fingerprint();
    open.counters = std::make_unique<loader::PathCounters>(graph->graph.op_types());
  }
  for (const SharedGraph& graph : graphs) {
    OpenGraph& open = graphs_.at(graph->fingerprint);
    if (open.cache != nullptr) continue;
    const auto is_undecided = [&](const auto& named) {
      const OpenGraph& other = named.second;
      return other.fingerprint == open.fingerprint && other.cache != nullptr &&
             !other.cache->report().is_decided;
    };
    if (std::ranges::any_of(graphs_, is_undecided)) continue;
    const auto num_alike = std::ranges::count_if(graphs, [&](const SharedGraph& other) {
      return graphs_.at(other->fingerprint).fingerprint == open.fingerprint;
    });
    OpenCache(open, reads.num_samples,
              static_cast<double>(num_alike) * static_cast<double>(reads.num_passes) - 1);
  }
}

void KeptRows::OpenCache(OpenGraph& graph, int64_t num_samples, double uses_by_others) {
  const std::shared_ptr<const PreparedGraph>& shared = graph.graph;
  auto cache = CreateCache(
      {.store = options_.store,
       .graph = {shared, &shared->graph},
       .fitted = {shared, shared->fitted ? &*shared->fitted : nullptr},
       .identify =
           [storage = &storage_, dataset = options_.dataset](std::span<const int64_t> keys) {
             return storage->FindIdentities(dataset, keys);
           },
       .standardize_target = false,
       .num_samples = num_samples * std::max<int64_t>(1, options_.num_windows),
       .uses = options_.uses + uses_by_others,
       .uses_learned = options_.uses,
       .finds_kept = true,
       .about = options_.about},
      options_.cache);
  if (!cache.ok()) {
    // A model of an earlier pipeline may lack the op that the pipeline names.
    log::Warn("no prepared samples are kept of the graph of a model",
              {{"because", std::string(cache.status().message())}});
    cache = loader::SampleCache::Create(
        {.mode = loader::CacheMode::kOff, .graph = {shared, &shared->graph}});
  }
  graph.cache = *std::move(cache);
}

std::shared_ptr<loader::SampleCache> KeptRows::CacheOf(const PreparedGraph& graph) const {
  const auto open = graphs_.find(graph.fingerprint);
  return open == graphs_.end() ? nullptr : open->second.cache;
}

absl::Status KeptRows::ReadInto(KeptBlock& block, SampleBlock& result) const {
  std::vector<int64_t> to_read;
  for (const int64_t key : result.samples.keys()) {
    if (block.IsToRead(key)) to_read.push_back(key);
  }
  if (to_read.empty()) return absl::OkStatus();
  const int64_t begin = transform::ThreadTime::WallNow();
  return ReadBlock(storage_, options_.dataset, to_read, [&](const SampleBlock& read) {
    const int64_t read_ns = transform::ThreadTime::WallNow() - begin;
    result.missing.insert(result.missing.end(), read.missing.begin(), read.missing.end());
    if (read.samples.num_rows() > 0) block.Make(read.samples, read_ns);
    return absl::OkStatus();
  });
}

absl::StatusOr<SampleBlock> KeptRows::Make(const batch::Batch& samples,
                                           std::span<const SharedGraph> graphs) {
  std::vector<OpenGraph*> open;
  for (const SharedGraph& graph : graphs) open.push_back(&graphs_.at(graph->fingerprint));
  KeptBlock block(samples, PreparedRowsOf(samples, options_.has_labels), open);
  RETURN_IF_ERROR(block.Find());
  SampleBlock result{.samples = samples, .num_known = samples.num_rows()};
  bool has_more = true;
  while (has_more) {
    RETURN_IF_ERROR(ReadInto(block, result));
    ASSIGN_OR_RETURN(has_more, block.FindOthers());
  }
  num_found_ += block.NumFound();
  DropMissing(result);
  for (OpenGraph* const graph : open) {
    result.prepared.emplace(graph->graph->fingerprint, block.RowsOf(*graph));
  }
  for (OpenGraph* const graph : open) {
    if (graph->cache != nullptr) graph->cache->Observe(*graph->counters);
  }
  return result;
}

}  // namespace tidemill::evaluator
