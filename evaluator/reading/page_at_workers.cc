#include "evaluator/reading/page_at_workers.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

#include "batch/slice.h"
#include "evaluator/reading/graph_rows.h"

namespace tidemill::evaluator {
namespace {

using Keys = absl::flat_hash_set<int64_t>;

// The places among `wanted`, which are rows of the page, whose keys are not among `keys`. Both are
// in the order of the page.
std::vector<int64_t> HolesIn(std::span<const int64_t> keys, std::span<const int64_t> wanted,
                             std::span<const int64_t> page_keys) {
  std::vector<int64_t> holes;
  size_t next = 0;
  for (const int64_t row : wanted) {
    if (next < keys.size() && keys[next] == page_keys[static_cast<size_t>(row)]) {
      ++next;
    } else {
      holes.push_back(row);
    }
  }
  return holes;
}

std::span<const int64_t> KeysOf(const batch::Batch& rows) {
  return rows.num_rows() > 0 ? rows.keys() : std::span<const int64_t>();
}

// The rows of both, in the order of `samples`.
absl::StatusOr<batch::Batch> Merge(const batch::Batch& one, const batch::Batch& other,
                                   const batch::Batch& samples) {
  if (one.num_rows() == 0) return other;
  ASSIGN_OR_RETURN(const batch::Batch all,
                   batch::Concatenate(std::vector<batch::Batch>{one, other}));
  absl::flat_hash_map<int64_t, int64_t> places;
  for (const int64_t key : samples.keys()) places.emplace(key, std::ssize(places));
  std::vector<int64_t> rows(static_cast<size_t>(all.num_rows()));
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::sort(rows, {},
                    [&](int64_t row) { return places[all.keys()[static_cast<size_t>(row)]]; });
  return all.Take(rows);
}

// Runs a graph on the labelled ones among `read` that have no row yet.
absl::Status AddToRows(const PreparedGraph& graph, const batch::Batch& read, const Keys& labelled,
                       const batch::Batch& samples, GraphRows& made) {
  const auto have_keys = KeysOf(made.rows);
  const Keys have(have_keys.begin(), have_keys.end());
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < read.num_rows(); ++row) {
    const int64_t key = read.keys()[static_cast<size_t>(row)];
    if (labelled.contains(key) && !have.contains(key)) rows.push_back(row);
  }
  if (rows.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(GraphRows more, RunGraph(graph, read.Take(rows)));
  std::ranges::move(more.bad, std::back_inserter(made.bad));
  made.num_filtered += more.num_filtered;
  if (more.rows.num_rows() == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(made.rows, Merge(made.rows, more.rows, samples));
  return absl::OkStatus();
}

}  // namespace

PageAtWorkers::PageAtWorkers(batch::Batch page, std::span<const SharedGraph> graphs,
                             bool has_labels)
    : page_(std::move(page)),
      graphs_(graphs.begin(), graphs.end()),
      labelled_(PreparedRowsOf(page_, has_labels)) {}

absl::StatusOr<std::unique_ptr<PageAtWorkers>> PageAtWorkers::Open(
    const Options& options, const batch::Batch& page, std::span<const SharedGraph> graphs) {
  std::unique_ptr<PageAtWorkers> opened(new PageAtWorkers(page, graphs, options.has_labels));
  std::vector<int64_t> keys;
  keys.reserve(opened->labelled_.size());
  for (const int64_t row : opened->labelled_) {
    keys.push_back(page.keys()[static_cast<size_t>(row)]);
  }
  if (!options.workers.Take(std::ssize(keys))) return nullptr;
  for (const SharedGraph& graph : graphs) {
    RowsToPrepare rows{.graph = graph,
                       .keys = keys,
                       .batch_size = options.block_rows,
                       .num_together = std::ssize(graphs)};
    if (options.kept != nullptr) rows.cache = options.kept->CacheOf(*graph);
    ASSIGN_OR_RETURN(auto source, options.workers.Open(rows));
    opened->rows_.emplace_back(std::move(source), options.block_rows);
  }
  return opened;
}

int64_t PageAtWorkers::NumFound() const {
  int64_t found = std::ssize(labelled_);
  for (const RowsInOrder& rows : rows_) found = std::min(found, rows.work().found);
  return found;
}

std::span<const int64_t> PageAtWorkers::Prepared(int64_t from, int64_t to) const {
  const auto first = std::ranges::lower_bound(labelled_, from);
  return {first, std::ranges::lower_bound(labelled_, to)};
}

absl::StatusOr<MadeBlock> PageAtWorkers::Next(int64_t num_rows) {
  const int64_t from = next_;
  const int64_t to = std::min(from + num_rows, page_.num_rows());
  const std::span<const int64_t> wanted = Prepared(from, to);
  const int64_t end = std::ssize(Prepared(0, to));
  MadeBlock made{.block = {.samples = batch::Slice(page_, from, to), .num_known = to - from}};
  std::vector<char> is_unclear(static_cast<size_t>(to - from), 1);
  for (const int64_t row : wanted) is_unclear[static_cast<size_t>(row - from)] = 0;
  std::vector<std::vector<int64_t>> holes;
  for (size_t i = 0; i < graphs_.size(); ++i) {
    ASSIGN_OR_RETURN(RowsInOrder::Taken taken, rows_[i].TakeTo(end));
    holes.push_back(HolesIn(KeysOf(taken.rows), wanted, page_.keys()));
    if (taken.may_lack_bad) {
      for (const int64_t row : holes.back()) is_unclear[static_cast<size_t>(row - from)] = 1;
    }
    made.block.prepared[graphs_[i]->fingerprint] = GraphRows{.rows = std::move(taken.rows)};
  }
  for (size_t i = 0; i < graphs_.size(); ++i) {
    made.block.prepared[graphs_[i]->fingerprint]->num_filtered = std::ranges::count_if(
        holes[i], [&](int64_t row) { return is_unclear[static_cast<size_t>(row - from)] == 0; });
  }
  for (int64_t row = from; row < to; ++row) {
    if (is_unclear[static_cast<size_t>(row - from)] == 0) continue;
    made.unclear.push_back(page_.keys()[static_cast<size_t>(row)]);
  }
  next_ = to;
  return made;
}

void AddUnclear(const SampleBlock& read, std::span<const SharedGraph> graphs, bool has_labels,
                SampleBlock& block) {
  block.missing = read.missing;
  DropMissing(block);
  if (read.samples.num_rows() == 0) return;
  Keys labelled;
  for (const int64_t row : PreparedRowsOf(block.samples, has_labels)) {
    labelled.insert(block.samples.keys()[static_cast<size_t>(row)]);
  }
  for (const SharedGraph& graph : graphs) {
    absl::StatusOr<GraphRows>& rows = block.prepared.at(graph->fingerprint);
    if (!rows.ok()) continue;
    const absl::Status added = AddToRows(*graph, read.samples, labelled, block.samples, *rows);
    if (!added.ok()) rows = added;
  }
}

}  // namespace tidemill::evaluator
