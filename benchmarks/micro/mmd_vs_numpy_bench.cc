// Maximum mean discrepancy with permutations, against the same in numpy with one thread.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/testing/tree.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "supervisor/statistics/two_samples/mmd.h"

namespace tidemill {
namespace {

constexpr int64_t kRows = 2000;
constexpr int64_t kColumns = 32;
constexpr int64_t kPermutations = 1000;

using benchmarks::Fail;

// Normal numbers, all of which are moved by `shift`.
std::vector<double> Window(int64_t seed, double shift) {
  std::vector<double> values;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    const RandomKey key = {.seed = seed, .purpose = "benchmark"};
    const double radius = std::sqrt(-2 * std::log(1 - RandomUnit(key, 2 * i)));
    values.push_back(shift + radius * std::cos(6.283185307179586 * RandomUnit(key, 2 * i + 1)));
  }
  return values;
}

// The Python process, driven through pipes.
class Numpy {
 public:
  explicit Numpy(const std::string& file) {
    int input[2];
    int output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) Fail("cannot make pipes");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    for (const char* library : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
      setenv(library, "1", 1);
    }
    const std::string program = testing::InTree("benchmarks/micro/mmd_vs_numpy.py");
    const std::string rows = std::to_string(kRows), columns = std::to_string(kColumns),
                      permutations = std::to_string(kPermutations);
    const char* const arguments[] = {"python3",    program.c_str(), file.c_str(),
                                     rows.c_str(), columns.c_str(), permutations.c_str(),
                                     nullptr};
    if (posix_spawnp(&process_, "python3", &actions, nullptr, const_cast<char* const*>(arguments),
                     environ) != 0) {
      Fail("cannot start python3");
    }
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    to_ = fdopen(input[1], "w");
    from_ = fdopen(output[0], "r");
  }
  ~Numpy() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }
  Numpy(const Numpy&) = delete;
  Numpy& operator=(const Numpy&) = delete;

  struct Answer {
    double squared = 0;
    double p_value = 0;
  };
  // With a width of 0, it finds the width itself.
  Answer Test(double width) {
    std::fprintf(to_, "%.17g\n", width);
    std::fflush(to_);
    char line[128] = {};
    Answer answer;
    if (std::fgets(line, sizeof(line), from_) == nullptr ||
        std::sscanf(line, "%lf %lf", &answer.squared, &answer.p_value) != 2) {
      Fail("python3 with numpy is needed: run tools/setup.sh --bench");
    }
    return answer;
  }

 private:
  pid_t process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

std::string Write(const std::string& path, const std::vector<double>& x,
                  const std::vector<double>& y) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) Fail("cannot write " + path);
  for (const auto* window : {&x, &y}) {
    if (std::fwrite(window->data(), sizeof(double), window->size(), file) != window->size()) {
      Fail("cannot write " + path);
    }
  }
  std::fclose(file);
  return path;
}

}  // namespace
}  // namespace tidemill

int main() {
  using namespace tidemill;  // NOLINT: a program of one function.
  namespace statistics = supervisor::statistics;
  const std::vector<double> x = Window(1, 0), y = Window(2, 0.012);
  const statistics::Rows reference = {x, kColumns}, current = {y, kColumns};
  const benchmarks::BenchFolder folder("mmd_vs_numpy");
  Numpy numpy(Write(folder.path() + "/rows", x, y));

  const statistics::Mmd ours =
      statistics::MmdTest(reference, current, {.permutations = kPermutations, .most_rows = kRows});
  const Numpy::Answer theirs = numpy.Test(ours.widths[0]);
  std::fprintf(stderr, "squared distance %.3g and %.3g, p %.3f and %.3f\n", ours.squared,
               theirs.squared, ours.permutation.p_value, theirs.p_value);
  if (std::abs(ours.squared - theirs.squared) > 1e-9 ||
      std::abs(ours.permutation.p_value - theirs.p_value) > 0.08) {
    Fail("the two do not agree");
  }
  benchmarks::Report(benchmarks::Measure(
      "mmd_vs_numpy", "permutations/s", 1,
      [&] {
        statistics::MmdTest(reference, current,
                            {.permutations = kPermutations, .most_rows = kRows});
        return static_cast<double>(kPermutations);
      },
      [&] {
        numpy.Test(0);
        return static_cast<double>(kPermutations);
      }));
}
