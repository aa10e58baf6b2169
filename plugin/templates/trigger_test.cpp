// Tests of FILE_NAME.cpp:
//
//   g++ -std=c++20 FILE_NAME_test.cpp -o FILE_NAME_test && ./FILE_NAME_test
#undef NDEBUG
#include <cassert>

#include "FILE_NAME.cpp"

int main() {
  const CLASS_NAME policy;
  assert(policy.Judge({{"mistakes", 0.4}, {"rows", 10}}).fired);
  assert(!policy.Judge({{"mistakes", 0.1}, {"rows", 10}}).fired);
}
