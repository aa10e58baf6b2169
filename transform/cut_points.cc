#include "transform/cut_points.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "batch/batch.h"

namespace tidemill::transform {
namespace {

bool HoldNoTexts(const std::vector<BoundColumn>& columns) {
  return std::ranges::none_of(columns,
                              [](const BoundColumn& kept) { return IsText(kept.schema.type); });
}

int64_t RowBytesOf(const std::vector<BoundColumn>& columns) {
  int64_t bytes = 0;
  for (const auto& [slot, schema] : columns) {
    bytes += schema.Width() * static_cast<int64_t>(batch::SizeOf(schema.type));
  }
  return bytes;
}

// Returns the place, from 0, of the op with this type, or with this place, from 1.
absl::StatusOr<int> OpNamed(std::string_view name, const std::vector<std::string>& types) {
  int place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (error == std::errc() && end == name.data() + name.size()) {
    if (place >= 1 && place <= std::ssize(types)) return place - 1;
    return InvalidArgument("the graph has no op {}: it has {} ops", place, types.size());
  }
  const auto first = std::ranges::find(types, name);
  if (first == types.end()) {
    return InvalidArgument("the graph has no op {}; its ops are {}", name, fmt::join(types, ", "));
  }
  if (std::find(first + 1, types.end(), name) != types.end()) {
    return InvalidArgument("several ops of the graph are {}; name the place of one, from 1", name);
  }
  return static_cast<int>(first - types.begin());
}

}  // namespace

// Finds the points of a graph and the columns at each.
class CutPointFinder {
 public:
  explicit CutPointFinder(const Graph& graph) : graph_(graph) {}

  std::vector<CutPoint> Find() {
    std::vector<CutPoint> points;
    bool has_texts = false;
    bool learns = false;
    for (size_t place = 0; place < graph_.order().size(); ++place) {
      const auto& op = OpAt(place);
      if (op.is_random) break;
      has_texts |= op.op->makes_texts();
      learns |= op.fitted;
      for (const BoundColumn& made : op.outputs) Make(made);
      if (RecordsAreReadAfter(place) || (has_texts && TextsAreMadeAfter(place))) continue;
      CutPoint point{.num_ops = static_cast<int>(place) + 1,
                     .last_op = graph_.order()[place],
                     .columns = UsedAfter(place)};
      point.row_bytes = RowBytesOf(point.columns);
      point.learns = learns;
      if (HoldNoTexts(point.columns)) points.push_back(std::move(point));
    }
    return points;
  }

  // Returns why there is no point after an op, by its place as written.
  std::string WhyNoneAfter(int op) const {
    const auto place = std::ranges::find(graph_.order(), op) - graph_.order().begin();
    if (place == std::ssize(graph_.order())) return "the op changes nothing, and is left out";
    for (int64_t i = 0; i < std::ssize(graph_.order()); ++i) {
      const Graph::BoundOp& other = OpAt(static_cast<size_t>(i));
      if (i <= place && other.is_random) {
        return fmt::format("{} is random, so that rows differ from epoch to epoch", other.name);
      }
      if (i > place && other.op->reads_records()) {
        return fmt::format("{} runs after it and reads records, which are not kept", other.name);
      }
    }
    return "rows have texts there, which are not kept";
  }

 private:
  const Graph::BoundOp& OpAt(size_t place) const { return graph_.ops_[graph_.order()[place]]; }

  void Make(const BoundColumn& column) {
    const auto known = std::ranges::find(made_, column.slot, &BoundColumn::slot);
    if (known == made_.end()) {
      made_.push_back(column);
    } else {
      *known = column;
    }
  }
  bool RecordsAreReadAfter(size_t place) const {
    for (size_t i = place + 1; i < graph_.order().size(); ++i) {
      if (OpAt(i).op->reads_records()) return true;
    }
    return false;
  }
  bool TextsAreMadeAfter(size_t place) const {
    for (size_t i = place + 1; i < graph_.order().size(); ++i) {
      if (OpAt(i).op->makes_texts()) return true;
    }
    return false;
  }
  std::vector<BoundColumn> UsedAfter(size_t place) const {
    std::vector<BoundColumn> used;
    for (const BoundColumn& column : made_) {
      if (graph_.IsUsedAfter(place, column.slot)) used.push_back(column);
    }
    return used;
  }

  const Graph& graph_;
  std::vector<BoundColumn> made_;  // By the ops so far, as they are now.
};

std::vector<CutPoint> CutPointsOf(const Graph& graph) { return CutPointFinder(graph).Find(); }

absl::StatusOr<CutPoint> CutPointAfter(const Graph& graph, std::string_view op) {
  const std::vector<std::string> types = graph.op_types();
  ASSIGN_OR_RETURN(const int index, OpNamed(op, types));
  std::vector<CutPoint> points = CutPointsOf(graph);
  const auto found = std::ranges::find(points, index, &CutPoint::last_op);
  if (found != points.end()) return *std::move(found);
  return InvalidArgument("nothing can be kept after op {} ({}): {}", index + 1,
                         types[static_cast<size_t>(index)],
                         CutPointFinder(graph).WhyNoneAfter(index));
}

}  // namespace tidemill::transform
