// A store of prepared rows that hosts share, besides those of each host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "prepared/folder_budget.h"
#include "prepared/medium_speed.h"
#include "prepared/prepared_samples.h"

namespace tidemill::prepared {

// What fails here costs time only: rows are missing then, and the log says so once. Thread-safe.
class SharedStore {
 public:
  virtual ~SharedStore() = default;

  // Opens the rows of a point. Its Keep() returns before anything is written.
  virtual std::unique_ptr<PreparedSamples> OpenPoint(const std::string& digest,
                                                     const PointAbout& about,
                                                     const RowColumns& columns) = 0;

  // Whether a user has asked for the rows of a point, on any host.
  virtual bool IsAskedFor(const std::string& digest) = 0;

  // Returns the bytes that the rows of these points may take, together; 0 while the store cannot
  // be reached.
  virtual int64_t BytesFor(std::span<const std::string> digests) = 0;

  // Returns how fast it is from here. Measures that at most once a day.
  virtual MediumSpeed speed() = 0;

  // Whether Keep() waits for room rather than pass rows over, and what is found on the host is
  // kept here, too: for a command whose purpose it is to fill the store.
  virtual bool takes_all() const = 0;
};

}  // namespace tidemill::prepared
