// Columns that the host gives, as spans: nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "tidemill/plugin.h"

namespace tidemill::plugin {

// A column of numbers, row after row.
template <typename Value>
struct Rows {
  std::span<const Value> numbers = {};
  // Numbers in a row.
  size_t width = 1;

  size_t size() const { return width == 0 ? 0 : numbers.size() / width; }
  std::span<const Value> operator[](size_t row) const {
    return numbers.subspan(row * width, width);
  }
};

// A column of byte strings.
class Strings {
 public:
  Strings(const int64_t* offsets, const char* bytes, size_t count)
      : offsets_(offsets), bytes_(bytes), count_(count) {}

  size_t size() const { return count_; }
  std::string_view operator[](size_t row) const {
    return {bytes_ + offsets_[row], static_cast<size_t>(offsets_[row + 1] - offsets_[row])};
  }

 private:
  const int64_t* offsets_;
  const char* bytes_;
  size_t count_;
};

// Valid during the call that it was given to.
class Columns {
 public:
  explicit Columns(const TidemillColumns& columns)
      : schema_(columns.schema), array_(columns.array) {}

  size_t rows() const { return static_cast<size_t>(array_->length); }
  bool Has(std::string_view name) const { return Find(name) >= 0; }

  // The numbers of a column; int64_t, int32_t, uint8_t, float or double. Throws
  // std::invalid_argument if there is no such column, or one of another type.
  template <typename Value>
  Rows<Value> NumbersOf(std::string_view name) const {
    const int64_t child = Find(name);
    if (child < 0) throw std::invalid_argument("there is no column " + std::string(name));
    const ArrowSchema* schema = schema_->children[child];
    const ArrowArray* array = array_->children[child];
    int64_t offset = array_->offset + array->offset;
    size_t width = 1;
    if (std::string_view(schema->format).starts_with("+w:")) {
      width = static_cast<size_t>(std::strtoll(schema->format + 3, nullptr, 10));
      schema = schema->children[0];
      array = array->children[0];
      offset = offset * static_cast<int64_t>(width) + array->offset;
    }
    if (std::string_view(schema->format) != FormatOf<Value>()) {
      throw std::invalid_argument("the column " + std::string(name) + " has the type " +
                                  schema->format + " of Arrow, not " + FormatOf<Value>());
    }
    return {{static_cast<const Value*>(array->buffers[1]) + offset, rows() * width}, width};
  }

  // The byte strings of a column. Throws as NumbersOf() does.
  Strings StringsOf(std::string_view name) const {
    const int64_t child = Find(name);
    if (child < 0) throw std::invalid_argument("there is no column " + std::string(name));
    const ArrowArray* array = array_->children[child];
    if (std::string_view(schema_->children[child]->format) != "Z") {
      throw std::invalid_argument("the column " + std::string(name) + " has the type " +
                                  schema_->children[child]->format + " of Arrow, not Z");
    }
    return {static_cast<const int64_t*>(array->buffers[1]) + array_->offset + array->offset,
            static_cast<const char*>(array->buffers[2]), rows()};
  }

  // Arrow's name of a type.
  template <typename Value>
  static constexpr const char* FormatOf() {
    if constexpr (std::is_same_v<Value, int64_t>) return "l";
    if constexpr (std::is_same_v<Value, int32_t>) return "i";
    if constexpr (std::is_same_v<Value, uint8_t>) return "C";
    if constexpr (std::is_same_v<Value, float>) return "f";
    if constexpr (std::is_same_v<Value, double>) return "g";
  }

 private:
  int64_t Find(std::string_view name) const {
    for (int64_t i = 0; i < schema_->n_children; ++i) {
      if (name == schema_->children[i]->name) return i;
    }
    return -1;
  }

  const ArrowSchema* schema_;
  const ArrowArray* array_;
};

}  // namespace tidemill::plugin
