#include "transform/script_rules/pickle_check.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/printable.h"

namespace tidemill::models {
namespace {

// Bytes of a number, by the class of its storage.
struct StorageClass {
  std::string_view name;
  uint64_t bytes;
};
constexpr StorageClass kStorages[] = {
    {"ByteStorage", 1},          {"CharStorage", 1},     {"BoolStorage", 1},
    {"QInt8Storage", 1},         {"QUInt8Storage", 1},   {"ShortStorage", 2},
    {"HalfStorage", 2},          {"BFloat16Storage", 2}, {"IntStorage", 4},
    {"FloatStorage", 4},         {"QInt32Storage", 4},   {"ComplexHalfStorage", 4},
    {"LongStorage", 8},          {"DoubleStorage", 8},   {"ComplexFloatStorage", 8},
    {"ComplexDoubleStorage", 16}};

// "module name", as the protocol has them on two lines.
constexpr auto kClasses = std::to_array<std::string_view>(
    {"torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_qtensor",
     "torch.jit._pickle build_intlist", "torch.jit._pickle build_tensorlist",
     "torch.jit._pickle build_doublelist", "torch.jit._pickle build_boollist",
     "torch.jit._pickle restore_type_tag", "collections OrderedDict", "builtins complex",
     "torch device", "torch per_tensor_affine", "torch per_channel_affine"});

constexpr std::string_view kOwn = "__torch__";
constexpr std::string_view kForeign = "__torch__.torch.classes";

struct PickledValue {
  enum class Kind { kOther, kNumber, kText, kStorageClass, kTuple };
  Kind kind = Kind::kOther;
  int64_t number = 0;  // For a class of storages: the bytes of a number.
  std::string text = {};
  // Shared: a tuple may be in many others.
  std::shared_ptr<const std::vector<PickledValue>> elements = nullptr;
};
using Stack = std::vector<PickledValue>;

class PickleWalk {
 public:
  PickleWalk(std::string_view bytes, const StorageSize& size_of)
      : bytes_(bytes), size_of_(size_of) {}

  absl::Status Run() {
    constexpr std::string_view kProtocol("\x80\x02", 2);
    if (!bytes_.starts_with(kProtocol)) return InvalidArgument("it is not a pickle of TorchScript");
    bytes_.remove_prefix(kProtocol.size());
    while (!bytes_.empty()) {
      const char code = bytes_.front();
      bytes_.remove_prefix(1);
      if (code == '.') return absl::OkStatus();
      RETURN_IF_ERROR(Step(code));
      if (is_cut_) return InvalidArgument("it is cut off");
      if (is_short_) return InvalidArgument("it pops more values than it has pushed");
    }
    return InvalidArgument("it is cut off");
  }

 private:
  template <typename Number>
  int64_t Read() {
    Number number = 0;
    if (bytes_.size() < sizeof number) {
      is_cut_ = true;
      return 0;
    }
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_.remove_prefix(sizeof number);
    return static_cast<int64_t>(number);
  }

  std::string ReadBytes(size_t size) {
    is_cut_ |= bytes_.size() < size;
    std::string read(bytes_.substr(0, size));
    bytes_.remove_prefix(read.size());
    return read;
  }

  std::string ReadLine() {
    const size_t end = bytes_.find('\n');
    is_cut_ |= end == std::string_view::npos;
    std::string line = ReadBytes(std::min(end, bytes_.size()));
    bytes_.remove_prefix(std::min<size_t>(1, bytes_.size()));
    return line;
  }

  void Push(PickledValue value) { stack_.push_back(std::move(value)); }
  void PushNumber(int64_t number) { Push({.kind = PickledValue::Kind::kNumber, .number = number}); }

  PickledValue Pop() {
    if (stack_.empty()) {
      is_short_ = true;
      return {};
    }
    PickledValue value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }

  // The values from there to the top.
  std::vector<PickledValue> PopFrom(size_t begin) {
    if (begin > stack_.size()) {
      is_short_ = true;
      return {};
    }
    std::vector<PickledValue> values(std::make_move_iterator(stack_.begin() + Offset(begin)),
                                     std::make_move_iterator(stack_.end()));
    stack_.resize(begin);
    return values;
  }
  std::vector<PickledValue> PopLast(size_t count) {
    return PopFrom(count > stack_.size() ? stack_.size() + 1 : stack_.size() - count);
  }
  std::vector<PickledValue> PopMarked() {
    if (marks_.empty()) return PopLast(stack_.size() + 1);
    const size_t begin = marks_.back();
    marks_.pop_back();
    return PopFrom(begin);
  }
  static Stack::difference_type Offset(size_t at) {
    return static_cast<Stack::difference_type>(at);
  }

  void PushTuple(std::vector<PickledValue> elements) {
    Push({.kind = PickledValue::Kind::kTuple,
          .elements = std::make_shared<const std::vector<PickledValue>>(std::move(elements))});
  }

  void Remember(int64_t number) {
    if (stack_.empty()) {
      is_short_ = true;
    } else {
      memory_[number] = stack_.back();
    }
  }
  absl::Status Recall(int64_t number) {
    const auto it = memory_.find(number);
    if (it == memory_.end()) return InvalidArgument("it uses a value that it has not stored");
    Push(it->second);
    return absl::OkStatus();
  }

  absl::Status Step(char code) {
    switch (code) {
      case ']':
      case '}':
      case 'N':
      case '\x88':
      case '\x89':
        Push({});
        return absl::OkStatus();
      case 'G':
        Read<int64_t>();
        Push({});
        return absl::OkStatus();
      case 'K':
        PushNumber(Read<uint8_t>());
        return absl::OkStatus();
      case 'M':
        PushNumber(Read<uint16_t>());
        return absl::OkStatus();
      case 'J':
        PushNumber(Read<int32_t>());
        return absl::OkStatus();
      case '\x8a':
        if (Read<uint8_t>() != sizeof(int64_t)) break;
        PushNumber(Read<int64_t>());
        return absl::OkStatus();
      case 'X':
        Push({.kind = PickledValue::Kind::kText,
              .text = ReadBytes(static_cast<size_t>(Read<uint32_t>()))});
        return absl::OkStatus();
      default:
        return StepOfStack(code);
    }
    return InvalidArgument("it has a number of an unusual size");
  }

  // What works on the stack.
  absl::Status StepOfStack(char code) {
    switch (code) {
      case ')':
        PushTuple({});
        return absl::OkStatus();
      case '\x85':
      case '\x86':
      case '\x87':
        PushTuple(PopLast(static_cast<size_t>(code - '\x84')));
        return absl::OkStatus();
      case '(':
        marks_.push_back(stack_.size());
        return absl::OkStatus();
      case 't':
        PushTuple(PopMarked());
        return absl::OkStatus();
      case 'l':
      case 'd':
        PopMarked();
        Push({});
        return absl::OkStatus();
      case 'e':
      case 'u':
        PopMarked();
        return absl::OkStatus();
      case 'a':
        PopLast(1);
        return absl::OkStatus();
      case 's':
        PopLast(2);
        return absl::OkStatus();
      case '\x81':  // An object is made of the stack's entries below.
        PopLast(1);
        return absl::OkStatus();
      case 'b':
      case 'R':
        PopLast(2);
        Push({});
        return absl::OkStatus();
      default:
        return StepOfNames(code);
    }
  }

  absl::Status StepOfNames(char code) {
    switch (code) {
      case 'q':
        Remember(Read<uint8_t>());
        return absl::OkStatus();
      case 'r':
        Remember(Read<uint32_t>());
        return absl::OkStatus();
      case 'h':
        return Recall(Read<uint8_t>());
      case 'j':
        return Recall(Read<uint32_t>());
      case 'c': {
        const std::string space = ReadLine();
        return TakeClass(space, ReadLine());
      }
      case 'Q':
        return TakeStorage();
      default:
        return InvalidArgument("it has an instruction (0x{:02x}) that TorchScript does not write",
                               static_cast<unsigned char>(code));
    }
  }

  absl::Status TakeClass(const std::string& space, const std::string& name) {
    if (space == "torch") {
      const auto* const found = std::ranges::find(kStorages, name, &StorageClass::name);
      if (found != std::end(kStorages)) {
        Push({.kind = PickledValue::Kind::kStorageClass,
              .number = static_cast<int64_t>(found->bytes)});
        return absl::OkStatus();
      }
    }
    const std::string full = space + "." + name;
    const bool is_own = (space == kOwn || space.starts_with(std::string(kOwn) + ".")) &&
                        !full.starts_with(kForeign);
    const std::string in_two = space + " " + name;
    if (!is_own && std::ranges::find(kClasses, in_two) == kClasses.end()) {
      return InvalidArgument("it creates an object of the class {}, which a script must not create",
                             Printable(full));
    }
    Push({});
    return absl::OkStatus();
  }

  // ("storage", class, key, device, count)
  absl::Status TakeStorage() {
    const PickledValue taken = Pop();
    if (taken.kind != PickledValue::Kind::kTuple || taken.elements->size() != 5) {
      return InvalidArgument("it has a tensor that does not say where its numbers are");
    }
    const std::vector<PickledValue>& parts = *taken.elements;
    if (parts[1].kind != PickledValue::Kind::kStorageClass ||
        parts[2].kind != PickledValue::Kind::kText ||
        parts[4].kind != PickledValue::Kind::kNumber) {
      return InvalidArgument("it has a tensor that does not say where its numbers are");
    }
    const int64_t count = parts[4].number;
    const auto each = static_cast<uint64_t>(parts[1].number);
    const uint64_t there = size_of_(parts[2].text).value_or(0);
    if (count < 0 || static_cast<uint64_t>(count) > there / each) {
      return InvalidArgument(
          "its tensor {} needs {} numbers of {} bytes, but the file has {} bytes for it",
          Printable(parts[2].text), count, each, there);
    }
    Push({});
    return absl::OkStatus();
  }

  std::string_view bytes_;
  const StorageSize& size_of_;
  Stack stack_;
  std::vector<size_t> marks_;
  std::map<int64_t, PickledValue> memory_;
  bool is_cut_ = false;
  bool is_short_ = false;
};

}  // namespace

absl::Status CheckPickle(std::string_view bytes, const StorageSize& size_of) {
  return PickleWalk(bytes, size_of).Run();
}

}  // namespace tidemill::models
