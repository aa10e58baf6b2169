#include "models/training/training_check.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "models/spec/networks.h"
#include "models/training/losses/losses.h"
#include "models/training/optimizers/optimizers.h"
#include "models/training/orders/full_order.h"
#include "trainer_server/downsampling/spec/method_list.h"

namespace tidemill::models {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr LabelKind kThreeClasses = {.is_class = true, .num_classes = 3, .dataset = "d"};
constexpr LabelKind kTwoClasses = {.is_class = true, .num_classes = 2, .dataset = "d"};
constexpr LabelKind kReal = {.is_class = false, .dataset = "d"};

std::vector<std::string> PathsOf(const ModelSpec& model, const TrainingSpec& training,
                                 const LabelKind& label) {
  std::vector<std::string> paths;
  for (const TrainingProblem& problem : FindTrainingProblems(model, training, label)) {
    paths.push_back(problem.path);
  }
  return paths;
}

TEST(TrainingCheck, ALossMustFitTheKindOfTheLabel) {
  for (const LossSpec& loss :
       {LossSpec(Mse{}), LossSpec(L1{}), LossSpec(Huber{}), LossSpec(SmoothL1{})}) {
    EXPECT_THAT(PathsOf(Mlp{.outputs = 1}, {.loss = loss}, kReal), IsEmpty());
    EXPECT_THAT(PathsOf(Mlp{.outputs = 1}, {.loss = loss}, kTwoClasses),
                ElementsAre("training.loss"));
  }
  for (const LossSpec& loss : {LossSpec(CrossEntropy{}), LossSpec(BceWithLogits{})}) {
    EXPECT_THAT(PathsOf(Mlp{.outputs = 1}, {.loss = loss}, kReal), ElementsAre("training.loss"));
  }
}

TEST(TrainingCheck, AProgramMakesItsOwnModel) {
  TrainingSpec training;
  training.type = TrainingType::kProgram;
  training.program.run = "train.py:main";
  const auto outputs = [](int64_t number) { return ProgramModel{.outputs = number}; };
  EXPECT_THAT(PathsOf(outputs(3), training, kThreeClasses), IsEmpty());
  EXPECT_THAT(PathsOf(outputs(1), training, kTwoClasses), IsEmpty());
  EXPECT_THAT(PathsOf(outputs(1), training, kReal), IsEmpty());
  EXPECT_THAT(PathsOf(outputs(1), training, kThreeClasses), ElementsAre("model.outputs"));
  EXPECT_THAT(PathsOf(outputs(2), training, kReal), ElementsAre("model.outputs"));
  EXPECT_THAT(PathsOf(Mlp{.outputs = 3}, training, kThreeClasses), ElementsAre("model"));
  EXPECT_THAT(PathsOf(outputs(3), {}, kThreeClasses), ElementsAre("model"));
}

TEST(TrainingCheck, OutputsMustBeAsManyAsTheLossTakes) {
  const TrainingSpec logits = {.loss = BceWithLogits{}};
  EXPECT_THAT(PathsOf(Mlp{.outputs = 3}, {}, kThreeClasses), IsEmpty());
  EXPECT_THAT(PathsOf(Mlp{.outputs = 2}, {}, kThreeClasses), ElementsAre("model.outputs"));
  EXPECT_THAT(PathsOf(Mlp{.outputs = 1}, logits, kTwoClasses), IsEmpty());
  EXPECT_THAT(PathsOf(Mlp{.outputs = 2}, logits, kTwoClasses), ElementsAre("model.outputs"));
  EXPECT_THAT(PathsOf(Mlp{.outputs = 1}, logits, kThreeClasses), ElementsAre("training.loss"));
  EXPECT_EQ(FindTrainingProblems(Mlp{.outputs = 1}, {.loss = Hinge{}}, kThreeClasses)
                .front()
                .problem.hint,
            "use loss: multiclass_hinge");
  EXPECT_THAT(PathsOf(Mlp{.outputs = 2}, {.loss = Mse{}}, kReal), ElementsAre("model.outputs"));
  EXPECT_THAT(
      PathsOf(Mlp{.outputs = 3}, {.loss = CrossEntropy{.class_weights = {1, 2}}}, kThreeClasses),
      ElementsAre("training.loss.class_weights"));
}

TEST(TrainingCheck, AMixTakesKnownClasses) {
  const auto find = [](const LabelKind& label) {
    const TrainingSpec training = {
        .mix = Mix{.sources = {{.classes = {0, 1}}, {.classes = {1, 2, 5}}, {.files = "a/*"}, {}}}};
    std::vector<std::string> found;
    for (const TrainingProblem& problem : FindMixProblems(training, label)) {
      found.push_back(problem.path + ": " + problem.problem.message);
    }
    return found;
  };
  EXPECT_THAT(find(kThreeClasses),
              ElementsAre("training.mix.sources[1].classes: 'd' has no class 5"));
  EXPECT_THAT(find({.is_class = true, .dataset = "d"}), IsEmpty()) << "it names none";
  EXPECT_THAT(find(kReal),
              ElementsAre(HasSubstr("sources[0].classes: the label of 'd' is not a class"),
                          HasSubstr("sources[1].classes")));
  EXPECT_EQ(FindMixProblems({.buckets = Buckets{}, .mix = Mix{.sources = {{}}}}, kReal).size(), 1U);
  EXPECT_THAT(FindMixProblems({}, kReal), IsEmpty());
  const Mix mix = {.sources = {{}}};
  EXPECT_EQ(FindMixProblems({.shuffle = false, .mix = mix}, kReal).size(), 1u);
  EXPECT_EQ(FindMixProblems({.order = FullOrder{}, .mix = mix}, kReal).size(), 1u);
}

TEST(TrainingCheck, SparseGradientsNeedAnOptimizerThatTakesThem) {
  const ModelSpec model = EmbeddingBag{.vocabulary = 10, .sparse = true, .outputs = 2};
  EXPECT_THAT(PathsOf(model, {.optimizer = Adam{}}, kTwoClasses), ElementsAre("model.sparse"));
  EXPECT_THAT(PathsOf(model, {.optimizer = Adagrad{}}, kTwoClasses), IsEmpty());
  EXPECT_THAT(PathsOf(model, {.optimizer = Sgd{.momentum = 0.9}}, kTwoClasses),
              ElementsAre("model.sparse"));
  const std::vector<ModuleOptimizer> two = {{"embedding*", Sgd{.lr = 1}}, {"*", AdamW{}}};
  EXPECT_THAT(PathsOf(model, {.optimizers = two}, kTwoClasses), IsEmpty());
  EXPECT_THAT(PathsOf(model, {.ranks = 2, .optimizer = Adagrad{}}, kTwoClasses),
              ElementsAre("training.ranks"));
}

TEST(TrainingCheck, DownsamplingAsksOnlyForWhatExists) {
  const auto paths = [](const DownsamplingSpec& method, const LossSpec& loss,
                        const LabelKind& label, int64_t batch_size = 128) {
    const ModelSpec model = Mlp{.outputs = label.is_class ? 2 : 1};
    return PathsOf(model, {.batch_size = batch_size, .loss = loss, .downsampling = method}, label);
  };
  const LabelKind real = {.is_class = false, .num_classes = 0, .dataset = "weather"};
  EXPECT_THAT(paths(trainer_server::Margin{}, CrossEntropy{}, kTwoClasses), IsEmpty());
  EXPECT_THAT(paths(trainer_server::Margin{}, Mse{}, real), ElementsAre("training.downsampling"));
  EXPECT_THAT(paths(trainer_server::El2n{}, Mse{}, real), IsEmpty());
  EXPECT_THAT(paths(trainer_server::Craig{}, CrossEntropy{}, kTwoClasses), IsEmpty());
  EXPECT_THAT(paths(trainer_server::Craig{}, Mse{}, real), ElementsAre("training.downsampling"));
  trainer_server::LossSampling by_batch;
  by_batch.when = trainer_server::ScoreWhen::kBatchThenSample;
  by_batch.fraction = 0.01;
  EXPECT_THAT(paths(by_batch, Mse{}, real, 128), IsEmpty());
  EXPECT_THAT(paths(by_batch, Mse{}, real, 1024), ElementsAre("training.downsampling"));
  trainer_server::RhoLoss other;
  other.model = Logistic{.outputs = 3};
  EXPECT_THAT(paths(other, CrossEntropy{}, kTwoClasses),
              ElementsAre("training.downsampling.model"));
  const trainer_server::DownsamplingSchedule schedule{
      {{.triggers = 1, .use = trainer_server::NoDownsampling{}},
       {.use = trainer_server::Entropy{}}}};
  EXPECT_THAT(paths(schedule, Huber{}, real), ElementsAre("training.downsampling"));
}

TEST(InputCheck, EachNetworkNamesWhatItTakes) {
  const InputSpecs image = {{"input", {{1, 28, 28}, false}}};
  const InputSpecs tokens = {{"input", {{20}, true}}};
  const InputSpecs series = {{"input", {{24, 3}, false}}};
  const InputSpecs table = {{"input", {{13}, false}}, {"input_categories", {{2}, true}}};
  const std::vector<std::pair<ModelSpec, InputSpecs>> fitting = {
      {Mlp{}, image},
      {Logistic{}, series},
      {Convnet{}, image},
      {Resnet18{}, image},
      {Resnet50{}, image},
      {Densenet121{}, image},
      {EmbeddingBag{}, tokens},
      {TextTransformer{}, tokens},
      {Dlrm{.categories = {5, 6}}, table},
      {FactorizationMachine{.categories = {5, 6}}, table},
      {FactorizationMachine{.categories = std::vector<int64_t>(20, 9)}, tokens},
      {Gru{}, series},
      {Tcn{}, series},
      {TorchScript{}, table}};
  for (const auto& [model, inputs] : fitting) {
    const auto problem = model->FindInputProblem(inputs);
    EXPECT_FALSE(problem.has_value()) << model.type() << ": " << problem->message;
  }
  const std::vector<std::tuple<ModelSpec, InputSpecs, std::string>> wrong = {
      {Mlp{}, tokens, "an mlp takes float32 numbers, but 'input' has rows of int64 [20]"},
      {Convnet{}, {{"input", {{784}, false}}}, "a convnet takes images"},
      {Resnet18{}, {{"input", {{3, 8, 8}, false}}}, "at least 16x16"},
      {Resnet50{}, {{"input", {{3, 8, 8}, false}}}, "at least 16x16"},
      {Densenet121{.stem = Stem::kStandard}, image, "at least 32x32"},
      {EmbeddingBag{}, series,
       "token ids, int64 [length], but 'input' has rows of float32 [24, 3]"},
      {Dlrm{.categories = {5, 6, 7}}, table, "3 categories are listed"},
      {Dlrm{.categories = {5, 6}}, series, "a dlrm takes numbers, float32 [d]"},
      {Dlrm{.categories = {5}}, {{"input", {{4}, false}}}, "'input'"},
      {Gru{}, image, "series of shape [history, features]"},
      {Logistic{}, table, "takes no column 'input_categories'"}};
  for (const auto& [model, inputs, message] : wrong) {
    const auto problem = model->FindInputProblem(inputs);
    ASSERT_TRUE(problem.has_value()) << model.type();
    EXPECT_THAT(problem->message, HasSubstr(message));
  }
}

TEST(InputCheck, IdsHaveLimitsByColumn) {
  EXPECT_THAT(EmbeddingBag{.vocabulary = 7}.IdLimits("input"), ElementsAre(7));
  EXPECT_THAT((Dlrm{.categories = {5, 6}}).IdLimits("input_categories"), ElementsAre(5, 6));
  EXPECT_THAT(Mlp{}.IdLimits("input"), IsEmpty());
}

std::vector<std::string> BucketsPathsOf(const ModelSpec& model, const Buckets& buckets,
                                        const InputSpecs& inputs) {
  std::vector<std::string> paths;
  for (const TrainingProblem& problem : FindBucketsProblems(model, buckets, inputs)) {
    paths.push_back(problem.path);
    EXPECT_NE(problem.problem.hint, "");
  }
  return paths;
}

TEST(TrainingCheck, AnAugmentationMixesNumbersAndCutsImages) {
  const auto messages = [](AugmentType type, const InputSpecs& inputs) {
    std::vector<std::string> found;
    for (const TrainingProblem& one : FindAugmentProblems({.type = type}, inputs)) {
      EXPECT_EQ(one.path, "training.augment");
      found.push_back(one.problem.message);
    }
    return found;
  };
  const InputSpecs images = {{"input", {{3, 8, 9}, false}}, {"input_mask", {{8, 9}, false}}};
  const InputSpecs others = {{"input", {{3, 8, 9}, false}}, {"input_mask", {{9, 8}, false}}};
  const InputSpecs numbers = {{"input", {{5}, false}}};
  const InputSpecs ids = {{"input", {{5}, true}}};
  EXPECT_THAT(messages(AugmentType::kCutmix, images), IsEmpty());
  EXPECT_THAT(messages(AugmentType::kMixup, others), IsEmpty());
  EXPECT_THAT(messages(AugmentType::kMixup, numbers), IsEmpty());
  EXPECT_THAT(messages(AugmentType::kCutmix, others),
              ElementsAre("cutmix takes images of one size, but 'input_mask' has another one"));
  EXPECT_THAT(messages(AugmentType::kCutmix, numbers),
              ElementsAre(HasSubstr("cutmix is for images, but 'input' is")));
  EXPECT_THAT(messages(AugmentType::kMixup, ids),
              ElementsAre(HasSubstr("mixes numbers, but 'input' is")));
}

TEST(TrainingCheck, FindsWhatDoesNotFitInputsForBucketsAndAugmentations) {
  const InputSpecs tokens = {{"input", {{32}, true}}};
  EXPECT_THAT(FindInputsProblems(Mlp{}, {}, tokens), IsEmpty());
  EXPECT_EQ(FindInputsProblems(Mlp{}, {.buckets = Buckets{}}, tokens).size(), 1);
  EXPECT_EQ(FindInputsProblems(Mlp{}, {.augment = Augment{}}, tokens).size(), 1);
}

TEST(TrainingCheck, ABucketsHintNamesTheNetworksThatTakeThem) {
  const InputSpecs series = {{"input", {{32, 2}, false}}};
  const TrainingProblems problems = FindBucketsProblems(Mlp{}, {}, series);
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0].problem.hint,
            "leave buckets out, or use type: embedding_bag, text_transformer or torchscript");
}

TEST(TrainingCheck, BucketsAreForNetworksThatPoolOverTokensAndForScripts) {
  const InputSpecs tokens = {{"input", {{32}, true}}};
  const Buckets ragged = {.layout = RowLayout::kRagged};
  for (const ModelSpec& model : {ModelSpec(EmbeddingBag{}), ModelSpec(TorchScript{})}) {
    EXPECT_THAT(BucketsPathsOf(model, {}, tokens), IsEmpty());
    EXPECT_THAT(BucketsPathsOf(model, ragged, tokens), IsEmpty());
  }
  EXPECT_THAT(BucketsPathsOf(TextTransformer{}, {}, tokens), IsEmpty());
  EXPECT_THAT(BucketsPathsOf(TextTransformer{}, ragged, tokens),
              ElementsAre("training.buckets.layout"));
  EXPECT_THAT(BucketsPathsOf(EmbeddingBag{}, {.padding = 1}, tokens),
              ElementsAre("training.buckets.padding"));
  const InputSpecs series = {{"input", {{32, 2}, false}}};
  for (const ModelSpec& model : {ModelSpec(Mlp{}), ModelSpec(Gru{}), ModelSpec(Tcn{})}) {
    EXPECT_THAT(BucketsPathsOf(model, {}, series), ElementsAre("training.buckets"));
  }
}

TEST(TrainingCheck, BucketsAreOfAColumnThatHasALengthWithinIt) {
  const InputSpecs inputs = {{"input", {{32}, true}}, {"input_number", {{}, false}}};
  const auto paths = [&](const Buckets& buckets) {
    return BucketsPathsOf(TorchScript{}, buckets, inputs);
  };
  EXPECT_THAT(paths({.boundaries = {8, 32}}), IsEmpty());
  EXPECT_THAT(paths({.boundaries = {8, 64}}), ElementsAre("training.buckets.boundaries"));
  EXPECT_THAT(paths({.column = "input_missing"}), ElementsAre("training.buckets.column"));
  EXPECT_THAT(paths({.column = "input_number"}), ElementsAre("training.buckets.column"));
  EXPECT_THAT(paths({.padding = 0.5}), ElementsAre("training.buckets.padding"));
  const InputSpecs clash = {{"input", {{32}, true}}, {"input_offsets", {{2}, true}}};
  EXPECT_THAT(BucketsPathsOf(TorchScript{}, {.layout = RowLayout::kRagged}, clash),
              ElementsAre("training.buckets.layout"));
}

}  // namespace
}  // namespace tidemill::models
