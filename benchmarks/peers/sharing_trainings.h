// Trainings of the same samples, each in its process, that share what they prepare.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "benchmarks/system/served_epochs.h"

namespace tidemill::benchmarks {

// The first argument of this program when it is one of the trainings.
inline constexpr char kTrainingFlag[] = "--training";

// Thread-compatible.
class SharingTrainings {
 public:
  // Starts the processes, which open the sealed set of `served`, whose samples are photographs.
  // `served` must outlive them.
  static absl::StatusOr<std::unique_ptr<SharingTrainings>> Start(ServedEpochs& served, int count);
  SharingTrainings(const SharingTrainings&) = delete;
  SharingTrainings& operator=(const SharingTrainings&) = delete;
  // Ends the processes.
  ~SharingTrainings();

  // All trainings read an epoch at the same time. Returns the number of samples of one training,
  // once the last one has them all. Unless `check_file` is empty, training 0 writes to it as
  // ReadEpoch() does, and training n to the file with `.n` after its name. INTERNAL when a training
  // ends.
  absl::StatusOr<int64_t> Read(int64_t seed, const std::string& check_file);

 private:
  struct Training {
    pid_t process = 0;
    std::FILE* to = nullptr;
    std::FILE* from = nullptr;
  };

  SharingTrainings() = default;
  absl::Status StartOne(const std::string& state);
  // Returns the number with which a training answers.
  static absl::StatusOr<int64_t> AnswerOf(const Training& training);
  static absl::Status Tell(const Training& training, const std::string& line);

  std::vector<Training> trainings_;
};

// The process of a training of the stack with this state folder: reads commands from standard input
// until it ends. Returns the errors of its epochs.
absl::Status RunTraining(const std::string& state);

}  // namespace tidemill::benchmarks
