// State as text and back, exactly: what a policy keeps between two samples is sealed with its run,
// and a run that is resumed goes on as if nothing had happened.
//
// A state is a plain struct that lists its members:
//
//   struct DdmState {
//     int64_t num_samples = 0;
//     double error_rate = 0;
//     void Fields(auto&& field) { field("num_samples", num_samples); field("error_rate",
//     error_rate); } absl::Status Check() const;  // Optional: what a sealed state has to fulfil
//     besides.
//   };
//   const std::string text = SealState(state);
//   ASSIGN_OR_RETURN(state, RestoreState<DdmState>(text));
//
// The text is a JSON object. Numbers are written with as many digits as it takes to read the same
// bits again; members are finite.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/status.h"

namespace tidemill::supervisor::statistics {

class StateWriter {
 public:
  void operator()(std::string_view name, bool value);
  void operator()(std::string_view name, int64_t value);
  void operator()(std::string_view name, double value);
  void operator()(std::string_view name, const std::vector<int64_t>& values);
  void operator()(std::string_view name, const std::vector<double>& values);
  // A state within a state.
  template <typename State>
  requires std::is_class_v<State>
  void operator()(std::string_view name, const State& state) {
    State copy = state;
    StateWriter inner;
    copy.Fields(inner);
    Add(name, inner.Text());
  }

  std::string Text() const { return text_ + "}"; }

 private:
  void Add(std::string_view name, std::string_view value);

  std::string text_ = "{";
};

// Reads members by name and keeps the first mistake.
class StateReader {
 public:
  explicit StateReader(std::string_view text);
  ~StateReader();

  void operator()(std::string_view name, bool& value);
  void operator()(std::string_view name, int64_t& value);
  void operator()(std::string_view name, double& value);
  void operator()(std::string_view name, std::vector<int64_t>& values);
  void operator()(std::string_view name, std::vector<double>& values);
  template <typename State>
  requires std::is_class_v<State>
  void operator()(std::string_view name, State& state) {
    StateReader inner(TextOf(name));
    state.Fields(inner);
    Keep(inner.Finish());
  }

  // DATA_LOSS for a text that is no object, a member that is missing or of another type, and a
  // member that nobody asked for.
  absl::Status Finish() const;

 private:
  struct Object;
  std::string TextOf(std::string_view name);
  void Keep(const absl::Status& status);

  std::unique_ptr<Object> object_;
  absl::Status status_;
  size_t num_read_ = 0;
};

template <typename State>
std::string SealState(State state) {
  StateWriter writer;
  state.Fields(writer);
  return writer.Text();
}

template <typename State>
absl::StatusOr<State> RestoreState(std::string_view text) {
  State state;
  StateReader reader(text);
  state.Fields(reader);
  RETURN_IF_ERROR(reader.Finish());
  if constexpr (requires { state.Check(); }) RETURN_IF_ERROR(state.Check());
  return state;
}

}  // namespace tidemill::supervisor::statistics
