// The columns of a request, as Arrow's C structs that point into the owner's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/host/calls/memory.h"
#include "plugin/include/tidemill/plugin.h"

namespace tidemill::plugin::host {

// Not movable, because its parts point at one another. Thread-compatible.
class RequestColumns {
 public:
  // `said` has "rows" and "columns" as docs/formats/plugin_protocol.md defines them.
  // INVALID_ARGUMENT when it does not describe columns, or when columns are outside the memory.
  static absl::StatusOr<std::unique_ptr<RequestColumns>> Read(const nlohmann::json& said,
                                                              const Memory& memory);
  RequestColumns(const RequestColumns&) = delete;
  RequestColumns& operator=(const RequestColumns&) = delete;

  const TidemillColumns& view() const { return view_; }

 private:
  // An Arrow struct, and the data to which it points.
  struct Node {
    std::string name = {};
    std::string format = {};
    const void* buffers[3] = {};
    std::vector<ArrowSchema*> schemas = {};
    std::vector<ArrowArray*> arrays = {};
    ArrowSchema schema = {};
    ArrowArray array = {};
  };

  RequestColumns() = default;
  absl::Status Add(const nlohmann::json& said, const Memory& memory);
  absl::Status PlaceBuffers(const nlohmann::json& said, const Memory& memory, int64_t width,
                            Node& column, Node& values);
  Node& NewNode(std::string name, std::string format, int64_t length);
  static void Link(Node& parent, Node& child);

  std::vector<std::unique_ptr<Node>> nodes_;
  Node* all_ = nullptr;
  TidemillColumns view_ = {};
};

}  // namespace tidemill::plugin::host
