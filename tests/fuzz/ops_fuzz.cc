// One op, its parameters and samples out of the fuzzer's bytes, and what must hold of every graph
// and every sample. TIDEMILL_FUZZ_OP names the op; without it all take turns.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/wire.h"
#include "config/config.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/ops_graphs.h"
#include "tests/fuzz/ops_media.h"
#include "transform/fitter.h"
#include "transform/graph.h"

namespace tidemill::fuzz {
namespace {

struct Target {
  std::string_view op;
  Case (*make)(Bytes& bytes);
};

constexpr FlipDirection kDirections[] = {FlipDirection::kHorizontal, FlipDirection::kVertical};

constexpr Target kTargets[] = {
    {"parse_csv",
     [](Bytes& bytes) {
       Case made = Records(bytes, Pick(bytes, {CsvType::kFloat32, CsvType::kFloat64,
                                               CsvType::kInt64, CsvType::kString}));
       made.schema.history = Small(bytes, 1, 3);
       ParseCsvSpec parse = *made.graph.back().value.As<ParseCsvSpec>();
       if (bytes.ConsumeBool()) parse.missing = {ShortText(bytes)};
       parse.rows = Pick(bytes, {Rows::kLast, Rows::kPrevious, Rows::kAll});
       parse.suffix = bytes.ConsumeBool() ? "_x" : "";
       made.graph.back() = {std::move(parse)};
       Finish(made, bytes);
       return made;
     }},
    {"parse_record",
     [](Bytes& bytes) {
       Case made = Images(bytes);
       Add(made, StackSpec{});
       return made;
     }},
    {"parse_json",
     [](Bytes& bytes) {
       Case made{.schema = {.payload = PayloadKind::kJson}};
       made.schema.history = Small(bytes, 1, 3);
       ParseJsonSpec spec{.fields = {"a", "a.b"},
                          .dtype = Pick(bytes, {CsvType::kFloat32, CsvType::kFloat64,
                                                CsvType::kInt64, CsvType::kString}),
                          .rows = Pick(bytes, {Rows::kLast, Rows::kPrevious, Rows::kAll})};
       if (bytes.ConsumeBool()) spec.missing = {"null", ShortText(bytes)};
       Add(made, std::move(spec));
       Finish(made, bytes);
       return made;
     }},
    {"parse_example",
     [](Bytes& bytes) {
       Case made{.schema = {.payload = PayloadKind::kTfRecord}};
       Add(made,
           ParseExampleSpec{
               .features = {{.name = ShortText(bytes),
                             .dtype = Pick(bytes, {ExampleType::kFloat32, ExampleType::kInt64,
                                                   ExampleType::kUInt8, ExampleType::kString}),
                             .length = Small(bytes, 1, 5),
                             .into = "a"}}});
       Finish(made, bytes);
       return made;
     }},
    {"decode_image", DecodeImageCase},
    {"decode_wav", DecodeWavCase},
    {"time_features",
     [](Bytes& bytes) {
       Case made = Records(bytes, CsvType::kInt64);
       TimeFeaturesSpec spec{.from = bytes.ConsumeBool() ? "a" : "event_time",
                             .cyclic = bytes.ConsumeBool(),
                             .time_zone = Pick(bytes, {"UTC", "Asia/Shanghai", "Nowhere"})};
       for (const auto& [part, name] : config::EnumNames<TimePart>::kNames) {
         if (bytes.ConsumeBool()) spec.parts.push_back(part);
       }
       Add(made, std::move(spec));
       Add(made, StackSpec{});
       return made;
     }},
    {"compute",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       const std::string number = std::to_string(Small(bytes, -1000, 1000));
       Add(made, ComputeSpec{
                     .columns = {{"made", Pick<std::string>(
                                              bytes, {"a + b", "a / (b - 1)", "log1p(a)", "a >= b",
                                                      "coalesce(a, " + number + ")"})}}});
       Add(made, StackSpec{});
       return made;
     }},
    {"filter",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       const std::string number = std::to_string(Small(bytes, -1000, 1000));
       Add(made, FilterSpec{.condition = Pick<std::string>(
                                bytes, {"a > " + number, "a is null or b < a", "not a = b"})});
       Finish(made, bytes);
       return made;
     }},
    {"lookup",
     [](Bytes& bytes) {
       Case made = Records(bytes, bytes.ConsumeBool() ? CsvType::kInt64 : CsvType::kString);
       LookupSpec spec{.table = "t",
                       .on = {{{"a", "k"}}},
                       .columns = {{{"v", "v"}, {"w", "w"}}},
                       .missing = Pick(bytes, {MissingKey::kNull, MissingKey::kBadSample}),
                       .dtypes = {{"w", Pick(bytes, {CsvType::kFloat32, CsvType::kInt64})}},
                       .delimiter = Pick<std::string>(bytes, {",", ";", "::"})};
       if (bytes.ConsumeBool()) spec.on.pairs.push_back({"b", "w"});
       if (bytes.ConsumeBool()) spec.as_of = "t";
       OneFile file(bytes.ConsumeBool() ? "k,v,w,t\n" + bytes.ConsumeRandomLengthString(400)
                                        : bytes.ConsumeRandomLengthString(400));
       config::Problems problems;
       spec.TakeFiles(file, problems);
       Add(made, std::move(spec));
       Add(made, StackSpec{.columns = {"v", "w"}});
       return made;
     }},
    {"fill_missing",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       FillMissingSpec spec{
           .with = Pick(bytes, {Filling::kNumber, Filling::kMean, Filling::kMedian}),
           .indicator = bytes.ConsumeBool()};
       if (spec.with == Filling::kNumber) spec.number = Number(bytes);
       Add(made, std::move(spec));
       Add(made, StackSpec{});
       return made;
     }},
    {"clip",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       ClipSpec spec{.columns = {"a"}};
       if (bytes.ConsumeBool()) spec.min = Number(bytes);
       if (bytes.ConsumeBool()) spec.max = Number(bytes);
       Add(made, std::move(spec));
       Finish(made, bytes);
       return made;
     }},
    {"log1p",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       Add(made,
           Log1pSpec{.columns = {"a", "b"},
                     .negative = Pick(bytes, {NegativeNumber::kBadSample, NegativeNumber::kZero})});
       Finish(made, bytes);
       return made;
     }},
    {"normalize",
     [](Bytes& bytes) {
       return WithImages(bytes, NormalizeSpec{.column = "image",
                                              .scale = Number(bytes),
                                              .mean = SomeNumbers(bytes),
                                              .deviation = SomeNumbers(bytes)});
     }},
    {"standardize",
     [](Bytes& bytes) {
       Case made = Floats(bytes);
       Add(made, StandardizeSpec{});
       Finish(made, bytes);
       return made;
     }},
    {"quantile_bins",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       Add(made, QuantileBinsSpec{.column = "a",
                                  .bins = Small(bytes, 2, 9),
                                  .one_hot = bytes.ConsumeBool(),
                                  .into = bytes.ConsumeBool() ? "c" : ""});
       Finish(made, bytes);
       return made;
     }},
    {"one_hot",
     [](Bytes& bytes) {
       OneHotSpec spec{
           .column = "a",
           .unknown = Pick(bytes, {UnknownCategory::kZeros, UnknownCategory::kBadSample}),
           .into = "input"};
       const int64_t kind = Small(bytes, 0, 2);
       if (kind == 0) spec.classes = Small(bytes, 1, 9);
       if (kind == 1) spec.learn = Small(bytes, 1, 9);
       if (kind == 2) spec.categories = {ShortText(bytes), ShortText(bytes)};
       Case made = Records(bytes, kind == 0 ? CsvType::kInt64 : CsvType::kString);
       Add(made, std::move(spec));
       return made;
     }},
    {"hash_buckets",
     [](Bytes& bytes) {
       Case made = Records(bytes, bytes.ConsumeBool() ? CsvType::kInt64 : CsvType::kString);
       Add(made, HashBucketsSpec{.column = "a",
                                 .buckets = Small(bytes, 1, 1'000'000'000'000),
                                 .seed = Small(bytes, 0, 1'000'000),
                                 .into = "input"});
       return made;
     }},
    {"hash_cross",
     [](Bytes& bytes) {
       Case made = Records(bytes, bytes.ConsumeBool() ? CsvType::kInt64 : CsvType::kString);
       Add(made, HashCrossSpec{.columns = {"b", "a"},
                               .buckets = Small(bytes, 1, 1'000'000'000'000),
                               .seed = Small(bytes, 0, 1'000'000),
                               .into = "input"});
       return made;
     }},
    {"vocabulary",
     [](Bytes& bytes) {
       Case made = Records(bytes, CsvType::kString);
       Add(made, VocabularySpec{.column = "b",
                                .max_words = Small(bytes, 1, 9),
                                .min_count = Small(bytes, 1, 3),
                                .ngrams = Small(bytes, 1, 8),
                                .length = Small(bytes, 1, 9),
                                .lowercase = bytes.ConsumeBool(),
                                .into = "input"});
       return made;
     }},
    {"hash_tokens",
     [](Bytes& bytes) {
       Case made = Records(bytes, CsvType::kString);
       Add(made, HashTokensSpec{.column = "b",
                                .buckets = Small(bytes, 1, 1'000'000'000'000),
                                .ngrams = Small(bytes, 1, 8),
                                .length = Small(bytes, 1, 9),
                                .lowercase = bytes.ConsumeBool(),
                                .seed = Small(bytes, 0, 1'000'000),
                                .into = "input"});
       return made;
     }},
    {"word_pieces",
     [](Bytes& bytes) {
       Case made = Records(bytes, CsvType::kString);
       WordPiecesSpec spec{.column = "b",
                           .vocabulary = "v",
                           .length = Small(bytes, 1, 9),
                           .lowercase = bytes.ConsumeBool(),
                           .marks = bytes.ConsumeBool(),
                           .into = "input"};
       OneFile file((bytes.ConsumeBool() ? "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##a\n##ab\n" : "") +
                    bytes.ConsumeRandomLengthString(200));
       config::Problems problems;
       spec.TakeFiles(file, problems);
       Add(made, std::move(spec));
       return made;
     }},
    {"resize",
     [](Bytes& bytes) {
       return WithImages(bytes, ResizeSpec{.height = Small(bytes, 1, 9),
                                           .width = Small(bytes, 1, 9),
                                           .method = Pick(bytes, {Interpolation::kBilinear,
                                                                  Interpolation::kBicubic,
                                                                  Interpolation::kNearest}),
                                           .antialias = bytes.ConsumeBool()});
     }},
    {"crop",
     [](Bytes& bytes) {
       return WithImages(bytes, CropSpec{.height = Small(bytes, 1, 5),
                                         .width = Small(bytes, 1, 5),
                                         .offset = SomeSizes(bytes, 0, 4)});
     }},
    {"flip",
     [](Bytes& bytes) {
       return WithImages(bytes, FlipSpec{.direction = Pick(bytes, kDirections)});
     }},
    {"random_crop",
     [](Bytes& bytes) {
       return WithImages(bytes, RandomCropSpec{.height = Small(bytes, 1, 9),
                                               .width = Small(bytes, 1, 9),
                                               .padding = Small(bytes, 0, 3)});
     }},
    {"random_flip",
     [](Bytes& bytes) {
       return WithImages(bytes, RandomFlipSpec{.probability = bytes.ConsumeProbability<double>(),
                                               .direction = Pick(bytes, kDirections)});
     }},
    {"colour_jitter", ColourJitterCase},
    {"random_erasing", RandomErasingCase},
    {"mel_spectrogram", MelSpectrogramCase},
    {"pad",
     [](Bytes& bytes) {
       return WithImages(bytes, PadSpec{.column = "image",
                                        .before = SomeSizes(bytes, 0, 3),
                                        .after = SomeSizes(bytes, 0, 3),
                                        .value = Number(bytes)});
     }},
    {"cast",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       Add(made,
           CastSpec{.columns = {"a", "b"},
                    .dtype = Pick(bytes, {CastType::kFloat32, CastType::kFloat64, CastType::kInt64,
                                          CastType::kInt32, CastType::kUInt8})});
       Add(made, StackSpec{});
       return made;
     }},
    {"reshape",
     [](Bytes& bytes) {
       return WithImages(bytes, ReshapeSpec{.column = "image", .shape = SomeSizes(bytes, -1, 9)});
     }},
    {"stack",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       StackSpec spec;
       if (bytes.ConsumeBool()) spec.columns = {"b", "a"};
       Add(made, std::move(spec));
       return made;
     }},
    {"delay",
     [](Bytes& bytes) {
       Case made = Numbers(bytes);
       Add(made, DelaySpec{.share = bytes.ConsumeProbability<double>(),
                           .per = Pick(bytes, {DelayPer::kBatch, DelayPer::kSample})});
       Finish(made, bytes);
       return made;
     }},
    {"label",
     [](Bytes& bytes) {
       Case made = Records(bytes, CsvType::kFloat32);
       made.schema.label = Pick(bytes, {LabelKind::kNone, LabelKind::kClass, LabelKind::kReal});
       Add(made, StackSpec{});
       Add(made, LabelSpec{});
       return made;
     }},
};

constexpr bool HasTarget(std::string_view op) {
  for (const Target& target : kTargets) {
    if (target.op == op) return true;
  }
  return false;
}

// A user's op runs in its own process, which is not fuzzed here.
constexpr bool RunsElsewhere(std::string_view op) {
  return op == TorchScriptSpec::kType || op == PluginOpSpec::kType;
}

template <typename... Specs>
constexpr bool HaveTargets(config::SpecList<Specs...> /*ops*/) {
  return ((RunsElsewhere(Specs::kType) || HasTarget(Specs::kType)) && ...);
}

static_assert(HaveTargets(Ops()), "every op has a target");

void Expect(bool holds, const char* what, const std::string& detail = "") {
  if (!holds) std::fprintf(stderr, "%s\n", detail.c_str());
  Promise(holds, what);
}

batch::Batch Row(const batch::Batch& samples, int64_t row) { return samples.Take({&row, 1}); }

// std::nullopt when these samples teach nothing.
std::optional<FittedState> Fit(const Graph& graph, const batch::Batch& samples, bool row_by_row) {
  Fitter fitter(graph);
  for (int pass = 0; pass < fitter.num_passes(); ++pass) {
    if (row_by_row) {
      for (int64_t row = 0; row < samples.num_rows(); ++row) {
        const absl::Status added = fitter.Add(Row(samples, row));
        Expect(added.ok(), "the fit refuses a sample", added.ToString());
      }
    } else {
      const absl::Status added = fitter.Add(samples);
      Expect(added.ok(), "the fit refuses samples", added.ToString());
    }
    const absl::Status ended = fitter.EndPass();
    if (absl::IsFailedPrecondition(ended)) return std::nullopt;
    Expect(ended.ok(), "the fit fails", ended.ToString());
  }
  absl::StatusOr<FittedState> fitted = fitter.Finish();
  Expect(fitted.ok(), "the fit does not finish", fitted.status().ToString());
  const auto decoded = FittedState::Decode(fitted->Encode());
  Expect(decoded.ok() && decoded->digest() == fitted->digest(), "the fitted state is not kept");
  return *std::move(fitted);
}

void CheckResult(const Graph& graph, const batch::Batch& samples, const Transformed& made) {
  const auto num_bad = static_cast<int64_t>(made.bad.size());
  Expect(made.batch.num_rows() + num_bad == samples.num_rows(), "samples are lost");
  for (const ColumnSchema& input : graph.inputs()) {
    const batch::Column* column = made.batch.Find(input.name);
    Expect(column != nullptr, "an input is missing", input.name);
    Expect(column->type == input.type, "an input has another type", input.name);
    Expect(column->shape == input.shape, "an input has another shape", input.name);
    const auto size = static_cast<size_t>(made.batch.num_rows() * input.Width());
    Expect(column->data.size() == size * batch::SizeOf(input.type), "an input has another size");
  }
  for (const BadSample& bad : made.bad) {
    Expect(bad.row >= 0 && bad.row < samples.num_rows() && !bad.reason.empty(), "a bad row");
  }
}

void CheckRun(const Graph& graph, const Graph& unfused, const batch::Batch& samples,
              const FittedState& fitted, const RunContext& context) {
  const absl::StatusOr<Transformed> whole = graph.Run(samples, &fitted, context);
  Expect(whole.ok(), "the graph fails", whole.status().ToString());
  CheckResult(graph, samples, *whole);
  const absl::StatusOr<Transformed> same = unfused.Run(samples, &fitted, context);
  Expect(same.ok() && same->bad == whole->bad && same->num_filtered == whole->num_filtered &&
             batch::Encode(same->batch) == batch::Encode(whole->batch),
         "stages and rewrites make something else than the ops as written");
  std::vector<batch::Batch> rows;
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    const absl::StatusOr<Transformed> one = graph.Run(Row(samples, row), &fitted, context);
    Expect(one.ok(), "the graph fails for a row", one.status().ToString());
    rows.push_back(one->batch);
  }
  if (rows.empty()) return;
  const absl::StatusOr<batch::Batch> joined = batch::Concatenate(rows);
  Expect(joined.ok() && batch::Encode(*joined) == batch::Encode(whole->batch),
         "rows depend on other rows");
}

void RunCase(const Target& target, Bytes& bytes) {
  const Case made = target.make(bytes);
  // Only what can be written down can be asked for.
  const auto spec = config::Read<GraphSpec>(config::Print(made.graph), "fuzz");
  if (!spec.ok()) return;
  const absl::StatusOr<Graph> graph = Graph::Build(*spec, made.schema);
  if (!graph.ok()) return;
  const absl::StatusOr<Graph> unfused =
      Graph::Build(*spec, made.schema, Fusion::kOff, Rewriting::kOff);
  Expect(unfused.ok(), "the graph is sound only when fused", unfused.status().ToString());
  const RunContext context{.training = bytes.ConsumeBool(), .seed = Small(bytes, 0, 9)};
  const batch::Batch samples = MakeSamples(bytes);
  const std::optional<FittedState> fitted = Fit(*graph, samples, /*row_by_row=*/false);
  const std::optional<FittedState> again = Fit(*graph, samples, /*row_by_row=*/true);
  Expect(fitted.has_value() == again.has_value(), "the fit depends on how samples are cut");
  if (!fitted.has_value()) return;
  Expect(fitted->digest() == again->digest(), "what is learned depends on how samples are cut");
  CheckRun(*graph, *unfused, samples, *fitted, context);
}

const Target* ChosenTarget() {
  const char* const name = std::getenv("TIDEMILL_FUZZ_OP");
  if (name == nullptr) return nullptr;
  for (const Target& target : kTargets) {
    if (target.op == name) return &target;
  }
  Expect(false, "an op of that name", name);
  return nullptr;
}

}  // namespace

std::vector<std::string> Seeds() {
  return {std::string(8, '\0') + "1,2\n" + std::string(40, '\1'),
          "Some words, \xc3\xa9 more words" + std::string(60, '\x7f')};
}

void Try(std::string_view input) {
  static const Target* const chosen = ChosenTarget();
  Bytes bytes(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  const Target* target = chosen;
  if (target == nullptr) {
    target = &kTargets[bytes.ConsumeIntegralInRange<size_t>(0, std::size(kTargets) - 1)];
  }
  RunCase(*target, bytes);
}

}  // namespace tidemill::fuzz
