// Selection policies: on which samples to train.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

// Some candidates, in the order of the stream. A column is there where LooksAt() names it.
class Candidates : public Columns {
 public:
  explicit Candidates(const TidemillColumns& columns) : Columns(columns) {}

  std::span<const int64_t> keys() const { return NumbersOf<int64_t>("key").numbers; }
  // Microseconds since 1970, UTC.
  std::span<const int64_t> event_times() const { return NumbersOf<int64_t>("event_times").numbers; }
  // Classes.
  std::span<const int64_t> labels() const { return NumbersOf<int64_t>("labels").numbers; }
  // The inputs of the last layer of the run's newest model.
  Rows<float> embeddings() const { return NumbersOf<float>("embeddings"); }
  // A probability for each class, or the predicted value.
  Rows<float> predictions() const { return NumbersOf<float>("predictions"); }
  // A number of each record.
  std::span<const float> column(const std::string& name) const {
    return NumbersOf<float>("column:" + name).numbers;
  }
};

// Random numbers of keys: a uniform draw of k samples takes the k smallest lots. They follow from
// the seed of the run, the trigger and the key alone.
class Lots {
 public:
  Lots() = default;
  explicit Lots(const TidemillLots& lots)
      : times_(lots.times), flip_(lots.flip), plus_(lots.plus) {}

  uint64_t operator()(int64_t key) const {
    __extension__ typedef unsigned __int128 Product;
    const Product product = static_cast<Product>(times_) * (static_cast<uint64_t>(key) ^ flip_);
    uint64_t bits = plus_ + (static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64));
    bits = (bits ^ bits >> 37) * 0x165667919E3779F9;
    return bits ^ bits >> 32;
  }

 private:
  uint64_t times_ = 0x9E3779B97F4A7C15;
  uint64_t flip_ = 0;
  uint64_t plus_ = 0;
};

// Rows that are chosen: ascending, after all that were chosen before, counted from the first
// candidate. Either all rows of a choice have a weight, or none has.
struct Chosen {
  std::vector<int64_t> rows = {};
  std::vector<float> weights = {};
  // For Choose(): whether to call it for more.
  bool has_more = false;
};

// The call after the last candidate.
struct Wanted {
  int64_t num_candidates = 0;
  // How many samples the pipeline asks for, where it says so.
  std::optional<int64_t> target = std::nullopt;
};

// A policy that sees all candidates once, in pieces, and then chooses. How they are cut into pieces
// must not change the choice.
class Selection : public Instance {
 public:
  static constexpr const char* kKind = "selection";
  using Candidates = plugin::Candidates;
  using Chosen = plugin::Chosen;
  using Lots = plugin::Lots;
  using Wanted = plugin::Wanted;

  // Some of "event_times", "labels", "embeddings", "predictions" and "column:NAME".
  virtual std::vector<std::string> LooksAt() const { return {}; }
  // Whether its weights make the loss over the chosen samples that over all candidates, on average.
  // Does not depend on settings.
  virtual bool IsUnbiased() const { return false; }

  // Takes some candidates. It may return rows that are chosen already.
  virtual Chosen Add(const Candidates& candidates) = 0;
  // Chooses, or chooses the rest after what Add() returned.
  virtual Chosen Choose(const Wanted& wanted) = 0;

  // For this trigger.
  const Lots& lots() const { return lots_; }

  const void* Functions() final;

 private:
  static Selection& Of(void* self) {
    return static_cast<Selection&>(*static_cast<Instance*>(self));
  }

  const char* const* GiveLooks() noexcept {
    const int failed = Attempt("LooksAt", [&] {
      looks_at_ = LooksAt();
      given_looks_.clear();
      for (const std::string& fact : looks_at_) given_looks_.push_back(fact.c_str());
      given_looks_.push_back(nullptr);
    });
    return failed != 0 ? nullptr : given_looks_.data();
  }

  int TakeCandidates(const TidemillColumns& candidates, TidemillChosen& chosen) noexcept {
    return Attempt("Add", [&] {
      SetChosen(Add(Candidates(candidates)));
      GiveRows(chosen_.rows.size(), chosen);
    });
  }

  // A choice that is longer than an answer may be is given in several.
  int GiveChosen(const TidemillWanted& wanted, TidemillChosen& chosen) noexcept {
    return Attempt("Choose", [&] {
      if (!is_choosing_) {
        SetChosen(
            Choose({.num_candidates = wanted.num_candidates,
                    .target = wanted.target < 0 ? std::nullopt : std::optional(wanted.target)}));
      }
      const size_t rest = chosen_.rows.size() - num_given_;
      const size_t count = std::min(rest, static_cast<size_t>(wanted.most_rows));
      GiveRows(count, chosen);
      is_choosing_ = count < rest;
      chosen.is_done = !is_choosing_ && !chosen_.has_more ? 1 : 0;
    });
  }

  void SetChosen(Chosen chosen) {
    if (!chosen.weights.empty() && chosen.weights.size() != chosen.rows.size()) {
      throw std::invalid_argument("it chose " + std::to_string(chosen.rows.size()) + " rows with " +
                                  std::to_string(chosen.weights.size()) + " weights");
    }
    chosen_ = std::move(chosen);
    num_given_ = 0;
  }

  void GiveRows(size_t count, TidemillChosen& chosen) {
    chosen.rows = chosen_.rows.data() + num_given_;
    chosen.weights = chosen_.weights.empty() ? nullptr : chosen_.weights.data() + num_given_;
    chosen.count = count;
    num_given_ += count;
  }

  Lots lots_;
  TidemillSelection functions_ = {};
  // What was given last, until the next call.
  std::vector<std::string> looks_at_;
  std::vector<const char*> given_looks_;
  Chosen chosen_;
  // How many rows of it were given, and whether there are more.
  size_t num_given_ = 0;
  bool is_choosing_ = false;
};

inline const void* Selection::Functions() {
  functions_ = {
      .size = sizeof(TidemillSelection),
      .unbiased = IsUnbiased() ? 1 : 0,
      .looks_at = [](void* self) { return Of(self).GiveLooks(); },
      .begin =
          [](void* self, const TidemillLots* lots) {
            Of(self).lots_ = Lots(*lots);
            return 0;
          },
      .add = [](void* self, const TidemillColumns* candidates,
                TidemillChosen* chosen) { return Of(self).TakeCandidates(*candidates, *chosen); },
      .choose = [](void* self, const TidemillWanted* wanted,
                   TidemillChosen* chosen) { return Of(self).GiveChosen(*wanted, *chosen); }};
  return &functions_;
}

}  // namespace tidemill::plugin
