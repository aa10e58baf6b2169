// Columns for tests of your own plug-ins, as a host would show them.
//
//   MadeColumns columns(3);
//   columns.Add<float>("losses", {0.5, 1, 2});
//   const std::vector<double> scores = my_score.Scores(MyScore::Block(columns.get()));
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"

namespace tidemill::plugin {

// Columns of one number a row. What get() returns is valid as long as this is, until the next
// Add().
class MadeColumns {
 public:
  explicit MadeColumns(size_t rows) { array_.length = static_cast<int64_t>(rows); }
  MadeColumns(const MadeColumns&) = delete;
  MadeColumns& operator=(const MadeColumns&) = delete;

  // `Value` is one of those of Columns::NumbersOf().
  template <typename Value>
  MadeColumns& Add(std::string name, const std::vector<Value>& numbers) {
    if (static_cast<int64_t>(numbers.size()) != array_.length) {
      throw std::invalid_argument("the column " + name + " has another number of rows");
    }
    Column& column = columns_.emplace_back();
    column.name = std::move(name);
    const auto* const bytes = reinterpret_cast<const std::byte*>(numbers.data());
    column.bytes.assign(bytes, bytes + numbers.size() * sizeof(Value));
    column.buffers[1] = column.bytes.data();
    column.schema = {};
    column.schema.format = Columns::FormatOf<Value>();
    column.schema.name = column.name.c_str();
    column.array = {};
    column.array.length = array_.length;
    column.array.n_buffers = 2;
    column.array.buffers = column.buffers;
    schemas_.push_back(&column.schema);
    arrays_.push_back(&column.array);
    return *this;
  }

  TidemillColumns get() {
    schema_.format = "+s";
    schema_.n_children = array_.n_children = static_cast<int64_t>(columns_.size());
    schema_.children = schemas_.data();
    array_.children = arrays_.data();
    return {.schema = &schema_, .array = &array_};
  }

 private:
  struct Column {
    std::string name;
    std::vector<std::byte> bytes;
    const void* buffers[2] = {nullptr, nullptr};
    ArrowSchema schema;
    ArrowArray array;
  };

  // Its elements stay where they are.
  std::deque<Column> columns_;
  std::vector<ArrowSchema*> schemas_;
  std::vector<ArrowArray*> arrays_;
  ArrowSchema schema_ = {};
  ArrowArray array_ = {};
};

}  // namespace tidemill::plugin
