#include "models/script_arguments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace tidemill::models {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;
using c10::TypeKind;

TypeKind KindOf(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto* const optional = type->castRaw<c10::OptionalType>())
    type = optional->getElementType();
  // Operators of the language have whole numbers there.
  if (type->kind() == TypeKind::IntType && argument.name() == "dtype")
    return TypeKind::ScalarTypeType;
  return type->kind();
}

// Steps and sizes of windows, which libtorch multiplies with one another.
bool IsOfWindow(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  constexpr std::string_view kNames[] = {"stride", "padding", "dilation", "kernel_size",
                                         "output_padding"};
  return std::ranges::find(kNames, argument.name()) != std::end(kNames) &&
         argument.type()->kind() == TypeKind::ListType &&
         !std::string_view(schema.name()).starts_with("aten::as_strided");
}

std::string RefusalOfWindow(const c10::Argument& argument, const c10::IValue& value) {
  constexpr int64_t kMost = int64_t{1} << 14;
  if (!value.isIntList()) return {};
  for (const int64_t number : value.toIntVector()) {
    if (number < -kMost || number > kMost) {
      return fmt::format("{} is {}, which is beyond {}", argument.name(), number, kMost);
    }
  }
  return {};
}

bool IsNumbersType(int64_t number) {
  // The types of quantised tensors are between them.
  return (number >= static_cast<int64_t>(c10::kByte) &&
          number <= static_cast<int64_t>(c10::kBool)) ||
         number == static_cast<int64_t>(c10::kBFloat16);
}

}  // namespace

bool IsLimited(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  const TypeKind kind = KindOf(argument);
  return IsOfWindow(schema, argument) || kind == TypeKind::ScalarTypeType ||
         kind == TypeKind::LayoutType || kind == TypeKind::MemoryFormatType ||
         kind == TypeKind::DeviceObjType;
}

// libtorch uses these numbers as places in its tables.
std::string RefusalOf(const c10::FunctionSchema& schema, const c10::Argument& argument,
                      const c10::IValue& value) {
  if (value.isNone()) return {};
  if (IsOfWindow(schema, argument)) return RefusalOfWindow(argument, value);
  const TypeKind kind = KindOf(argument);
  if (value.isDevice()) {
    const auto device = value.toDevice().type();
    if (device == c10::kCPU || device == c10::kCUDA) return {};
    return fmt::format("{} is neither a CPU nor a GPU", argument.name());
  }
  if (!value.isInt()) return {};
  const int64_t number = value.toInt();
  const bool is_good = kind == TypeKind::ScalarTypeType ? IsNumbersType(number)
                       : kind == TypeKind::LayoutType
                           ? number == static_cast<int64_t>(c10::kStrided)
                       : kind == TypeKind::MemoryFormatType ? number >= 0 && number < 4
                                                            : true;
  if (is_good) return {};
  return fmt::format("{} is {}, which is not among {}", argument.name(), number,
                     kind == TypeKind::ScalarTypeType ? "the types of numbers"
                     : kind == TypeKind::LayoutType   ? "the layouts (torch.strided)"
                                                      : "the orders of memory");
}

namespace {

// (input, batch_sizes, batch_first, padding_value, total_length): the lengths of the sequences are
// counted from them.
std::string RefusalOfBatchSizes(Arguments arguments) {
  const torch::Tensor& data = arguments[0].toTensor();
  const torch::Tensor& sizes = arguments[1].toTensor();
  constexpr const char* kWrong = "batch_sizes are not those of a packed sequence";
  const bool is_row = sizes.dim() == 1 && sizes.scalar_type() == c10::kLong &&
                      sizes.device().is_cpu() && data.dim() > 0;
  if (!is_row) return kWrong;
  const torch::Tensor row = sizes.contiguous();
  const auto* const numbers = row.data_ptr<int64_t>();
  int64_t rest = data.size(0);
  for (int64_t i = 0; i < row.numel(); ++i) {
    const bool is_good =
        numbers[i] > 0 && numbers[i] <= rest && (i == 0 || numbers[i] <= numbers[i - 1]);
    if (!is_good) return kWrong;
    rest -= numbers[i];
  }
  return rest == 0 && row.numel() > 0 ? std::string() : kWrong;
}

// (v, g, dim): one number of g for each slice of v.
std::string RefusalOfWeightNorm(Arguments arguments) {
  const torch::Tensor& direction = arguments[0].toTensor();
  const torch::Tensor& length = arguments[1].toTensor();
  const int64_t dim = arguments[2].toInt();
  const bool is_good = direction.numel() > 0 && direction.scalar_type() == length.scalar_type() &&
                       dim >= -1 && dim < direction.dim() &&
                       (dim == -1 || length.numel() == direction.size(dim));
  return is_good ? std::string() : "g does not have one number for each slice of v";
}

// (self, size, stride, storage_offset): after the numbers of `self` there may be uninitialised
// memory.
std::string RefusalOfStrides(Arguments arguments) {
  const torch::Tensor& self = arguments[0].toTensor();
  const auto sizes = arguments[1].toIntVector();
  const auto strides = arguments[2].toIntVector();
  const int64_t begin = arguments[3].isNone() ? self.storage_offset() : arguments[3].toInt();
  constexpr const char* kWrong = "size and stride lead out of the tensor";
  if (sizes.size() != strides.size() || !self.is_non_overlapping_and_dense()) return kWrong;
  int64_t last = begin - self.storage_offset();
  if (last < 0 || last > self.numel()) return kWrong;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return {};
    // No product below can be larger than what 64 bits hold.
    constexpr int64_t kMost = int64_t{1} << 31;
    if (sizes[i] < 0 || strides[i] < 0 || sizes[i] > kMost || strides[i] > kMost) return kWrong;
    last += (sizes[i] - 1) * strides[i];
    if (last >= self.numel()) return kWrong;
  }
  return last < self.numel() ? std::string() : kWrong;
}

// (input, size, scale_factor, ...), each a list or a number.
std::string RefusalOfScales(Arguments arguments) {
  for (const auto& argument : arguments.slice(1, std::min<size_t>(2, arguments.size() - 1))) {
    if (argument.isList() && argument.toListRef().empty())
      return "a list of sizes or scales is empty";
  }
  return {};
}

// (a, b), whole numbers: the processor ends the program.
std::string RefusalOfDivision(Arguments arguments) {
  if (!arguments[0].isInt() || !arguments[1].isInt()) return {};
  const int64_t by = arguments[1].toInt();
  if (by == 0) return "a division by zero";
  const bool is_too_large = by == -1 && arguments[0].toInt() == std::numeric_limits<int64_t>::min();
  return is_too_large ? "a quotient that is too large" : std::string();
}

// (query, key, value, ...): each query meets all keys, each key has one value.
std::string RefusalOfAttention(Arguments arguments) {
  const torch::Tensor& query = arguments[0].toTensor();
  const torch::Tensor& key = arguments[1].toTensor();
  const torch::Tensor& value = arguments[2].toTensor();
  for (const torch::Tensor& tensor : {query, key, value}) {
    if (tensor.dim() < 2 || tensor.numel() == 0) return "the attention of nothing";
  }
  const bool is_good = query.size(-1) == key.size(-1) && key.size(-2) == value.size(-2) &&
                       query.scalar_type() == key.scalar_type() &&
                       key.scalar_type() == value.scalar_type();
  return is_good ? std::string() : "query, key and value do not fit one another";
}

// (pad, ...): what is cut off is not counted.
std::string RefusalOfPadding(Arguments arguments) {
  const bool is_circular = arguments[2].isString() && arguments[2].toStringRef() == "circular";
  if (!is_circular) return {};
  const auto pad = arguments[1].toIntVector();
  const bool is_good = std::ranges::none_of(pad, [](int64_t count) { return count < 0; });
  return is_good ? std::string() : "a circular padding cuts off";
}

// Tensors of rows of different lengths: few operators look at what they are given.
std::string RefusalOfNested(Arguments /*arguments*/) {
  return "nested tensors are not supported (make the encoder with enable_nested_tensor=False)";
}

// (input, grid, interpolation_mode, padding_mode, align_corners): other modes fill nothing.
std::string RefusalOfSampler(Arguments arguments) {
  for (const size_t mode : {2, 3}) {
    if (arguments[mode].toInt() < 0 || arguments[mode].toInt() > 2) {
      return "a mode that does not exist";
    }
  }
  if (arguments[3].toInt() == 0) return {};
  // Padded by what is in the image, no place is compared with its border again.
  const torch::Tensor grid = arguments[1].toTensor().detach().abs();
  constexpr double kMost = 1e6;
  const bool is_good = grid.numel() == 0 || grid.max().to(c10::kDouble).item<double>() < kMost;
  return is_good ? std::string() : "a grid with NaN or with places beyond 1e6";
}

// (weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
// include_last_offset, ...): where each bag begins.
std::string RefusalOfBags(Arguments arguments) {
  const torch::Tensor& indices = arguments[1].toTensor();
  const torch::Tensor offsets = arguments[2].toTensor().to(c10::kLong).contiguous();
  const bool has_last = arguments.size() > 7 && arguments[7].isBool() && arguments[7].toBool();
  constexpr const char* kWrong = "offsets do not ascend from 0 to the number of indices";
  if (indices.dim() != 1 || offsets.dim() != 1) return kWrong;
  const auto* const numbers = offsets.data_ptr<int64_t>();
  const int64_t count = offsets.numel();
  if (count < (has_last ? 2 : 1) || numbers[0] != 0) return kWrong;
  if (!std::is_sorted(numbers, numbers + count)) return kWrong;
  if (numbers[count - 1] > indices.numel()) return kWrong;
  return has_last && numbers[count - 1] != indices.numel() ? kWrong : std::string();
}

// (self, target, ...): the result has the size of the one and is filled by the other.
std::string RefusalOfTarget(Arguments arguments) {
  const bool is_good = arguments[0].toTensor().sizes() == arguments[1].toTensor().sizes();
  return is_good ? std::string() : "the target has another size than the input";
}

// (self, ...): of no numbers nothing is written.
std::string RefusalOfNothing(Arguments arguments) {
  return arguments[0].toTensor().numel() > 0 ? std::string() : "a loss over nothing";
}

// The layers of an operator with recurrence. libtorch takes as many parameters as it needs, and the
// sizes of the first ones for those of all.
class Layers {
 public:
  Layers(const c10::FunctionSchema& schema, Arguments arguments)
      : schema_(schema), arguments_(arguments) {
    gates_ = schema.name() == "aten::lstm" ? 4 : schema.name() == "aten::gru" ? 3 : 1;
    directions_ = Of("bidirectional").toBool() ? 2 : 1;
    params_ = Of("params").toTensorVector();
    hidden_ = Of("hx").isTensorList() ? Of("hx").toTensorVector()
                                      : std::vector<torch::Tensor>{Of("hx").toTensor()};
  }

  std::string Refusal() const {
    const bool has_steps = schema_.argumentIndexWithName("batch_sizes").has_value();
    const torch::Tensor& input = arguments_[0].toTensor();
    if (has_steps) {
      std::string refusal = RefusalOfBatchSizes(arguments_);
      if (!refusal.empty()) return refusal;
    }
    if (input.dim() != (has_steps ? 2 : 3)) return "the input has another number of dimensions";
    const int64_t batch = has_steps ? arguments_[1].toTensor()[0].item<int64_t>()
                                    : input.size(Of("batch_first").toBool() ? 0 : 1);
    const int64_t layers = Of("num_layers").toInt();
    if (hidden_.size() != (gates_ == 4 ? 2 : 1) || layers <= 0 || layers > std::ssize(params_)) {
      return "hx or num_layers are not those of the layers";
    }
    for (const torch::Tensor& state : hidden_) {
      if (state.dim() != 3 || state.size(0) != layers * directions_ || state.size(1) != batch) {
        return "hx have not the sizes of the layers";
      }
    }
    return HasParams(layers, input) ? std::string() : "params have not the sizes of the layers";
  }

 private:
  const c10::IValue& Of(const std::string& name) const {
    return arguments_[static_cast<size_t>(*schema_.argumentIndexWithName(name))];
  }

  bool HasParams(int64_t layers, const torch::Tensor& input) const {
    const int64_t made = hidden_.front().size(2);
    const int64_t inside = hidden_.back().size(2);
    const int64_t rows = gates_ * inside;
    std::vector<std::vector<int64_t>> sizes;
    for (int64_t i = 0; i < layers * directions_; ++i) {
      const int64_t taken = i < directions_ ? input.size(-1) : made * directions_;
      sizes.push_back({rows, taken});
      sizes.push_back({rows, made});
      if (Of("has_biases").toBool()) sizes.insert(sizes.end(), 2, {rows});
      if (made != inside) sizes.push_back({made, inside});
    }
    return std::ranges::equal(sizes, params_, [&](const auto& size, const torch::Tensor& param) {
      return param.sizes() == at::IntArrayRef(size) && param.scalar_type() == input.scalar_type();
    });
  }

  const c10::FunctionSchema& schema_;
  const Arguments arguments_;
  int64_t gates_ = 0;
  int64_t directions_ = 1;
  std::vector<torch::Tensor> params_;
  std::vector<torch::Tensor> hidden_;
};

// (self, output_size, ..., scales_h, scales_w): places are counted from a scale, if there is one.
std::string RefusalOfScaling(const c10::FunctionSchema& schema, Arguments arguments) {
  if (!arguments[1].isIntList()) return {};
  const auto shape = arguments[0].toTensor().sizes();
  const auto sizes = arguments[1].toIntVector();
  size_t dimension = 0;
  for (size_t i = 2; i < arguments.size(); ++i) {
    if (!schema.arguments()[i].name().starts_with("scales")) continue;
    const size_t place = dimension++;
    if (!arguments[i].isDouble()) continue;
    const bool is_good = place < sizes.size() && place + 2 < shape.size() &&
                         std::floor(static_cast<double>(shape[place + 2]) *
                                    arguments[i].toDouble()) == static_cast<double>(sizes[place]);
    if (!is_good) return "a scale that does not lead to output_size";
  }
  return {};
}

// (..., num_heads, ...)
std::string RefusalOfHeads(const c10::FunctionSchema& schema, Arguments arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool is_count = schema.arguments()[i].name().starts_with("num_head");
    if (is_count && arguments[i].toInt() <= 0) return "there is no head";
  }
  return {};
}

// To a copy of no type.
std::string RefusalOfCopy(const c10::FunctionSchema& schema, Arguments arguments) {
  bool has_type = true;
  bool copies = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = schema.arguments()[i].name();
    if (name == "dtype") has_type = !arguments[i].isNone();
    if (name == "copy") copies = arguments[i].isBool() && arguments[i].toBool();
  }
  return copies && !has_type ? "a copy without a dtype (write .clone())" : std::string();
}

struct Rule {
  std::string_view name;
  std::string (*refusal)(Arguments);
};

constexpr Rule kRules[] = {
    {"aten::_pad_packed_sequence", &RefusalOfBatchSizes},
    {"aten::_weight_norm", &RefusalOfWeightNorm},
    {"aten::as_strided", &RefusalOfStrides},
    {"aten::as_strided_", &RefusalOfStrides},
    {"aten::__interpolate", &RefusalOfScales},
    {"aten::__upsample", &RefusalOfScales},
    {"aten::__upsample_bilinear", &RefusalOfScales},
    {"aten::__upsample_nearest", &RefusalOfScales},
    {"aten::remainder", &RefusalOfDivision},
    {"aten::floordiv", &RefusalOfDivision},
    {"aten::__round_to_zero_floordiv", &RefusalOfDivision},
    {"aten::divmod", &RefusalOfDivision},
    {"aten::binary_cross_entropy", &RefusalOfTarget},
    {"aten::soft_margin_loss", &RefusalOfTarget},
    {"aten::embedding_bag", &RefusalOfBags},
    {"aten::grid_sampler", &RefusalOfSampler},
    {"aten::grid_sampler_2d", &RefusalOfSampler},
    {"aten::grid_sampler_3d", &RefusalOfSampler},
    {"aten::multilabel_margin_loss", &RefusalOfNothing},
    {"aten::multilabel_margin_loss_forward", &RefusalOfNothing},
    {"aten::pad", &RefusalOfPadding},
    {"aten::_nested_tensor_from_mask", &RefusalOfNested},
    {"aten::scaled_dot_product_attention", &RefusalOfAttention},
};

// Rules that look at names.
using SchemaRule = std::string (*)(const c10::FunctionSchema&, Arguments);

SchemaRule SchemaRuleOf(const c10::FunctionSchema& schema) {
  constexpr std::string_view kLayers[] = {"aten::lstm", "aten::gru", "aten::rnn_tanh",
                                          "aten::rnn_relu"};
  constexpr std::string_view kHeads[] = {"aten::_native_multi_head_attention",
                                         "aten::_transformer_encoder_layer_fwd"};
  const auto is_in = [&](const auto& names) {
    return std::ranges::find(names, schema.name()) != std::end(names);
  };
  if (is_in(kLayers)) {
    return [](const c10::FunctionSchema& of, Arguments arguments) {
      return Layers(of, arguments).Refusal();
    };
  }
  if (is_in(kHeads)) return &RefusalOfHeads;
  const std::string_view name = schema.name();
  if (name.starts_with("aten::upsample_") || name.starts_with("aten::_upsample_")) {
    return &RefusalOfScaling;
  }
  const bool is_copy = schema.name() == "aten::to" && schema.overload_name().starts_with("prim_");
  return is_copy ? &RefusalOfCopy : nullptr;
}

}  // namespace

bool DependsOnArguments(const c10::FunctionSchema& schema) {
  return SchemaRuleOf(schema) != nullptr ||
         std::ranges::any_of(kRules, [&](const Rule& rule) { return rule.name == schema.name(); });
}

bool NeedsCheck(const c10::FunctionSchema& schema) {
  return DependsOnArguments(schema) ||
         std::ranges::any_of(schema.arguments(), [&](const c10::Argument& argument) {
           return IsLimited(schema, argument);
         });
}

std::string RefusalOf(const c10::FunctionSchema& schema, Arguments arguments) {
  const size_t count = std::min(schema.arguments().size(), arguments.size());
  for (size_t i = 0; i < count; ++i) {
    std::string refusal = RefusalOf(schema, schema.arguments()[i], arguments[i]);
    if (!refusal.empty()) return refusal;
  }
  for (const Rule& rule : kRules) {
    if (rule.name == schema.name()) return rule.refusal(arguments);
  }
  const SchemaRule rule = SchemaRuleOf(schema);
  return rule == nullptr ? std::string() : rule(schema, arguments);
}

}  // namespace tidemill::models
