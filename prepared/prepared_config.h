// The section `prepared` of the system configuration.
#pragma once

#include <string>

#include "config/config.h"
#include "prepared/host_store.h"

namespace tidemill::prepared {

struct PreparedConfig {
  config::ByteSize memory{int64_t{1} << 30};
  config::ByteSize disk{int64_t{10} << 30};
  std::string folder = {};
  std::string object_store = {};
  config::ByteSize object_store_bytes{int64_t{100} << 30};
  Duration keep_unused{int64_t{7} * 24 * 3600 * 1'000'000};

  void Fields(auto&& field) {
    field("memory", memory,
          "Bytes of prepared samples that this host keeps in memory (/dev/shm) for all trainings, "
          "evaluations and workers of the stack. 0: none.",
          {.min = 0});
    field("disk", disk,
          "Bytes of prepared samples that it keeps on disk, once those in memory are used up. 0: "
          "none.",
          {.min = 0});
    field("folder", folder,
          "Where those on disk are. By default `prepared` in the state folder. Several stacks may "
          "name the same folder.",
          {.example = "/var/cache/tidemill"});
    field("object_store", object_store,
          "A folder of an object store, where rows that are prepared here are put besides, and all "
          "hosts that name it find them. `storage.object_store`, or the environment, says how it "
          "is reached. By default, none.",
          {.example = "s3://bucket/prepared"});
    field("object_store_bytes", object_store_bytes,
          "Bytes of prepared samples in the object store, for all hosts together; all name the "
          "same number. 0: none.",
          {.min = 0});
    field("keep_unused", keep_unused,
          "Prepared samples of a graph that nothing used for so long are removed.",
          {.min = 60'000'000});
  }
  void Check(config::Problems& problems) const;
};

// Returns where and how much a service keeps. All services of a stack on one host have the same
// folders. `state_folder` is cluster.state_folder.
HostStoreOptions OptionsOf(const PreparedConfig& config, const std::string& state_folder);

}  // namespace tidemill::prepared
