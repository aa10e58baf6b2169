// Decides after which op of a graph rows are worth keeping, from what was measured.
//
//   seconds of all later uses
//     |  x                    made again each time
//     |  x        x
//     |  x   +    x    +      + reading what was kept, and the ops after it
//     |__|___|____|____|____
//       parse resize crop     the point: rows grow or shrink from op to op
//
// After Graur et al., "Cachew: Machine Learning Input Data Processing as a Service" (USENIX ATC
// 2022), which compares a whole graph's time with the time to read what it makes. Here
// each point is compared, the first use is counted with what writing costs, and a store that is too
// small holds a share of the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prepared/medium_speed.h"
#include "transform/cut_graph.h"

namespace tidemill::loader {

// Rows are kept only if that makes later uses this many times as fast.
inline constexpr double kLeastSpeedup = 1.05;

// A store for kept rows.
struct RoomForRows {
  prepared::MediumSpeed speed = {};
  int64_t free_bytes = 0;  // What rows of this graph may take.
};

// What a sample costs, on average, on a thread that prepares.
struct SampleCosts {
  double read_ns = 0;
  // By the place of the op as written.
  std::vector<double> op_ns = {};
};

struct CacheQuestion {
  SampleCosts costs = {};
  std::vector<int> order = {};  // Graph::order().
  std::vector<transform::CutPoint> points = {};
  int64_t num_samples = 0;
  // How often each sample will be used again, on average: further epochs, triggers that select it
  // again, other trainings.
  double uses = 0;
  // The same for rows after an op that learns, which are of no use to models that have learned
  // other numbers; std::nullopt: as often.
  std::optional<double> uses_learned = std::nullopt;
  // What the name of a sample costs, which a cached row needs each time.
  double name_ns = 0;
  RoomForRows memory = {};
  RoomForRows disk = {};
  // The store that hosts share, in which all rows are put besides.
  RoomForRows shared = {};
};

// What keeping rows at a point is expected to bring.
struct PointGain {
  int num_ops = 0;
  int last_op = 0;
  int64_t row_bytes = 0;
  double in_memory = 0;  // The share of the samples whose row fits there.
  double on_disk = 0;
  double elsewhere = 0;  // In the store that hosts share, and neither in memory nor on disk.
  double saved_ns = 0;   // For all samples over all uses, less what it costs to keep them.
  // How many times faster samples are prepared when they are used again.
  double speedup = 1;
};

struct CacheChoice {
  std::vector<PointGain> points = {};
  int chosen = -1;  // The place in `points`; -1: nothing is kept.
  // A sentence for people: why nothing is kept, or what is expected.
  std::string reason = {};
};

// A pure function.
CacheChoice ChooseCache(const CacheQuestion& question);

}  // namespace tidemill::loader
