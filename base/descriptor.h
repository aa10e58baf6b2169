// File descriptors that are closed by their owners.
#pragma once

namespace tidemill {

// Owns one file descriptor and closes it in its destructor:
//
//   const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
//   if (!file.is_open()) return NotFound("cannot open {}: {}", path, std::strerror(errno));
//
// A Descriptor without a number does nothing. A Descriptor that was moved from has none. A close
// never changes errno, and its failure is not reported. A caller that must know that bytes are on
// the disk calls fsync() first.
//
// Thread-compatible. Several threads may use number() at once. Only this object may close that
// number.
class Descriptor {
 public:
  // Holds none.
  Descriptor() = default;
  // Owns `number` from here on. A negative number, which a failed call returns, means none.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.Release()) {}
  // Closes what it held before.
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { Close(); }

  // Returns a negative number when it holds none. The object still owns the number.
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  // Returns the number and holds none afterwards. The caller must close it.
  [[nodiscard]] int Release();
  // Closes at once.
  void Close();

 private:
  int number_ = -1;
};

}  // namespace tidemill
