// The `trainer_server` section of the system configuration.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "config/config.h"

namespace tidemill::trainer_server {

struct TrainerConfig {
  int cpu_slots = 1;
  std::optional<int> gpu_slots = std::nullopt;
  int fit_slots = 2;
  std::optional<int> loader_threads = std::nullopt;
  std::optional<int> loader_most_threads = std::nullopt;
  Duration rank_timeout{30'000'000};
  config::ByteSize loader_memory{int64_t{1} << 30};
  config::ByteSize share_window{int64_t{256} << 20};
  std::string endpoint = {};
  std::map<std::string, std::string> labels = {};
  Duration grace{0};
  config::ByteSize checkpoint_upload{int64_t{64} << 20};

  void Fields(auto&& field) {
    field("cpu_slots", cpu_slots, "Trainings on the CPU that run at the same time. Others wait.",
          {.min = 1, .max = 256});
    field(
        "gpu_slots", gpu_slots,
        "GPUs on which trainings run, the first ones of the machine, each one training at a time. "
        "Others wait. By default all. 0: none.",
        {.min = 0, .max = 256});
    field("fit_slots", fit_slots, "Fits of graphs that run at the same time. Others wait.",
          {.min = 1, .max = 256});
    field(
        "loader_threads", loader_threads,
        "Threads that prepare samples in the process of a training or a fit. Where it is set, "
        "their number is fixed, unless loader_most_threads is set, too. By default, the trainings "
        "that run at the same time share the cores of the machine, and each begins with at least "
        "two. Weights do not depend on this number.",
        {.min = 1, .max = 1024});
    field("loader_most_threads", loader_most_threads,
          "Threads are added up to this number while a training waits for samples and processors "
          "are free, and given up again. That helps where storage is far away or an op waits. By "
          "default it is 32, or four for each thread with which the training begins. 1: none is "
          "added.",
          {.min = 1, .max = 1024});
    field(
        "rank_timeout", rank_timeout,
        "A rank of a training that gives no sign of life for so long is killed and started again.",
        {.min = 1'000'000});
    field("loader_memory", loader_memory,
          "Bytes of prepared samples that all trainings that run at the same time may keep in "
          "advance, together.",
          {.min = 1'048'576});
    field(
        "share_window", share_window,
        "Bytes of prepared samples in shared memory that wait for trainings which share them "
        "(`training.share`), for each set of trainings of the same samples. 0B: nothing is shared.",
        {.min = 0});
    field("endpoint", endpoint,
          "Where the supervisor reaches this trainer server, if that is not the address that it "
          "serves at: unix:/path or host:port.");
    field("labels", labels, "What `training.placement` of a pipeline may ask for.",
          {.example = "{gpu: h100}"});
    field("grace", grace,
          "When the trainer server must end, trainings have so long to write a checkpoint, and as "
          "long again to send it. The system must wait twice as long before it kills: Slurm's "
          "KillWait or GraceTime, or Kubernetes' terminationGracePeriodSeconds. 0s: 10 s where an "
          "engine has started it; elsewhere trainings are killed at once.",
          {.min = 0, .max = 3600});
    field(
        "checkpoint_upload", checkpoint_upload,
        "Bytes per second of checkpoints that the trainer server sends to the model store, from "
        "where another trainer server continues a training when this one is lost. Trainings never "
        "wait for it: when checkpoints are written faster, only the newest is sent.",
        {.min = 65'536});
  }
};

}  // namespace tidemill::trainer_server
