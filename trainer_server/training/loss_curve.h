// The loss of a training as a curve of bounded length.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tidemill::trainer_server {

// Keeps at most kMaxPoints points. When they are full, neighbours are merged, and each later point
// stands for twice as many batches. Its content depends only on the added losses, not on
// checkpoints. Thread-compatible.
class LossCurve {
 public:
  static constexpr size_t kMaxPoints = 500;

  struct Point {
    int64_t num_samples = 0;  // Visited so far.
    double loss = 0;          // The mean over the samples since the previous point.
    int64_t num_trained = 0;  // The number of these samples.
    std::optional<double> validation_loss = std::nullopt;

    friend bool operator==(const Point&, const Point&) = default;
  };

  // The whole state, for checkpoints.
  struct State {
    std::vector<Point> points = {};
    int64_t stride = 1;  // The number of batches of a point.
    // Counted since the last point.
    int64_t num_batches = 0;
    int64_t num_trained = 0;
    int64_t num_samples = 0;
    double loss_sum = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  LossCurve() = default;
  explicit LossCurve(State state) : state_(std::move(state)) {}

  // Adds a batch of `num_trained` samples with this mean loss. `num_samples` were visited up to its
  // end.
  void Add(double loss, int64_t num_trained, int64_t num_samples);
  // Adds the current loss on the held-out samples.
  void AddValidation(double loss);

  // Returns the points, and one more for the batches after the last point.
  std::vector<Point> Points() const;
  const State& state() const { return state_; }

 private:
  void Flush();

  State state_;
};

}  // namespace tidemill::trainer_server
