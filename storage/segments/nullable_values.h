// A column of numbers, some of which may be missing, while it is being made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace tidemill::storage {

// Reads like a vector of optionals. It is stored like a column: numbers, and a bit per row once
// some rows are missing and others are not. Rows that are all missing take no memory.
// Thread-compatible.
template <typename T>
class NullableValues {
 public:
  using value_type = std::optional<T>;

  class const_iterator {
   public:
    const_iterator(const NullableValues* values, size_t row) : values_(values), row_(row) {}
    std::optional<T> operator*() const { return (*values_)[row_]; }
    const_iterator& operator++() {
      ++row_;
      return *this;
    }
    friend bool operator==(const const_iterator&, const const_iterator&) = default;

   private:
    const NullableValues* values_;
    size_t row_;
  };
  using iterator = const_iterator;

  NullableValues() = default;
  NullableValues(std::initializer_list<std::optional<T>> values) {
    for (const std::optional<T>& value : values) push_back(value);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size_}; }

  std::optional<T> operator[](size_t row) const {
    if (!IsValid(row)) return std::nullopt;
    return values_[row];
  }
  bool IsValid(size_t row) const {
    if (num_missing_ == 0) return true;
    return num_missing_ < size_ && (validity_[row / 8] >> row % 8 & 1) != 0;
  }
  bool all_missing() const { return num_missing_ == size_; }
  bool any_missing() const { return num_missing_ > 0; }

  // A number per row, 0 for a missing one. Empty when all are missing.
  std::span<const T> values() const { return values_; }
  // A bit per row, least significant first. Empty when none is missing, or all are.
  std::span<const uint8_t> validity() const { return validity_; }

  void reserve(size_t size) { values_.reserve(size); }

  void push_back(std::optional<T> value) {
    if (value) {
      Append(std::span<const T>(&*value, 1));
    } else {
      AppendMissing(1);
    }
  }

  // Appends rows without missing values.
  void Append(std::span<const T> values) {
    if (values.empty()) return;
    if (num_missing_ > 0) {
      KeepBits();
      validity_.resize((size_ + values.size() + 7) / 8, 0);
      for (size_t row = size_; row < size_ + values.size(); ++row) SetBit(row);
    }
    values_.insert(values_.end(), values.begin(), values.end());
    size_ += values.size();
  }

  void AppendMissing(size_t count) {
    if (count == 0) return;
    if (num_missing_ < size_) {
      KeepBits();
      values_.resize(size_ + count, T{});
      validity_.resize((size_ + count + 7) / 8, 0);
    }
    size_ += count;
    num_missing_ += count;
  }

  // Appends the rows [from, to) of another column.
  void Append(const NullableValues& other, size_t from, size_t to) {
    if (other.num_missing_ == 0) {
      Append(std::span<const T>(other.values_).subspan(from, to - from));
    } else if (other.all_missing()) {
      AppendMissing(to - from);
    } else {
      for (size_t row = from; row < to; ++row) push_back(other[row]);
    }
  }

  // Appends missing rows up to the size. It does not shrink.
  void resize(size_t size) { AppendMissing(size - size_); }

 private:
  // Gives each row a number and a bit, because some rows will be missing and others not.
  void KeepBits() {
    if (!validity_.empty()) return;
    values_.resize(size_, T{});
    validity_.assign((size_ + 7) / 8, 0);
    for (size_t row = 0; num_missing_ == 0 && row < size_; ++row) SetBit(row);
  }
  void SetBit(size_t row) { validity_[row / 8] |= static_cast<uint8_t>(1U << row % 8); }

  size_t size_ = 0;
  size_t num_missing_ = 0;
  std::vector<T> values_;
  std::vector<uint8_t> validity_;
};

}  // namespace tidemill::storage
