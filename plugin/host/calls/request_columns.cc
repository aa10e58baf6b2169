#include "plugin/host/calls/request_columns.h"

#include <string_view>
#include <utility>

#include "plugin/host/calls/json_fields.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

constexpr int64_t kMaxRows = int64_t{1} << 40;
constexpr int64_t kMaxWidth = int64_t{1} << 30;

struct Type {
  std::string_view name;
  const char* format;
  int64_t bytes;
};

constexpr Type kTypes[] = {{"int64", "l", 8},   {"int32", "i", 4},   {"uint8", "C", 1},
                           {"float32", "f", 4}, {"float64", "g", 8}, {"binary", "Z", 0}};

absl::StatusOr<Type> TypeOf(const json& said, const std::string& column) {
  ASSIGN_OR_RETURN(const std::string name, TextOf(said, "type"));
  for (const Type& type : kTypes) {
    if (type.name == name) return type;
  }
  return InvalidArgument("the column {} has the unknown type {}", column, name);
}

// Numbers in a row.
absl::StatusOr<int64_t> WidthOf(const json& shape, const std::string& column) {
  int64_t width = 1;
  for (const json& size : shape) {
    const int64_t factor = size.is_number_integer() ? size.get<int64_t>() : 0;
    if (factor < 1 || factor > kMaxWidth / width) {
      return InvalidArgument("the column {} has no valid shape", column);
    }
    width *= factor;
  }
  return width;
}

void ReleaseSchema(ArrowSchema* schema) { schema->release = nullptr; }
void ReleaseArray(ArrowArray* array) { array->release = nullptr; }

}  // namespace

absl::StatusOr<std::unique_ptr<RequestColumns>> RequestColumns::Read(const json& said,
                                                                     const Memory& memory) {
  ASSIGN_OR_RETURN(const int64_t rows, WholeOf(said, "rows"));
  const json& columns = FieldOf(said, "columns");
  if (rows < 0 || rows > kMaxRows || !columns.is_array()) {
    return InvalidArgument("the request has no columns");
  }
  std::unique_ptr<RequestColumns> read(new RequestColumns());
  read->all_ = &read->NewNode("", "+s", rows);
  read->all_->array.n_buffers = 1;
  for (const json& column : columns) RETURN_IF_ERROR(read->Add(column, memory));
  read->view_ = {.schema = &read->all_->schema, .array = &read->all_->array};
  return read;
}

absl::Status RequestColumns::Add(const json& said, const Memory& memory) {
  ASSIGN_OR_RETURN(const std::string name, TextOf(said, "name"));
  ASSIGN_OR_RETURN(const Type type, TypeOf(said, name));
  const json& shape = FieldOf(said, "shape");
  ASSIGN_OR_RETURN(const int64_t width, WidthOf(shape, name));
  const int64_t rows = all_->array.length;
  const bool is_list = shape.is_array() && !shape.empty();
  Node& column = NewNode(name, is_list ? fmt::format("+w:{}", width) : type.format, rows);
  Link(*all_, column);
  if (is_list) {
    Node& values = NewNode("item", type.format, rows * width);
    column.array.n_buffers = 1;
    Link(column, values);
    return PlaceBuffers(said, memory, type.bytes, column, values);
  }
  return PlaceBuffers(said, memory, type.bytes, column, column);
}

absl::Status RequestColumns::PlaceBuffers(const json& said, const Memory& memory,
                                          int64_t bytes_of_value, Node& column, Node& values) {
  const int64_t rows = column.array.length;
  ASSIGN_OR_RETURN(const int64_t at, WholeOf(said, "at"));
  int64_t bytes = values.array.length * bytes_of_value;
  if (values.format == "Z") {
    ASSIGN_OR_RETURN(const int64_t offsets_at, WholeOf(said, "offsets_at"));
    constexpr auto kBytesOfOffset = static_cast<int64_t>(sizeof(int64_t));
    ASSIGN_OR_RETURN(values.buffers[1], memory.At(offsets_at, (rows + 1) * kBytesOfOffset));
    bytes = static_cast<const int64_t*>(values.buffers[1])[rows];
    values.array.n_buffers = 3;
  }
  ASSIGN_OR_RETURN(values.buffers[values.array.n_buffers - 1], memory.At(at, bytes));
  if (!said.contains("validity_at")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t validity_at, WholeOf(said, "validity_at"));
  ASSIGN_OR_RETURN(column.buffers[0], memory.At(validity_at, (rows + 7) / 8));
  column.array.null_count = -1;
  column.schema.flags = ARROW_FLAG_NULLABLE;
  return absl::OkStatus();
}

RequestColumns::Node& RequestColumns::NewNode(std::string name, std::string format,
                                              int64_t length) {
  nodes_.push_back(std::make_unique<Node>());
  Node& node = *nodes_.back();
  node.name = std::move(name);
  node.format = std::move(format);
  node.schema.format = node.format.c_str();
  node.schema.name = node.name.c_str();
  node.schema.release = &ReleaseSchema;
  node.array.length = length;
  node.array.n_buffers = 2;
  node.array.buffers = node.buffers;
  node.array.release = &ReleaseArray;
  return node;
}

void RequestColumns::Link(Node& parent, Node& child) {
  parent.schemas.push_back(&child.schema);
  parent.arrays.push_back(&child.array);
  parent.schema.children = parent.schemas.data();
  parent.array.children = parent.arrays.data();
  parent.schema.n_children = parent.array.n_children = static_cast<int64_t>(parent.arrays.size());
}

}  // namespace tidemill::plugin::host
