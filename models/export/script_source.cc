#include "models/export/script_source.h"

#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

#include "models/export/script_text.h"

namespace tidemill::models {
namespace {

using batch::DataType;
using transform::PortableGraph;
using transform::Step;
using transform::StepId;
using transform::StepKind;

constexpr std::string_view kArguments =
    "self, numbers: Dict[str, Tensor], texts: Optional[Dict[str, List[str]]] = None";

// torch's numbers for its types.
int ScalarType(DataType type) {
  switch (type) {
    case DataType::kUInt8:
      return 0;
    case DataType::kInt32:
      return 3;
    case DataType::kInt64:
      return 4;
    case DataType::kFloat32:
      return 6;
    case DataType::kFloat64:
    case DataType::kBinary:
      break;
  }
  return 7;
}

std::string_view FunctionOf(StepKind kind) {
  switch (kind) {
    case StepKind::kFloor:
      return "torch.floor";
    case StepKind::kRemainder:
      return "torch.remainder";
    case StepKind::kFloatRemainder:
      return "torch.fmod";
    case StepKind::kPower:
      return "torch.pow";
    case StepKind::kAbsolute:
      return "torch.abs";
    case StepKind::kSquareRoot:
      return "torch.sqrt";
    case StepKind::kExponential:
      return "torch.exp";
    case StepKind::kLogarithm:
      return "torch.log";
    case StepKind::kSine:
      return "torch.sin";
    case StepKind::kLog1p:
      return "torch.log1p";
    case StepKind::kIsMissing:
      return "torch.isnan";
    case StepKind::kIsFinite:
      return "torch.isfinite";
    case StepKind::kNot:
      return "torch.logical_not";
    case StepKind::kAnd:
      return "torch.logical_and";
    case StepKind::kOr:
      return "torch.logical_or";
    case StepKind::kAdd:
      return "torch.add";
    case StepKind::kSubtract:
      return "torch.sub";
    case StepKind::kMultiply:
      return "torch.mul";
    case StepKind::kDivide:
      return "torch.div";
    case StepKind::kEqual:
      return "torch.eq";
    case StepKind::kLess:
      return "torch.lt";
    case StepKind::kGreaterOrEqual:
      return "torch.ge";
    case StepKind::kWhere:
      return "torch.where";
    case StepKind::kMatrixProduct:
      return "torch.matmul";
    default:
      return {};
  }
}

// Writes the lines of prepare().
class ScriptWriter {
 public:
  ScriptWriter(const PortableGraph& graph, ScriptSource& source) : graph_(graph), source_(source) {}

  void Write() {
    source_.methods += kReadMethods;
    std::string body = fmt::format("def prepare({}) -> Dict[str, Tensor]:\n", kArguments);
    for (StepId id = 0; id < std::ssize(graph_.steps()); ++id) {
      body += fmt::format("  v{} = {}\n", id, ExpressionOf(id));
    }
    const StepId first = graph_.model_inputs().begin()->second;
    std::string bad = fmt::format("torch.zeros([v{}.size(0)], dtype=11)", first);
    for (const StepId reject : graph_.rejects()) bad = fmt::format("{} | v{}", bad, reject);
    body += fmt::format("  prepared: Dict[str, Tensor] = {{\"is_bad\": {}}}\n", bad);
    for (const auto& [name, step] : graph_.model_inputs()) {
      body += fmt::format("  prepared[{}] = v{}\n", QuotedForScript(name), step);
    }
    body += "  return prepared\n";
    if (uses_places_ || uses_words_) source_.methods += kPlacesMethods;
    if (uses_words_) {
      source_.methods += kWordMethods;
      source_.lists.merge(WordTables());
    }
    if (uses_hashes_ || uses_words_) {
      source_.methods += kHashMethods;
      source_.lists["hash_secret"] = HashSecret(0);
    }
    source_.methods += body;
  }

 private:
  static constexpr std::string_view kReadMethods =
      R"(def column_of(self, numbers: Dict[str, Tensor], name: str) -> Tensor:
  assert name in numbers, "the column of numbers '" + name + "' is missing"
  return numbers[name]
def texts_of(self, texts: Optional[Dict[str, List[str]]], name: str) -> List[str]:
  assert texts is not None, "the columns of texts are missing"
  assert name in texts, "the column of texts '" + name + "' is missing"
  return texts[name]
)";

  std::string NameFor(const std::string& wanted) {
    std::string name;
    for (const char c : wanted)
      name += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_';
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    return unique;
  }

  static std::string ShapeOf(const Step& step) {
    std::vector<int64_t> shape = step.shape;
    shape.insert(shape.begin(), -1);
    return fmt::format("[{}]", fmt::join(shape, ", "));
  }

  std::string Read(const Step& step) const {
    const std::string name = QuotedForScript(step.name);
    if (transform::IsText(step.type)) return fmt::format("self.texts_of(texts, {})", name);
    return fmt::format("self.column_of(numbers, {}).to({}).reshape({})", name,
                       ScalarType(step.type), ShapeOf(step));
  }

  std::string Pad(const Step& step) const {
    const size_t rank = step.shape.size();
    std::vector<int64_t> sizes;
    for (size_t i = rank; i-- > 0;) {
      sizes.push_back(step.settings[i]);
      sizes.push_back(step.settings[rank + i]);
    }
    return fmt::format("torch.constant_pad_nd(v{}, [{}], {})", step.inputs[0],
                       fmt::join(sizes, ", "), step.numbers[0]);
  }

  std::string Places(StepId id) {
    const Step& step = graph_.step(id);
    const std::string name = NameFor(step.name);
    source_.places[name] = id;
    if (step.kind == StepKind::kPlaceOfText) {
      uses_places_ = true;
      return fmt::format("self.places(v{}, self.{})", step.inputs[0], name);
    }
    uses_words_ = true;
    return fmt::format("self.word_places(v{}, self.{}, {})", step.inputs[0], name,
                       fmt::join(step.settings, ", "));
  }

  std::string Hashes(const Step& step) {
    uses_hashes_ = true;
    const bool is_words = step.kind == StepKind::kHashesOfWords;
    uses_words_ |= is_words;
    const int64_t seed = step.settings.back();
    if (step.kind == StepKind::kHashOfNumber) {
      return fmt::format("self.hash_numbers(v{}, {}, {})", step.inputs[0],
                         NumberSecret(static_cast<uint64_t>(seed)), step.settings[0]);
    }
    const std::string secret = fmt::format("hash_secret_{}", seed);
    source_.lists[secret] = HashSecret(static_cast<uint64_t>(seed));
    return fmt::format("self.{}(v{}, self.{}, {})", is_words ? "word_hashes" : "hash_texts",
                       step.inputs[0], secret, fmt::join(step.settings, ", "));
  }

  std::string ExpressionOf(StepId id) {
    const Step& step = graph_.step(id);
    const auto in = [&](size_t i) { return fmt::format("v{}", step.inputs[i]); };
    switch (step.kind) {
      case StepKind::kRead:
        return Read(step);
      case StepKind::kConstant: {
        const std::string name = NameFor(step.name);
        source_.tensors[name] = id;
        return fmt::format("self.{}", name);
      }
      case StepKind::kCast:
        return fmt::format("{}.to({})", in(0), ScalarType(step.type));
      case StepKind::kFloorDivide:
        return fmt::format("torch.div({}, {}, rounding_mode=\"floor\")", in(0), in(1));
      case StepKind::kAnyOfRow:
        return fmt::format("torch.flatten({}, 1).any(1)", in(0));
      case StepKind::kSumOfLast:
        return fmt::format("torch.sum({}, [-1])", in(0));
      case StepKind::kReshape:
        return fmt::format("{}.reshape({})", in(0), ShapeOf(step));
      case StepKind::kConcatenate:
        return fmt::format("torch.cat([v{}], {})", fmt::join(step.inputs, ", v"),
                           step.settings[0] + 1);
      case StepKind::kSlice:
        return fmt::format("torch.slice({}, {}, {}, {})", in(0), step.settings[0] + 1,
                           step.settings[1], step.settings[2]);
      case StepKind::kReverse:
        return fmt::format("torch.flip({}, [{}])", in(0), step.settings[0] + 1);
      case StepKind::kPad:
        return Pad(step);
      case StepKind::kRepeat:
        return fmt::format("{}.expand([-1, {}])", in(0), step.settings[0]);
      case StepKind::kTranspose: {
        std::string dimensions = "0";
        for (const int64_t i : step.settings) dimensions += fmt::format(", {}", i + 1);
        return fmt::format("{}.permute([{}])", in(0), dimensions);
      }
      case StepKind::kPlaceOfText:
      case StepKind::kPlacesOfWords:
        return Places(id);
      case StepKind::kHashOfNumber:
      case StepKind::kHashOfText:
      case StepKind::kHashesOfWords:
        return Hashes(step);
      default:
        return fmt::format("{}(v{})", FunctionOf(step.kind), fmt::join(step.inputs, ", v"));
    }
  }

  const PortableGraph& graph_;
  ScriptSource& source_;
  std::set<std::string> names_ = {"network", "training"};
  bool uses_places_ = false;
  bool uses_words_ = false;
  bool uses_hashes_ = false;
};

// forward(), and what says what its results mean.
std::string AnswerMethods(const PortableGraph& graph, const AnswerSpec& answer) {
  std::string text = "def class_names(self) -> List[str]:\n  names: List[str] = []\n";
  for (const std::string& name : answer.classes) {
    text += fmt::format("  names.append({})\n", QuotedForScript(name));
  }
  text += fmt::format(
      "  return names\ndef forward({}) -> Dict[str, Tensor]:\n"
      "  prepared = self.prepare(numbers, texts)\n",
      kArguments);
  std::vector<std::string> arguments;
  for (const auto& [name, step] : graph.model_inputs()) {
    arguments.push_back(fmt::format("prepared[{}]", QuotedForScript(name)));
  }
  text += fmt::format(
      "  outputs = self.network.forward({}).to(6)\n"
      "  answer: Dict[str, Tensor] = {{\"is_bad\": prepared[\"is_bad\"]}}\n",
      fmt::join(arguments, ", "));
  if (answer.is_class) {
    text += "  logits = outputs.reshape([prepared[\"is_bad\"].size(0), -1])\n";
    if (answer.has_single_logit) {
      text += "  logits = torch.cat([torch.zeros_like(logits), logits], 1)\n";
    }
    text +=
        "  answer[\"logits\"] = logits\n"
        "  answer[\"probabilities\"] = torch.softmax(logits, 1)\n";
  } else if (answer.is_single_number) {
    text += fmt::format("  answer[\"value\"] = (outputs.to(7) * {:#} + {:#}).to(6).reshape([-1])\n",
                        answer.deviation, answer.mean);
  } else {
    text += "  answer[\"outputs\"] = outputs\n";
  }
  text += "  return answer\n";
  if (!answer.is_class || answer.classes.empty()) return text;
  return text +
         fmt::format(
             "def predict({}) -> List[str]:\n"
             "  names = self.class_names()\n"
             "  found: List[str] = []\n"
             "  places: List[int] = self.forward(numbers, texts)[\"logits\"].argmax(1).tolist()\n"
             "  for place in places:\n"
             "    found.append(names[place])\n"
             "  return found\n",
             kArguments);
}

}  // namespace

std::string QuotedForScript(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

ScriptSource WriteScript(const PortableGraph& graph, const AnswerSpec& answer) {
  ScriptSource source;
  ScriptWriter(graph, source).Write();
  source.methods += AnswerMethods(graph, answer);
  return source;
}

}  // namespace tidemill::models
