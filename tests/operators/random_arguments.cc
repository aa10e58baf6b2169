#include "tests/operators/random_arguments.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string>

#include "torch/version.h"

#include "tests/operators/recipes.h"

namespace tidemill::operators {
namespace {

constexpr int64_t kMaxNumbers = 20000;
constexpr int kNumTypes = 16;

// Arguments that are places in another tensor.
bool IsPlace(std::string_view name) {
  for (const std::string_view part : {"ind", "target", "offset", "length", "batch_sizes", "pivots",
                                      "sorter", "repeats", "mask", "bag", "idx"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool IsType(const c10::TypePtr& type, c10::TypeKind kind) { return type->kind() == kind; }

template <typename List>
const auto& OneOf(Random& random, const List& list) {
  return list[random() % list.size()];
}

}  // namespace

RandomArguments::RandomArguments(uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15 + 1) {
  for (int i = 0; i < 3; ++i) sizes_.push_back(Size());
  dimensions_ = static_cast<size_t>(Below(5));
  constexpr std::array kTypes = {c10::kFloat, c10::kFloat, c10::kFloat,    c10::kDouble,
                                 c10::kLong,  c10::kInt,   c10::kBFloat16, c10::kComplexFloat,
                                 c10::kFloat, c10::kHalf,  c10::kFloat,    c10::kByte};
  type_ = OneOf(random_, kTypes);
}

bool RandomArguments::Chance(int percent) { return Below(100) < percent; }
int64_t RandomArguments::Below(int64_t end) {
  return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
}

int64_t RandomArguments::Size() {
  constexpr std::array<int64_t, 16> kSizes = {1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33, 0, 65};
  return OneOf(random_, kSizes);
}

int64_t RandomArguments::Whole(std::string_view name) {
  constexpr std::array<int64_t, 20> kExtremes = {std::numeric_limits<int64_t>::min(),
                                                 std::numeric_limits<int64_t>::max(),
                                                 -1,
                                                 -2,
                                                 -3,
                                                 1 << 20,
                                                 int64_t{1} << 31,
                                                 (int64_t{1} << 31) - 1,
                                                 -(int64_t{1} << 31),
                                                 int64_t{1} << 32,
                                                 (int64_t{1} << 32) + 1,
                                                 int64_t{1} << 62,
                                                 -(int64_t{1} << 62),
                                                 1000,
                                                 -1000,
                                                 100000,
                                                 -100000,
                                                 255,
                                                 65536,
                                                 int64_t{1} << 40};
  if (name.find("type") != std::string_view::npos && Chance(80)) return Below(kNumTypes);
  if (name.find("format") != std::string_view::npos && Chance(90)) return Below(4);
  if (name == "layout" && Chance(90)) return 0;
  if (name == "reduction") return Chance(90) ? Below(3) : Whole("");
  if (Chance(8)) return OneOf(random_, kExtremes);
  if (name.find("dim") != std::string_view::npos || name == "axis") return Below(6) - 3;
  if (Chance(30)) return OneOf(random_, sizes_);
  if (Chance(10)) return -Below(20);
  return Chance(60) ? Below(4) : Below(40);
}

double RandomArguments::Real() {
  constexpr std::array kReals = {0.0,
                                 1.0,
                                 0.5,
                                 -1.0,
                                 1e-5,
                                 0.1,
                                 2.0,
                                 -0.5,
                                 1e30,
                                 -1e300,
                                 1e-310,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  if (Chance(70)) return OneOf(random_, std::array{0.0, 1.0, 0.5, 0.1, 2.0, 1e-5});
  return OneOf(random_, kReals);
}

std::string RandomArguments::Text(std::string_view name) {
  constexpr std::array<const char*, 40> kTexts = {
      "mean",     "sum",   "none",    "bilinear", "nearest",   "reflect",  "constant", "replicate",
      "circular", "ij",    "xy",      "linear",   "lower",     "higher",   "midpoint", "prod",
      "amax",     "amin",  "fro",     "nuc",      "reduced",   "complete", "r",        "L",
      "U",        "N",     "tanh",    "trunc",    "floor",     "left",     "right",    "same",
      "valid",    "ortho", "forward", "backward", "ab,bc->ac", "...i,ij",  "%s {} %d", "i,i"};
  if (name == "driver") return OneOf(random_, std::array{"gelsd", "gelsy", "gels", "gesvd"});
  if (Chance(80)) return OneOf(random_, kTexts);
  std::string text;
  for (int64_t i = Below(30); i > 0; --i) text.push_back(static_cast<char>(1 + Below(126)));
  return text;
}

std::vector<int64_t> RandomArguments::Shape(std::string_view name) {
  size_t dimensions = dimensions_;
  if (!Chance(70)) dimensions = static_cast<size_t>(Below(6));
  if (name == "bias" || name.starts_with("running") || name.find("batch_sizes") == 0 ||
      name == "offsets" || name.find("length") != std::string_view::npos) {
    if (Chance(80)) dimensions = 1;
  }
  std::vector<int64_t> shape;
  int64_t numbers = 1;
  for (size_t i = 0; i < dimensions; ++i) {
    int64_t size = Chance(75) ? sizes_[(i + (Chance(80) ? 0 : 1)) % sizes_.size()] : Size();
    if (numbers * size > kMaxNumbers) size = 1;
    numbers *= std::max<int64_t>(size, 1);
    shape.push_back(size);
  }
  return shape;
}

c10::ScalarType RandomArguments::TypeOf(std::string_view name) {
  if (IsPlace(name) && Chance(85)) return Chance(80) ? c10::kLong : c10::kInt;
  if (Chance(80)) return type_;
  constexpr std::array kTypes = {
      c10::kFloat, c10::kDouble, c10::kHalf,         c10::kBFloat16,     c10::kLong, c10::kInt,
      c10::kShort, c10::kChar,   c10::kByte,         c10::kBool,         c10::kLong, c10::kFloat,
      c10::kFloat, c10::kDouble, c10::kComplexFloat, c10::kComplexDouble};
  return OneOf(random_, kTypes);
}

torch::Tensor RandomArguments::Numbers(const std::vector<int64_t>& shape, c10::ScalarType type,
                                       std::string_view name) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  torch::Tensor made = torch::zeros({count}, c10::kDouble);
  if (c10::isIntegralType(type, true)) {
    made = torch::zeros({count}, c10::kLong);
    auto* const numbers = made.data_ptr<int64_t>();
    // Most tensors have only places that exist.
    const bool is_tame = Chance(IsPlace(name) ? 65 : 50);
    const int64_t end = is_tame ? std::max<int64_t>(1, Chance(50) ? OneOf(random_, sizes_) : 2) : 1;
    for (int64_t i = 0; i < count; ++i) numbers[i] = is_tame ? Below(end) : Whole(name);
    if (count > 0 && Chance(20)) numbers[Below(count)] = Whole(name);
    if (Chance(15)) return std::get<0>(made.sort()).to(type).reshape(shape);
  } else {
    auto* const numbers = made.data_ptr<double>();
    const bool is_tame = Chance(85);
    for (int64_t i = 0; i < count; ++i) {
      numbers[i] = is_tame ? static_cast<double>(Below(2000) - 1000) / 500 : Real();
    }
    if (count > 0 && Chance(10)) numbers[Below(count)] = Real();
  }
  return made.to(type).reshape(shape);
}

torch::Tensor RandomArguments::Plain(const std::vector<int64_t>& shape, c10::ScalarType type,
                                     std::string_view name) {
  torch::Tensor made = Numbers(shape, type, name);
  const int64_t dimensions = made.dim();
  switch (dimensions == 0 ? 0 : Below(12)) {
    case 0:  // With other strides.
      if (dimensions > 1)
        made = made.transpose(0, dimensions - 1).contiguous().transpose(0, dimensions - 1);
      break;
    case 1:  // Each second one of a larger tensor.
      made = torch::stack({made, made}, dimensions).select(dimensions, Below(2));
      break;
    case 2:  // Behind others.
      made = torch::cat({made, made}, 0).narrow(0, made.size(0), made.size(0));
      break;
    case 3:  // Stretched.
      if (made.size(0) > 0) made = made.narrow(0, 0, 1).expand_as(made);
      break;
    case 4:
      if (dimensions == 4) made = made.contiguous(c10::MemoryFormat::ChannelsLast);
      break;
    default:
      break;
  }
  if (made.is_complex() && Chance(20)) made = Chance(50) ? made.conj() : made._neg_view();
  return made;
}

torch::Tensor RandomArguments::MakeTensor(std::string_view name) {
  if (!made_.empty() && Chance(6)) return OneOf(random_, made_);
  const std::vector<int64_t> shape = Shape(name);
  torch::Tensor made = Plain(shape, TypeOf(name), name);
  const bool can_learn = made.is_floating_point() || made.is_complex();
  if (can_learn && Chance(60)) made = made.detach().requires_grad_();
  // In-place operators refuse leaves.
  if (made.requires_grad() && Chance(50)) made = made.alias();
  made_.push_back(made);
  return made;
}

torch::Tensor RandomArguments::GradientOf(const torch::Tensor& of) {
  const c10::InferenceMode off(false);
  torch::Tensor made = Plain(of.sizes().vec(), of.scalar_type(), "grad");
  if (of.dim() > 0 && Chance(20)) made = Numbers({}, of.scalar_type(), "grad").expand_as(of);
  return made;
}

std::optional<c10::IValue> RandomArguments::MakeList(const c10::Argument& argument,
                                                     const c10::TypePtr& element) {
  int64_t count = Below(4);
  if (argument.N() && Chance(85)) count = *argument.N();
  if (argument.name().find("size") != std::string::npos || argument.name() == "shape" ||
      argument.name() == "stride") {
    if (Chance(60)) count = static_cast<int64_t>(dimensions_);
  }
  if (IsType(element, c10::TypeKind::VarType) || IsType(element, c10::TypeKind::AnyType)) {
    c10::List<int64_t> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(Whole(""));
    return numbers;
  }
  c10::impl::GenericList list(element);
  for (int64_t i = 0; i < count; ++i) {
    auto value = MakeValue(argument, element);
    if (!value) return std::nullopt;
    list.push_back(*std::move(value));
  }
  return list;
}

std::optional<c10::IValue> RandomArguments::MakeDict(const c10::Argument& argument,
                                                     const c10::TypePtr& keys) {
  const bool is_open = IsType(keys, c10::TypeKind::VarType);
  c10::impl::GenericDict dict(is_open ? c10::StringType::get() : keys, c10::IntType::get());
  for (int64_t i = Below(4); i > 0; --i) {
    const std::optional<c10::IValue> key =
        is_open ? std::optional(c10::IValue(Text(argument.name()))) : MakeValue(argument, keys);
    if (!key) return std::nullopt;
    dict.insert(*key, Whole(argument.name()));
  }
  return dict;
}

std::optional<c10::IValue> RandomArguments::MakeTuple(const c10::Argument& argument,
                                                      c10::ArrayRef<c10::TypePtr> types) {
  std::vector<c10::IValue> parts;
  for (const auto& type : types) {
    auto value = MakeValue(argument, type);
    if (!value) return std::nullopt;
    parts.push_back(*std::move(value));
  }
  return c10::ivalue::Tuple::create(std::move(parts));
}

std::optional<c10::IValue> RandomArguments::MakeValue(const c10::Argument& argument,
                                                      const c10::TypePtr& type) {
  const std::string& name = argument.name();
  if (++depth_ > 20) return std::nullopt;
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return MakeTensor(name);
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::ScalarTypeType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType:
    case c10::TypeKind::QSchemeType:
      return Whole(name);
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      return Real();
    case c10::TypeKind::BoolType:
#if TORCH_VERSION_MAJOR >= 2
    case c10::TypeKind::SymBoolType:
#endif
      return Chance(50);
    case c10::TypeKind::ComplexType:
      return c10::complex<double>(Real(), Real());
    case c10::TypeKind::NumberType:
      if (Chance(50)) return Real();
      return Whole(name);
    case c10::TypeKind::StringType:
      return Text(name);
    case c10::TypeKind::DeviceObjType:
      return c10::Device(Chance(90) ? c10::kCPU : c10::kMeta);
    case c10::TypeKind::OptionalType:
      if (Chance(IsPlace(name) || name == "weight" || name == "bias" ? 30 : 50))
        return c10::IValue();
      return MakeValue(argument, type->castRaw<c10::OptionalType>()->getElementType());
    case c10::TypeKind::ListType:
      return MakeList(argument, type->castRaw<c10::ListType>()->getElementType());
    case c10::TypeKind::AnyListType:
      return MakeList(argument, c10::IntType::get());
    case c10::TypeKind::DictType:
      return MakeDict(argument, type->castRaw<c10::DictType>()->getKeyType());
    case c10::TypeKind::TupleType:
      return MakeTuple(argument, type->castRaw<c10::TupleType>()->elements());
    case c10::TypeKind::AnyTupleType:
      return c10::ivalue::Tuple::create({Whole(""), Real(), Text("")});
    case c10::TypeKind::VarType:
    case c10::TypeKind::AnyType:
      if (Chance(40)) return Whole(name);
      if (Chance(40)) return MakeTensor(name);
      return Chance(50) ? c10::IValue(Text(name)) : c10::IValue(Real());
    case c10::TypeKind::GeneratorType:
    case c10::TypeKind::NoneType:
      return c10::IValue();
    default:
      return std::nullopt;
  }
}

int64_t RandomArguments::SizeOf(std::string_view text) {
  int64_t sum = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('+'), text.size());
    const std::string part(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (part[0] >= '0' && part[0] <= '9') {
      sum += std::stoll(part);
      continue;
    }
    const auto [it, is_new] = letters_.try_emplace(part[0], 0);
    if (is_new) it->second = 1 + Below(Chance(10) ? 17 : 5);
    sum += it->second;
  }
  return sum;
}

std::vector<int64_t> RandomArguments::SizesOf(std::string_view text) {
  std::vector<int64_t> sizes;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const bool is_number = text.substr(0, end).find_first_not_of("-0123456789") == text.npos;
    sizes.push_back(is_number ? std::stoll(std::string(text.substr(0, end)))
                              : SizeOf(text.substr(0, end)));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  // One size too many or too few, at times.
  if (!sizes.empty() && Chance(2))
    sizes[static_cast<size_t>(Below(std::ssize(sizes)))] += Below(3) - 1;
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 0);
  return sizes;
}

torch::Tensor RandomArguments::Learning(const std::vector<int64_t>& shape) {
  const c10::ScalarType type = c10::isFloatingType(type_) ? type_ : c10::kFloat;
  torch::Tensor made = Plain(shape, type, "");
  if (Chance(70)) made = made.detach().requires_grad_();
  if (made.requires_grad() && Chance(50)) made = made.alias();
  made_.push_back(made);
  return made;
}

// The weights of a layer with recurrence, for states of `gates` times the size.
c10::List<torch::Tensor> RandomArguments::Weights(const std::vector<int64_t>& sizes,
                                                  int64_t gates) {
  const int64_t rows = sizes[1] * gates;
  return c10::List<torch::Tensor>(
      {Learning({rows, sizes[0]}), Learning({rows, sizes[1]}), Learning({rows}), Learning({rows})});
}

torch::Tensor RandomArguments::Places(std::string_view text) {
  const size_t bound = text.find('<');
  const std::vector<int64_t> shape = SizesOf(text.substr(0, bound));
  const int64_t end = std::max<int64_t>(1, SizeOf(text.substr(bound + 1)));
  torch::Tensor made = torch::zeros(shape, c10::kLong);
  auto* const numbers = made.data_ptr<int64_t>();
  for (int64_t i = 0; i < made.numel(); ++i) numbers[i] = Below(end);
  if (made.numel() > 0 && Chance(15)) numbers[Below(made.numel())] = Whole("");
  if (Chance(10)) return made.to(c10::kInt);
  if (made.dim() > 0 && Chance(10))
    made = torch::stack({made, made}, made.dim()).select(made.dim(), 1);
  made_.push_back(made);
  return made;
}

c10::IValue RandomArguments::Cooked(std::string_view text) {
  const char kind = text[0];
  const std::string rest(text.substr(std::min<size_t>(text.size(), 2)));
  switch (kind) {
    case 'T':
      return Learning(SizesOf(rest));
    case 'U':
      return torch::rand(SizesOf(rest)).requires_grad_(Chance(50));
    case 'V':
      return torch::rand(SizesOf(rest));
    case 'C':
      return torch::rand(SizesOf(rest), c10::kComplexFloat).requires_grad_(Chance(50));
    case 'I':
      return Places(rest);
    case 'J': {
      c10::impl::GenericList list(c10::OptionalType::create(c10::TensorType::get()));
      list.push_back(Places(rest));
      return list;
    }
    case 'K':
      return torch::tensor(SizesOf(rest), c10::kLong);
    case 'M':
      return torch::rand(SizesOf(rest)) < 0.5;
    case 'L': {
      c10::List<torch::Tensor> list;
      std::string_view left = rest;
      while (!left.empty()) {
        const size_t end = std::min(left.find(';'), left.size());
        list.push_back(Learning(SizesOf(left.substr(0, end))));
        left.remove_prefix(std::min(left.size(), end + 1));
      }
      return list;
    }
    case 'Q':
      return Weights(SizesOf(rest), 4);
    case 'G':
      return Weights(SizesOf(rest), 3);
    case 'R':
      return Weights(SizesOf(rest), 1);
    case 'l':
      return c10::List<int64_t>(SizesOf(rest));
    case 'i':
      return SizesOf(rest)[0];
    case 'f':
      return std::stod(rest);
    case 'b':
      return rest == "1";
    case 's':
      return rest;
    default:
      return c10::IValue();
  }
}

std::optional<torch::jit::Stack> RandomArguments::Cook(const c10::FunctionSchema& schema,
                                                       std::string_view recipe) {
  std::map<std::string, std::string_view, std::less<>> parts;
  while (!recipe.empty()) {
    const size_t end = std::min(recipe.find(' '), recipe.size());
    const size_t equals = std::min(recipe.find('='), end);
    const size_t value = std::min(equals + 1, end);
    parts.emplace(recipe.substr(0, equals), recipe.substr(value, end - value));
    recipe.remove_prefix(std::min(recipe.size(), end + 1));
  }
  torch::jit::Stack stack;
  // Most calls have one argument that does not fit.
  const int64_t spoilt = Chance(30) ? -1 : Below(std::ssize(schema.arguments()));
  for (const c10::Argument& argument : schema.arguments()) {
    depth_ = 0;
    const auto part = parts.find(argument.name());
    const bool is_spoilt = spoilt == std::ssize(stack) || Chance(2);
    if (!is_spoilt && part != parts.end()) {
      stack.push_back(Cooked(part->second));
    } else if (!is_spoilt && argument.default_value()) {
      stack.push_back(*argument.default_value());
    } else {
      auto value = MakeValue(argument, argument.type());
      if (!value) return std::nullopt;
      stack.push_back(*std::move(value));
    }
  }
  return stack;
}

std::optional<torch::jit::Stack> RandomArguments::Make(const c10::FunctionSchema& schema) {
  const std::string_view recipe = RecipeOf(schema.name());
  if (!recipe.empty() && Chance(85)) return Cook(schema, recipe);
  torch::jit::Stack stack;
  // With too many extremes at once hardly a call would pass the checks before the arithmetic.
  const int extremes = Chance(50) ? 70 : 25;
  for (const c10::Argument& argument : schema.arguments()) {
    depth_ = 0;
    if (argument.default_value() && Chance(extremes)) {
      stack.push_back(*argument.default_value());
      continue;
    }
    auto value = MakeValue(argument, argument.type());
    if (!value) return std::nullopt;
    stack.push_back(*std::move(value));
  }
  if (schema.is_vararg()) {
    const int64_t more = Below(4);
    for (int64_t i = 0; i < more; ++i) {
      stack.emplace_back(Chance(50) ? c10::IValue(Whole("")) : c10::IValue(Text("")));
    }
    stack.emplace_back(static_cast<int64_t>(stack.size()));
  }
  return stack;
}

}  // namespace tidemill::operators
