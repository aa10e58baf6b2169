// Typed identifiers: a DatasetId cannot be passed where a RunId is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>

namespace tidemill {

template <typename Tag>
struct Id {
  int64_t value = 0;

  friend auto operator<=>(const Id&, const Id&) = default;

  template <typename H>
  friend H AbslHashValue(H hash, const Id& id) {
    return H::combine(std::move(hash), id.value);
  }
};

using DatasetId = Id<struct DatasetTag>;
using FileId = Id<struct FileTag>;
using ModelId = Id<struct ModelTag>;
using PipelineId = Id<struct PipelineTag>;
using RunId = Id<struct RunTag>;
using SampleKey = Id<struct SampleTag>;

}  // namespace tidemill
