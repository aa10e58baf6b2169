#include "trainer_server/training/loss_curve.h"

namespace tidemill::trainer_server {
namespace {

using Point = LossCurve::Point;

Point Merge(const Point& first, const Point& second) {
  const int64_t num_trained = first.num_trained + second.num_trained;
  const double sum = first.loss * static_cast<double>(first.num_trained) +
                     second.loss * static_cast<double>(second.num_trained);
  return {
      .num_samples = second.num_samples,
      .loss = sum / static_cast<double>(num_trained),
      .num_trained = num_trained,
      .validation_loss = second.validation_loss ? second.validation_loss : first.validation_loss};
}

void MergeNeighbours(std::vector<Point>& points) {
  std::vector<Point> merged;
  for (size_t i = 0; i + 1 < points.size(); i += 2) {
    merged.push_back(Merge(points[i], points[i + 1]));
  }
  if (points.size() % 2 == 1) merged.push_back(points.back());
  points = std::move(merged);
}

}  // namespace

void LossCurve::Add(double loss, int64_t num_trained, int64_t num_samples) {
  if (num_trained == 0) return;
  state_.loss_sum += loss * static_cast<double>(num_trained);
  state_.num_trained += num_trained;
  state_.num_samples = num_samples;
  if (++state_.num_batches == state_.stride) Flush();
}

void LossCurve::AddValidation(double loss) {
  Flush();
  if (!state_.points.empty()) state_.points.back().validation_loss = loss;
}

std::vector<Point> LossCurve::Points() const {
  LossCurve whole = *this;
  whole.Flush();
  return whole.state_.points;
}

void LossCurve::Flush() {
  if (state_.num_trained == 0) return;
  if (state_.points.size() == kMaxPoints) {
    MergeNeighbours(state_.points);
    state_.stride *= 2;
  }
  state_.points.push_back({.num_samples = state_.num_samples,
                           .loss = state_.loss_sum / static_cast<double>(state_.num_trained),
                           .num_trained = state_.num_trained});
  state_.num_batches = 0;
  state_.num_trained = 0;
  state_.loss_sum = 0;
}

}  // namespace tidemill::trainer_server
