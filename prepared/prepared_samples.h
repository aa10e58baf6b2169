// Rows that were prepared of samples, by name, so that they are not prepared again.
//
//   names   a  b  c  d            Find()   a ------> row 0
//                                          b  missing: read, prepare, Keep()
//                                          c ------> bad, with the reason
//                                          d ------> row 3
//
// A store holds the rows of one point of a graph (transform/cut_graph.h). What it holds can be lost
// at any time and costs time only: a row that is missing or damaged is prepared again, and is the
// same.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "prepared/sample_name.h"

namespace tidemill::prepared {

enum class RowState : uint8_t { kMissing = 0, kGood = 1, kBad = 2, kFiltered = 3 };

// The rows of a point: columns of numbers, with a name, a type and a shape each, and no data.
using RowColumns = std::vector<batch::Column>;

// Returns the bytes of a row in all columns.
int64_t RowBytes(const RowColumns& columns);

// What is known of a sample besides its row.
struct SampleFacts {
  int64_t event_time = 0;
  bool has_class = false;
  bool has_number = false;
  int64_t class_label = 0;
  double real_label = 0;
};

// Rows by name: row i is that of name i. Where `states` is not kGood, what is in the columns is
// undefined.
struct NamedRows {
  std::vector<RowState> states = {};
  std::vector<SampleFacts> facts = {};
  // The data of the columns that the store was opened for, in their order.
  std::vector<batch::Buffer> data = {};
  // Why samples are bad, by row.
  std::map<int64_t, std::string> reasons = {};

  // Makes room for this many rows, all missing.
  void Resize(int64_t num_rows, const RowColumns& columns);
  int64_t NumMissing() const;
};

// What a store has done since it was opened, for all of its users in this process.
struct StoreCounts {
  int64_t found = 0;    // Rows, bad and filtered samples among them.
  int64_t missing = 0;  // Asked for and not found.
  int64_t kept = 0;
  int64_t kept_bytes = 0;
  int64_t damaged = 0;   // Rows whose bytes were not those that were kept.
  int64_t refused = 0;   // Rows for which there was no room.
  int64_t read_ns = 0;   // In Find(), added up over threads.
  int64_t write_ns = 0;  // In Keep().
  // Rows that were also put into the store that hosts share, and those that it has passed over.
  int64_t shared = 0;
  int64_t shared_bytes = 0;
  int64_t not_shared = 0;
};

// Thread-safe.
class PreparedSamples {
 public:
  virtual ~PreparedSamples() = default;

  // Fills the rows that are missing in `rows` and known here. `rows` has one row for each name.
  virtual void Find(std::span<const SampleName> names, NamedRows& rows) = 0;

  // Keeps rows, and returns whether there was room. Rows that are missing in `rows`, or whose name
  // is nothing, are passed over. Rows that two processes keep at once may be kept twice.
  virtual bool Keep(std::span<const SampleName> names, const NamedRows& rows) = 0;

  // Waits until everything that was kept is where others find it, or was refused.
  virtual void Flush() {}

  virtual StoreCounts counts() const = 0;
};

}  // namespace tidemill::prepared
