// Tests of FILE_NAME.cpp:
//
//   g++ -std=c++20 FILE_NAME_test.cpp -o FILE_NAME_test && ./FILE_NAME_test
#undef NDEBUG
#include <cassert>

#include "FILE_NAME.cpp"

int main() {
  const CLASS_NAME format;
  CLASS_NAME::Records records;
  // Two whole records of 16 bytes, and a piece of the next one.
  format.Read({.bytes = "0123456789abcdef0123456789abcdef0123", .head = {}}, records);
  assert(records.size() == 2);
}
