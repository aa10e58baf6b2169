#include "subsets/pairwise/csr_graph.h"

#include <algorithm>
#include <vector>

#include "base/files.h"

namespace tidemill::subsets {
namespace {

constexpr char kUtilities[] = "utilities.f32";
constexpr char kOffsets[] = "offsets.i64";
constexpr char kEdges[] = "edges";

}  // namespace

CsrGraph::CsrGraph(SharedFile utilities, SharedFile offsets, SharedFile edges)
    : files_{std::move(utilities), std::move(offsets), std::move(edges)},
      utilities_(files_[0].As<const float>()),
      offsets_(files_[1].As<const int64_t>()),
      edges_(files_[2].As<const CsrEdge>()) {}

absl::StatusOr<CsrGraph> CsrGraph::Open(const std::string& folder) {
  ASSIGN_OR_RETURN(SharedFile utilities, SharedFile::Open(files::Join(folder, kUtilities)));
  ASSIGN_OR_RETURN(SharedFile offsets, SharedFile::Open(files::Join(folder, kOffsets)));
  ASSIGN_OR_RETURN(SharedFile edges, SharedFile::Open(files::Join(folder, kEdges)));
  CsrGraph graph(std::move(utilities), std::move(offsets), std::move(edges));
  const int64_t count = graph.num_nodes();
  if (std::ssize(graph.offsets_) != count + 2 ||
      graph.offsets_[static_cast<size_t>(count)] > std::ssize(graph.edges_)) {
    return DataLoss("the files of the graph in {} contradict each other; write the graph again",
                    folder);
  }
  return graph;
}

CsrWriter::CsrWriter(SharedFile utilities, SharedFile offsets, SharedFile edges)
    : files_{std::move(utilities), std::move(offsets), std::move(edges)} {}

absl::StatusOr<CsrWriter> CsrWriter::Create(const std::string& folder, int64_t num_nodes,
                                            int64_t num_edges) {
  if (num_nodes > kMaxCsrNodes) {
    return InvalidArgument("a graph in files has at most {} nodes, not {}", kMaxCsrNodes,
                           num_nodes);
  }
  const auto create = [&](const char* name, int64_t count, size_t bytes) {
    return SharedFile::Create(files::Join(folder, name), count * static_cast<int64_t>(bytes));
  };
  ASSIGN_OR_RETURN(SharedFile utilities, create(kUtilities, num_nodes, sizeof(float)));
  ASSIGN_OR_RETURN(SharedFile offsets, create(kOffsets, num_nodes + 2, sizeof(int64_t)));
  ASSIGN_OR_RETURN(SharedFile edges, create(kEdges, num_edges, sizeof(CsrEdge)));
  return CsrWriter(std::move(utilities), std::move(offsets), std::move(edges));
}

void CsrWriter::AddRow(std::span<const CsrEdge> row) {
  std::copy(row.begin(), row.end(),
            files_[2].As<CsrEdge>().subspan(static_cast<size_t>(edges_)).begin());
  edges_ += std::ssize(row);
  const std::span<int64_t> offsets = files_[1].As<int64_t>();
  offsets[static_cast<size_t>(++rows_)] = edges_;
  // Its place is after the offsets, so the last row does not write over it.
  offsets.back() = std::max(offsets.back(), std::ssize(row));
}

static_assert(Graph<CsrGraph>);

}  // namespace tidemill::subsets
