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

// Stays where it is, since its parts point at one another. Thread-compatible.
class RequestColumns {
 public:
  // `said` has "rows" and "columns" as docs/formats/plugin_protocol.md says. INVALID_ARGUMENT for
  // what is no columns, or does not lie in the memory.
  static absl::StatusOr<std::unique_ptr<RequestColumns>> Read(const nlohmann::json& said,
                                                              const Memory& memory);
  RequestColumns(const RequestColumns&) = delete;
  RequestColumns& operator=(const RequestColumns&) = delete;

  const TidemillColumns& view() const { return view_; }

 private:
  // A struct of Arrow's with what it points at.
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
