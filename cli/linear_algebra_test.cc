// BLAS and LAPACK are loaded by the first call.
#include <array>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

extern "C" {
int sgemm_(const void* trans_a, const void* trans_b, const void* m, const void* n, const void* k,
           const void* alpha, const void* a, const void* lda, const void* b, const void* ldb,
           const void* beta, const void* c, const void* ldc);
int dsyev_(const void* job, const void* half, const void* n, const void* a, const void* lda,
           const void* values, const void* work, const void* size, const void* info);
}

namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(LinearAlgebra, AProductIsThatOfTheMatrices) {
  const int two = 2;
  const float one = 1;
  const float zero = 0;
  // Column after column.
  const std::array<float, 4> a = {1, 3, 2, 4};
  const std::array<float, 4> b = {5, 7, 6, 8};
  std::array<float, 4> c = {};
  sgemm_("N", "N", &two, &two, &two, &one, a.data(), &two, b.data(), &two, &zero, c.data(), &two);
  EXPECT_THAT(c, ElementsAre(19, 43, 22, 50));
}

TEST(LinearAlgebra, EigenvaluesAreThoseOfTheMatrix) {
  const int two = 2;
  const int size = 64;
  int info = -1;
  std::array<double, 4> a = {2, 1, 1, 2};
  std::array<double, 2> values = {};
  std::array<double, size> work = {};
  dsyev_("N", "U", &two, a.data(), &two, values.data(), work.data(), &size, &info);
  EXPECT_EQ(info, 0);
  EXPECT_THAT(values, ElementsAre(DoubleNear(1, 1e-12), DoubleNear(3, 1e-12)));
}

}  // namespace
