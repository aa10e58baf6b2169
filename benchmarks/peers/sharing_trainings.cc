#include "benchmarks/peers/sharing_trainings.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <thread>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "benchmarks/peers/made_epoch.h"
#include "loader/batches/batch_stream.h"
#include "loader/shared/sharing.h"
#include "preprocess/client/job_spec.h"
#include "rpc/access/tokens.h"

// What the parent writes to a training: a line that names the set,
//
//   STORAGE SELECTOR RUN TRIGGER DATASET      two endpoints and three numbers
//
// then a line for each epoch, SEED [FILE]. The training answers each line with a number: of samples
// in the set, then in the epoch.

namespace tidemill::benchmarks {
namespace {

struct NamedSet {
  std::string storage;
  std::string selector;
  loader::SetToOpen set;
};

absl::StatusOr<NamedSet> ReadNamedSet(std::istream& input) {
  std::string line;
  std::getline(input, line);
  std::istringstream words(line);
  NamedSet named;
  int64_t run = 0;
  int64_t dataset = 0;
  words >> named.storage >> named.selector >> run >> named.set.trigger >> dataset;
  if (!words) return InvalidArgument("cannot read the name of a set from \"{}\"", line);
  named.set.run = RunId{run};
  named.set.dataset_id = DatasetId{dataset};
  return named;
}

// Opens the batches of an epoch, with rows that are shared.
absl::StatusOr<std::unique_ptr<loader::BatchStream>> OpenEpoch(
    const loader::OpenedSet& opened, const std::shared_ptr<const loader::Sharing>& sharing,
    int64_t seed) {
  const loader::BatchParts parts = {.set = opened.set,
                                    .reader = opened.reader,
                                    .graph = opened.graph,
                                    .bad = opened.bad,
                                    .sharing = sharing};
  const preprocess::JobSpec job = {.batch_size = PhotographWorkload("").batch_size, .seed = seed};
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return loader::BatchStream::Create(parts, preprocess::PlanOf(job, 0), {.num_threads = cores});
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharingTrainings>> SharingTrainings::Start(ServedEpochs& served,
                                                                          int count) {
  ASSIGN_OR_RETURN(const loader::SetToOpen set, served.NameSet());
  std::unique_ptr<SharingTrainings> trainings(new SharingTrainings());
  for (int i = 0; i < count; ++i) RETURN_IF_ERROR(trainings->StartOne(served.state()));
  const std::string named = fmt::format("{} {} {} {} {}", served.stack().PeerOf("storage").endpoint,
                                        served.stack().PeerOf("selector").endpoint, set.run.value,
                                        set.trigger, set.dataset_id.value);
  for (const Training& training : trainings->trainings_) {
    RETURN_IF_ERROR(Tell(training, named));
    RETURN_IF_ERROR(AnswerOf(training).status());
  }
  return trainings;
}

absl::Status SharingTrainings::StartOne(const std::string& state) {
  std::array<int, 2> input = {-1, -1};
  std::array<int, 2> output = {-1, -1};
  if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0) {
    return Internal("no pipe for a training");
  }
  Training training = {.to = fdopen(input[1], "w"), .from = fdopen(output[0], "r")};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  const char* const words[] = {"/proc/self/exe", kTrainingFlag, state.c_str(), nullptr};
  const int failure = posix_spawn(&training.process, words[0], &actions, nullptr,
                                  const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(input[0]);
  close(output[1]);
  if (failure != 0) training.process = 0;
  trainings_.push_back(training);
  return failure == 0 ? absl::OkStatus() : Internal("a training cannot be started");
}

SharingTrainings::~SharingTrainings() {
  for (const Training& training : trainings_) std::fclose(training.to);
  for (const Training& training : trainings_) {
    if (training.process > 0) waitpid(training.process, nullptr, 0);
    std::fclose(training.from);
  }
}

absl::Status SharingTrainings::Tell(const Training& training, const std::string& line) {
  fmt::print(training.to, "{}\n", line);
  return std::fflush(training.to) == 0 ? absl::OkStatus() : Internal("a training has ended");
}

absl::StatusOr<int64_t> SharingTrainings::AnswerOf(const Training& training) {
  std::array<char, 64> line = {};
  if (std::fgets(line.data(), line.size(), training.from) == nullptr) {
    return Internal("a training has ended");
  }
  return std::strtoll(line.data(), nullptr, 10);
}

absl::StatusOr<int64_t> SharingTrainings::Read(int64_t seed, const std::string& check_file) {
  for (size_t i = 0; i < trainings_.size(); ++i) {
    const std::string file =
        check_file.empty() || i == 0 ? check_file : fmt::format("{}.{}", check_file, i);
    RETURN_IF_ERROR(Tell(trainings_[i], fmt::format("{} {}", seed, file)));
  }
  std::vector<int64_t> counts;
  for (const Training& training : trainings_) {
    ASSIGN_OR_RETURN(const int64_t num_samples, AnswerOf(training));
    counts.push_back(num_samples);
  }
  if (std::ranges::adjacent_find(counts, std::not_equal_to()) != counts.end()) {
    return Internal("trainings that share have read different numbers of samples");
  }
  return counts.front();
}

absl::Status RunTraining(const std::string& state) {
  ASSIGN_OR_RETURN(NamedSet named, ReadNamedSet(std::cin));
  ASSIGN_OR_RETURN(const rpc::Tokens tokens, rpc::Tokens::Read(files::Join(state, "token")));
  ASSIGN_OR_RETURN(const std::string token, tokens.TokenOf(rpc::v1::ROLE_SERVICE));
  const auto storage = std::make_shared<const storage::StorageClient>(
      rpc::Peer{.endpoint = named.storage, .token = token});
  selector::SelectorClient selector({.endpoint = named.selector, .token = token});
  ASSIGN_OR_RETURN(const auto dataset, storage->GetDataset(kServedDataset));
  named.set.dataset = dataset.spec();
  named.set.graph = PhotographWorkload("").graph;
  const auto sharing = std::make_shared<const loader::Sharing>(
      loader::Sharing{.folder = loader::SharedFolderOf(state),
                      .origin = loader::OriginOf(named.set.dataset_id.value)});
  ASSIGN_OR_RETURN(const loader::OpenedSet opened,
                   loader::OpenSet(std::move(named.set), selector, storage));
  fmt::print("{}\n", opened.set->size());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    int64_t seed = 0;
    std::string check_file;
    words >> seed >> check_file;
    ASSIGN_OR_RETURN(const auto source, OpenEpoch(opened, sharing, seed));
    ASSIGN_OR_RETURN(const int64_t num_samples, ReadEpoch(*source, check_file));
    fmt::print("{}\n", num_samples);
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::benchmarks
