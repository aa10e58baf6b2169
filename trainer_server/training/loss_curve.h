// The loss of a training as a curve of bounded length.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tidemill::trainer_server {

// Keeps at most kMaxPoints points: when they are full, neighbours merge and each later point stands
// for twice as many batches. What it holds depends on what was added alone, in checkpoints and out
// of them. Thread-compatible.
class LossCurve {
 public:
  static constexpr size_t kMaxPoints = 500;

  struct Point {
    int64_t num_samples = 0;  // Visited so far.
    double loss = 0;          // Mean over the samples since the point before.
    int64_t num_trained = 0;  // As many.
    std::optional<double> validation_loss = std::nullopt;

    friend bool operator==(const Point&, const Point&) = default;
  };

  // All there is, for checkpoints.
  struct State {
    std::vector<Point> points = {};
    int64_t stride = 1;  // Batches for each point.
    // Since the last point.
    int64_t num_batches = 0;
    int64_t num_trained = 0;
    int64_t num_samples = 0;
    double loss_sum = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  LossCurve() = default;
  explicit LossCurve(State state) : state_(std::move(state)) {}

  // A batch of `num_trained` samples with that mean loss; `num_samples` were visited until its end.
  void Add(double loss, int64_t num_trained, int64_t num_samples);
  // The loss on the samples held out, now.
  void AddValidation(double loss);

  // The points, with one more for what came since the last.
  std::vector<Point> Points() const;
  const State& state() const { return state_; }

 private:
  void Flush();

  State state_;
};

}  // namespace tidemill::trainer_server
