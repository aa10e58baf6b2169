// Formats: the records of a file, and what they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

// A piece of a file. Pieces are cut anywhere. Valid during the call that it was given to.
struct Piece {
  std::string_view bytes;
  // Where the piece begins in the file.
  int64_t offset = 0;
  // Whether nothing follows, now or later.
  bool is_last = false;
  // The first bytes of the file: HeadBytes() of them, or the whole file.
  std::string_view head;
};

// The whole records of a piece. A format calls Add() for each, in order, and then what it knows of
// the record that was added last. Records have labels and event times all, or some, or never.
class Records {
 public:
  // A record is [begin, end) in the piece. It is not empty, and follows the one before.
  void Add(size_t begin, size_t end) {
    begins_.push_back(static_cast<int64_t>(begin));
    ends_.push_back(static_cast<int64_t>(end));
  }
  // All labels of a format are classes, or all are real.
  void SetClassLabel(int64_t label) { SetLast(class_labels_, has_label_, label); }
  void SetRealLabel(double label) { SetLast(real_labels_, has_label_, label); }
  // Microseconds since 1970, UTC.
  void SetEventTime(int64_t time) { SetLast(event_times_, has_event_time_, time); }
  // The record is not a sample.
  void Reject(std::string why) { bad_.push_back({begins_.size() - 1, std::move(why)}); }
  // Bytes of the piece that are done with. The others are given again, with those that follow.
  // Without this it is the end of the last record.
  void SetConsumed(size_t bytes) { consumed_ = bytes; }

  size_t size() const { return begins_.size(); }

  // The rest is for the wrapper.
  void Clear() {
    for (std::vector<int64_t>* values : {&begins_, &ends_, &class_labels_, &event_times_}) {
      values->clear();
    }
    real_labels_.clear();
    has_label_.clear();
    has_event_time_.clear();
    bad_.clear();
    consumed_.reset();
  }
  void Give(TidemillRecords& records) {
    if (!class_labels_.empty() && !real_labels_.empty()) {
      throw std::logic_error("labels are classes or real numbers, not both");
    }
    records.count = size();
    records.begins = begins_.data();
    records.ends = ends_.data();
    records.class_labels = Filled(class_labels_);
    records.real_labels = Filled(real_labels_);
    records.has_label = records.class_labels == nullptr && records.real_labels == nullptr
                            ? nullptr
                            : Filled(has_label_);
    records.event_times = Filled(event_times_);
    records.has_event_time = Filled(has_event_time_);
    const size_t end = ends_.empty() ? 0 : static_cast<size_t>(ends_.back());
    records.consumed = consumed_.value_or(end);
    for (const Bad& bad : bad_) records.reject(&records, bad.record, bad.why.c_str());
  }

 private:
  struct Bad {
    size_t record;
    std::string why;
  };

  template <typename Value>
  void SetLast(std::vector<Value>& values, std::vector<uint8_t>& has, Value value) {
    values.resize(size());
    has.resize(size());
    values.back() = value;
    has.back() = 1;
  }
  // For each record; NULL for what none has.
  template <typename Value>
  const Value* Filled(std::vector<Value>& values) const {
    if (values.empty()) return nullptr;
    values.resize(size());
    return values.data();
  }

  std::vector<int64_t> begins_, ends_;
  std::vector<int64_t> class_labels_;
  std::vector<double> real_labels_;
  std::vector<int64_t> event_times_;
  std::vector<uint8_t> has_label_, has_event_time_;
  std::vector<Bad> bad_;
  std::optional<size_t> consumed_;
};

class Format : public Instance {
 public:
  static constexpr const char* kKind = "format";
  using Piece = plugin::Piece;
  using Records = plugin::Records;

  // The first bytes of a file that Read() wants to see beside each piece: at most 1 MiB. Does not
  // depend on settings.
  virtual size_t HeadBytes() const { return 0; }

  // Adds the whole records of a piece. What it says about a record must not depend on how the file
  // is cut into pieces, nor on what it was asked before: reading continues in the middle of a file.
  virtual void Read(const Piece& piece, Records& records) const = 0;

  const void* Functions() final;

 private:
  static Format& Of(void* self) { return static_cast<Format&>(*static_cast<Instance*>(self)); }

  int GiveRecords(const TidemillPiece& piece, TidemillRecords& records) noexcept {
    return Attempt("Read", [&] {
      records_.Clear();
      Read({.bytes = {static_cast<const char*>(piece.data), piece.num_bytes},
            .offset = piece.offset,
            .is_last = piece.is_last != 0,
            .head = {static_cast<const char*>(piece.head), piece.num_head_bytes}},
           records_);
      records_.Give(records);
    });
  }

  TidemillFormat functions_ = {};
  Records records_;
};

inline const void* Format::Functions() {
  functions_ = {.size = sizeof(TidemillFormat),
                .num_head_bytes = HeadBytes(),
                .read = [](void* self, const TidemillPiece* piece, TidemillRecords* records) {
                  return Of(self).GiveRecords(*piece, *records);
                }};
  return &functions_;
}

}  // namespace tidemill::plugin
