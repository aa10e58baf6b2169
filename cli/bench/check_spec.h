// The `checks` of an entry of the benchmark suite: the values that its runs must reach.
//
//   checks:
//     - {name: AUC in June, type: value, run: monthly, measure: roc_auc, from: 2013-06-01,
//        to: 2013-07-01, at_least: 0.75}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::cli {

// A span of event time.
struct Span {
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;

  void Fields(auto&& field) {
    field("from", from, "Windows that begin earlier do not count.");
    field("to", to, "Windows that end later do not count.");
  }
};

enum class JudgedModel { kActive, kFirst, kLast };

// The common part of all checks: a name, and the bound of its value.
struct CheckBound {
  std::string name;
  std::optional<double> at_least;
  std::optional<double> at_most;

  void Fields(auto&& field) {
    field("name", name, "What it says, for people.", {.required = true});
    field("at_least", at_least, "The check holds from this value on.");
    field("at_most", at_most, "The check holds up to this value.");
  }
  void Check(config::Problems& problems) const {
    if (at_least.has_value() == at_most.has_value()) {
      problems.Add("", "needs one of `at_least` and `at_most`", "give one bound");
    }
  }
};

// A value of a run.
struct Reading : CheckBound {
  std::string run;
  std::string measure;
  std::string dataset;
  std::string slice;
  JudgedModel of = JudgedModel::kActive;
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;

  void Fields(auto&& field) {
    CheckBound::Fields(field);
    field("run", run, "The run of this entry that is judged.", {.required = true});
    field("measure", measure, "The measure.", {.required = true});
    field("dataset", dataset, "The dataset of the evaluation; by default the first one with it.");
    field("slice", slice,
          "A part of the samples, such as `class=UP`, of the model `first` or `last`.");
    field("of", of, "active: the models in use, window by window. first, last: one model.");
    field("from", from, "Windows that begin earlier do not count.");
    field("to", to, "Windows that end later do not count.");
  }
};

struct ValueCheck : Reading {
  static constexpr std::string_view kType = "value";
  static constexpr std::string_view kDoc = "The value of a measure, over all samples of a span.";
};

struct GainCheck : Reading {
  static constexpr std::string_view kType = "gain";
  static constexpr std::string_view kDoc =
      "By how much the run is better than another run, or than a baseline; negative when worse.";
  std::string over;
  std::string baseline;
  void Fields(auto&& field) {
    Reading::Fields(field);
    field("over", over, "The other run of this entry.");
    field("baseline", baseline, "The baseline, instead of a run: constant, last or persistence.");
  }
  void Check(config::Problems& problems) const {
    CheckBound::Check(problems);
    if (over.empty() == baseline.empty()) {
      problems.Add("", "needs one of `over` and `baseline`", "name what it is compared with");
    }
  }
};

struct WindowsWonCheck : Reading {
  static constexpr std::string_view kType = "windows_won";
  static constexpr std::string_view kDoc =
      "In how many windows the run is better than another one.";
  std::string over;
  void Fields(auto&& field) {
    Reading::Fields(field);
    field("over", over, "The other run of this entry.", {.required = true});
  }
};

struct DecayCheck : CheckBound {
  static constexpr std::string_view kType = "decay";
  static constexpr std::string_view kDoc =
      "By how much the first model of a run is worse in a late span than in an early one.";
  std::string run;
  std::string measure;
  Span early;
  Span late;
  void Fields(auto&& field) {
    CheckBound::Fields(field);
    field("run", run, "The run of this entry that is judged.", {.required = true});
    field("measure", measure, "The measure.", {.required = true});
    field("early", early, "The early span.", {.required = true});
    field("late", late, "The late span.", {.required = true});
  }
};

struct EqualWeightsCheck {
  static constexpr std::string_view kType = "equal_weights";
  static constexpr std::string_view kDoc =
      "How many models of two runs have other weights, of as many as the shorter run has. It holds "
      "at 0.";
  std::string name;
  std::string run;
  std::string over;
  void Fields(auto&& field) {
    field("name", name, "What it says, for people.", {.required = true});
    field("run", run, "One run of this entry.", {.required = true});
    field("over", over, "The other run.", {.required = true});
  }
};

using BenchmarkCheck =
    std::variant<ValueCheck, GainCheck, WindowsWonCheck, DecayCheck, EqualWeightsCheck>;

}  // namespace tidemill::cli

template <>
struct tidemill::config::EnumNames<tidemill::cli::JudgedModel> {
  static constexpr std::pair<tidemill::cli::JudgedModel, std::string_view> kNames[] = {
      {tidemill::cli::JudgedModel::kActive, "active"},
      {tidemill::cli::JudgedModel::kFirst, "first"},
      {tidemill::cli::JudgedModel::kLast, "last"}};
};
