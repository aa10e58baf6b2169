// The columns of values that steps read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "expressions/program.h"

namespace tidemill::expressions {

// Bytes of texts, freed together. Thread-compatible.
class TextArena {
 public:
  TextArena() = default;
  // It gives out at most `most` bytes between two calls of Clear().
  explicit TextArena(size_t most) : most_(most) {}

  // Returns `size` bytes, valid until Clear(). nullptr when they are too many; from then on all
  // are, until Clear().
  char* Allocate(size_t size);
  // Returns room for a text whose length is not known yet, whatever its size. GiveBack() must
  // follow: what is kept counts.
  char* AllocateRoom(size_t size);
  // Takes back the last bytes of what was returned last.
  void GiveBack(size_t size);
  // The copy is null when it has too many bytes.
  std::string_view Copy(std::string_view text);
  // Keeps some memory for reuse.
  void Clear();

  size_t num_bytes() const { return num_bytes_; }
  // Whether there were too many bytes.
  bool is_full() const { return is_full_; }

 private:
  char* Take(size_t size);

  struct Chunk {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;  // The chunk in use.
  size_t used_ = 0;   // The used part of it.
  size_t most_ = std::numeric_limits<size_t>::max();
  size_t num_bytes_ = 0;
  bool is_full_ = false;
};

// Thread-compatible.
class Registers {
 public:
  explicit Registers(const Program& program);
  Registers(Registers&&) = default;
  Registers& operator=(Registers&&) = delete;

  [[gnu::always_inline]] int64_t num_rows() const { return num_rows_; }
  void set_num_rows(int64_t num_rows) { num_rows_ = num_rows; }

  // Inlined always, because sources that call it are compiled for different processors.
  template <typename T>
  [[gnu::always_inline]] const T* In(int number) const {
    return reinterpret_cast<const T*>(values_[static_cast<size_t>(number)]);
  }
  template <typename T>
  [[gnu::always_inline]] T* Out(int number) {
    return reinterpret_cast<T*>(values_[static_cast<size_t>(number)]);
  }
  // The values of an input; they are only read.
  void Point(int number, const void* values) {
    values_[static_cast<size_t>(number)] =
        const_cast<std::byte*>(static_cast<const std::byte*>(values));
  }

  TextArena& texts() { return texts_; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> owned_;
  std::vector<std::byte*> values_;
  int64_t num_rows_ = 0;
  TextArena texts_ = TextArena(kMaxTextBytes);
};

}  // namespace tidemill::expressions
