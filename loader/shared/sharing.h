// How trainings of one host share the rows that they prepare.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill::loader {

// Jobs with equal sets, orders and graphs are consumers of one stream: each sample of it is
// prepared once, by one of them, as long as they do not come too far apart. Every consumer sees the
// rows that it would make alone, in the same order, whoever else is there.
struct Sharing {
  // A folder in shared memory, for all streams of a stack on this host. It is created when the
  // first stream is.
  std::string folder = {};
  // The bytes of rows of one stream that wait for consumers. Each thread that makes rows may exceed
  // it by one chunk.
  int64_t bytes = int64_t{256} << 20;
  // Whether rows are kept until all strict consumers have them: nothing is made twice, and the
  // fastest waits for the slowest. Otherwise rows that do not fit are made again.
  bool is_strict = false;
  // Whether this consumer makes all batches of its plan, in their order. A preprocessing worker
  // makes some of them.
  bool is_in_order = true;
  // Where the keys of the set belong: streams of different datasets differ in it.
  std::string origin = {};
};

// Returns Sharing::origin of a dataset of this stack.
std::string OriginOf(int64_t dataset_id);

// Returns the folder in shared memory for the stack with this state folder.
std::string SharedFolderOf(const std::string& state_folder);

}  // namespace tidemill::loader
