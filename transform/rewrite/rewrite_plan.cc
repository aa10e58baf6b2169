#include "transform/rewrite/rewrite_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "base/numbers/thousands.h"
#include "transform/engine/images.h"

namespace tidemill::transform {
namespace {

bool Holds(const std::vector<BoundColumn>& columns, int slot) {
  return std::ranges::any_of(columns,
                             [slot](const BoundColumn& column) { return column.slot == slot; });
}

// Whether each output takes the place of the input with the same index.
bool ReplacesItsInputs(const WrittenOp& op) {
  return std::ranges::equal(op.inputs, op.outputs, {}, &BoundColumn::slot, &BoundColumn::slot);
}

int64_t NumberBytes(const std::vector<BoundColumn>& columns, int slot) {
  const auto found = std::ranges::find(columns, slot, &BoundColumn::slot);
  return static_cast<int64_t>(batch::SizeOf(found->schema.type));
}

// For a column of shape [channels, height, width].
ImageSize SizeOfImages(const BoundColumn& column) {
  const std::vector<int64_t>& shape = column.schema.shape;
  return {.channels = shape[0], .height = shape[1], .width = shape[2]};
}

class Planner {
 public:
  explicit Planner(std::span<const WrittenOp> ops)
      : ops_(ops), plan_(IdentityPlan(ops.size())), order_(plan_.order) {
    KnownNumbers numbers;
    for (const WrittenOp& op : ops_) {
      effects_.push_back(op.op->EffectOn(numbers));
      numbers.Learn(effects_.back(), op.outputs);
    }
  }

  RewritePlan Plan() {
    for (int op = 0; op < std::ssize(ops_); ++op) RemoveIfIdle(op);
    for (int op = 0; op < std::ssize(ops_); ++op) {
      if (effects_[op].kind == OpKind::kLeavesOutRows) MoveFilter(op);
    }
    for (int op = 0; op < std::ssize(ops_); ++op) MovePixels(op);
    for (int op = 0; op < std::ssize(ops_); ++op) ReduceImages(op);
    std::ranges::stable_sort(plan_.rewrites, {}, &Rewrite::op);
    return std::move(plan_);
  }

 private:
  void RemoveIfIdle(int op) {
    const bool is_same = ops_[op].inputs == ops_[op].outputs;
    if (effects_[op].idle.empty() || ops_[op].learns || !is_same) return;
    std::erase(order_, op);
    Note(RewriteKind::kRemoved, op, -1,
         fmt::format("{} is left out: {}", ops_[op].name, effects_[op].idle));
  }

  // As far up as it can go.
  void MoveFilter(int filter) {
    size_t place = PlaceOf(filter);
    int before = -1;
    std::string stays;
    for (; place > 0; --place) {
      const int other = order_[place - 1];
      if (effects_[other].kind == OpKind::kLeavesOutRows) break;
      const bool makes_input = std::ranges::any_of(
          ops_[filter].inputs,
          [&](const BoundColumn& column) { return Holds(ops_[other].outputs, column.slot); });
      if (makes_input) break;
      if (ops_[other].learns) stays = "which learns from the samples that it receives";
      if (stays.empty()) stays = effects_[other].obstacle;
      if (!stays.empty()) {
        NoteStay(filter, other, stays);
        break;
      }
      before = other;
    }
    if (before < 0) return;
    MoveTo(filter, place);
    Note(RewriteKind::kMoved, filter, before,
         fmt::format("{} runs before {}: what is made of a sample that it leaves out is not needed",
                     ops_[filter].name, ops_[before].name));
  }

  // Why an op that moves pixels must not run before one that makes each number. Empty: it may.
  std::string_view ObstacleForPixels(int pixels, int other) const {
    if (ops_[other].learns) return "which learns from whole images";
    if (!effects_[other].obstacle.empty()) return effects_[other].obstacle;
    if (effects_[pixels].adds_zeros && !effects_[other].keeps_zero) {
      return "which would make other numbers of the zeros around the images";
    }
    return {};
  }

  // The bytes that the numbers of a sample's image take in all ops that are concerned. `moved` is
  // the traffic if the op runs before the last of `passed`.
  struct Traffic {
    int64_t written = 0;
    int64_t moved = 0;
  };

  void MovePixels(int pixels) {
    const WrittenOp& own = ops_[pixels];
    if (effects_[pixels].kind != OpKind::kMovesPixels || !ReplacesItsInputs(own)) return;
    const size_t from = PlaceOf(pixels);
    if (from == order_.size()) return;  // It is left out.
    const int slot = own.inputs.front().slot;
    const int64_t width = own.inputs.front().schema.Width();
    const int64_t new_width = own.outputs.front().schema.Width();
    Traffic traffic = {.written = (width + new_width) * NumberBytes(own.inputs, slot)};
    int64_t passed_bytes = 0;  // A number's, in the ops that it has passed.
    std::optional<size_t> best;
    Traffic of_best;
    for (size_t place = from; place > 0; --place) {
      const int other = order_[place - 1];
      const WrittenOp& op = ops_[other];
      const OpEffect& effect = effects_[other];
      // It must not work on more samples.
      if (effect.kind == OpKind::kLeavesOutRows) break;
      if (!Holds(op.inputs, slot) && !Holds(op.outputs, slot)) continue;
      if (effect.kind != OpKind::kEachNumber || !ReplacesItsInputs(op)) break;
      const int64_t read = NumberBytes(op.inputs, slot);
      const int64_t made = NumberBytes(op.outputs, slot);
      const std::string_view obstacle = ObstacleForPixels(pixels, other);
      if (!obstacle.empty()) {
        if (new_width < width || made > read) NoteStay(pixels, other, obstacle);
        break;
      }
      passed_bytes += read + made;
      traffic.written += width * (read + made);
      traffic.moved = new_width * passed_bytes + (width + new_width) * read;
      // How much each place gains, compared with the place as written.
      if (traffic.moved - traffic.written >= of_best.moved - of_best.written) continue;
      best = place - 1;
      of_best = traffic;
    }
    if (!best) return;
    const int before = order_[*best];
    MoveTo(pixels, *best);
    Note(RewriteKind::kMoved, pixels, before,
         fmt::format("{} runs before {}: together they read and make {} bytes of a sample's "
                     "image instead of {}, and the numbers are the same",
                     own.name, ops_[before].name, WithThousands(of_best.moved),
                     WithThousands(of_best.written)));
  }

  // Only where nothing but the scaled images is used.
  void ReduceImages(int maker) {
    if (!effects_[maker].may_reduce) return;
    const BoundColumn& made = ops_[maker].outputs.front();
    const auto next = std::find_if(
        order_.begin() + static_cast<ptrdiff_t>(PlaceOf(maker)) + 1, order_.end(), [&](int op) {
          return Holds(ops_[op].inputs, made.slot) || Holds(ops_[op].outputs, made.slot);
        });
    if (next == order_.end()) return;
    const WrittenOp& scaling = ops_[*next];
    if (!effects_[*next].averages_images || !ReplacesItsInputs(scaling)) return;
    const ImageSize from = SizeOfImages(made);
    const ImageSize to = SizeOfImages(scaling.outputs.front());
    const int eighths = LeastEighths(from, to);
    if (eighths == kEighths) return;
    plan_.reduced.push_back({.op = maker, .eighths = eighths});
    Note(RewriteKind::kReduced, maker, *next,
         fmt::format("{} decodes images at {} x {} pixels instead of {} x {}: {} makes {} x {} of "
                     "them, and `reduced` accepts that they differ a little",
                     ops_[maker].name, ReducedSide(from.height, eighths),
                     ReducedSide(from.width, eighths), from.height, from.width, scaling.name,
                     to.height, to.width));
  }

  size_t PlaceOf(int op) const { return std::ranges::find(order_, op) - order_.begin(); }

  // `place` is not after the op's.
  void MoveTo(int op, size_t place) {
    const auto begin = order_.begin();
    const auto from = begin + static_cast<ptrdiff_t>(PlaceOf(op));
    std::rotate(begin + static_cast<ptrdiff_t>(place), from, from + 1);
  }

  void Note(RewriteKind kind, int op, int beside, std::string reason) {
    plan_.rewrites.push_back(
        {.kind = kind, .op = op, .beside = beside, .reason = std::move(reason)});
  }

  void NoteStay(int op, int beside, std::string_view obstacle) {
    Note(RewriteKind::kStays, op, beside,
         fmt::format("{} stays after {}, {}", ops_[op].name, ops_[beside].name, obstacle));
  }

  const std::span<const WrittenOp> ops_;
  std::vector<OpEffect> effects_;  // One for each op.
  RewritePlan plan_;
  std::vector<int>& order_;
};

}  // namespace

RewritePlan IdentityPlan(size_t num_ops) {
  RewritePlan plan{.order = std::vector<int>(num_ops)};
  std::iota(plan.order.begin(), plan.order.end(), 0);
  return plan;
}

RewritePlan PlanRewrites(std::span<const WrittenOp> ops) { return Planner(ops).Plan(); }

}  // namespace tidemill::transform
