// Ops that change images in training alone.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "transform/engine/draws.h"
#include "transform/engine/images.h"

namespace tidemill::transform {

// Thread-safe, as every op is.
class AugmentingOp : public ImageOp {
 public:
  // Draws differ by the type of the op and its place in the graph.
  AugmentingOp(std::string_view type, int op_index, const ImageSize& size, const BoundColumn& input,
               const BoundColumn& output)
      : ImageOp(input, output), size_(size), purpose_(fmt::format("{} {}", type, op_index)) {}

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    if (frame.context().training) return BlockOp::Run(learned, frame);
    batch::Column same = frame.Get(inputs()[0].slot);
    same.name = outputs()[0].schema.name;
    frame.Set(outputs()[0].slot, std::move(same));
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned> /*learned*/,
                          PortableGraph& graph) const override;

 protected:
  const ImageSize& size() const { return size_; }

  // In training calls body(bits, in, out) for every image that is not bad, with the random bits of
  // its sample. `out` is filled with zeros. Otherwise copies the images.
  template <typename Body>
  absl::Status ChangeImages(const Block& block, Body body) const {
    if (!block.frame.context().training) {
      ForEachImage(block, [&](int64_t /*row*/, const auto* in, auto* out) {
        std::copy(in, in + size_.Numbers(), out);
      });
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const Draws draws, Draws::Of(block.frame, purpose_));
    ForEachImage(block,
                 [&](int64_t row, const auto* in, auto* out) { body(draws.Bits(row), in, out); });
    return absl::OkStatus();
  }

 private:
  const ImageSize size_;
  const std::string purpose_;
};

}  // namespace tidemill::transform
