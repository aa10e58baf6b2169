// Rows whose bytes follow from the keys of their samples, for tests of stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gtest/gtest.h"

#include "base/time.h"
#include "prepared/prepared_samples.h"

namespace tidemill::prepared::testing {

inline constexpr Duration kWeek{int64_t{7} * 24 * 3600 * 1'000'000};

inline constexpr int64_t kWidth = 15;

inline RowColumns Columns(int64_t width = kWidth) {
  return {{.name = "kept 0", .type = batch::DataType::kUInt8, .shape = {width / 5, 5}},
          {.name = "kept 1", .type = batch::DataType::kInt64}};
}

inline std::byte ByteOf(int64_t key, size_t at) {
  return static_cast<std::byte>(key * 31 + static_cast<int64_t>(at));
}

inline NamedRows RowsOf(std::span<const SampleName> names, int64_t width = kWidth) {
  NamedRows rows;
  rows.Resize(std::ssize(names), Columns(width));
  for (size_t i = 0; i < names.size(); ++i) {
    rows.states[i] = RowState::kGood;
    rows.facts[i] = {.event_time = names[i].key * 7, .has_class = true, .class_label = 3};
    for (size_t at = 0; at < static_cast<size_t>(width); ++at) {
      rows.data[0].mutable_data()[i * static_cast<size_t>(width) + at] = ByteOf(names[i].key, at);
    }
    rows.data[1].MutableAs<int64_t>()[i] = -names[i].key;
  }
  return rows;
}

inline std::vector<SampleName> Names(int64_t from, int64_t to) {
  std::vector<SampleName> names;
  for (int64_t key = from; key < to; ++key) {
    names.push_back({key, static_cast<uint64_t>(key * 1000 + 1)});
  }
  return names;
}

// Finds rows, and expects that those found are right.
inline NamedRows Find(PreparedSamples& samples, std::span<const SampleName> names,
                      int64_t width = kWidth) {
  NamedRows rows;
  rows.Resize(std::ssize(names), Columns(width));
  samples.Find(names, rows);
  for (size_t i = 0; i < names.size(); ++i) {
    if (rows.states[i] != RowState::kGood) continue;
    EXPECT_EQ(rows.facts[i].event_time, names[i].key * 7);
    EXPECT_EQ(rows.data[1].As<int64_t>()[i], -names[i].key);
    for (size_t at = 0; at < static_cast<size_t>(width); ++at) {
      EXPECT_EQ(rows.data[0].data()[i * static_cast<size_t>(width) + at], ByteOf(names[i].key, at));
    }
  }
  return rows;
}

}  // namespace tidemill::prepared::testing
