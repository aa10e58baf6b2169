// Guesses the model, the trigger, the training and the measures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/init/look/guess.h"

namespace tidemill::cli {

// About how many trainings a run over a table makes.
inline constexpr int64_t kTrainings = 8;

// The inputs of the choice.
struct TrainingFacts {
  std::string dataset = {};
  int64_t num_samples = 0;     // The estimated number.
  int64_t num_classes = 0;     // 0: regression.
  bool is_unbalanced = false;  // One class is rare.
  int64_t vocabulary = 0;      // The ids of a text; else 0.
  // The ids of each category, when the input is ids of users and items; else empty.
  std::vector<int64_t> categories = {};
  bool has_numbers = false;  // Beside the categories.
  bool is_image = false;
  bool time_is_known = false;
  Duration span = {};                  // From the first to the last time.
  int64_t num_trainings = kTrainings;  // About how many trainings the data should make.
  int64_t num_steps = 2'000;           // About how many steps a training should have.
  // Whether the run only judges the recipe: three trainings, the last one with samples after it.
  bool is_trial = false;
};

// One way to make models of the same data.
struct Recipe {
  // A linear model; for a text, a bag of words without layers; for ids, a factorization machine.
  // Otherwise the small network for data of this kind.
  bool is_linear = true;
  // Each training begins afresh with all samples so far; otherwise it continues with the new ones.
  bool all_data = true;

  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// "a linear model on all data so far"
std::string Describe(const Recipe& recipe, const TrainingFacts& facts);

// The recipes that suit the data, the simplest first.
std::vector<Recipe> RecipesFor(const TrainingFacts& facts);

// The recipe for data on which nothing is tried.
Recipe UntriedRecipe(const TrainingFacts& facts);

// The sections `model`, `trigger`, `selection`, `training` and `evaluation`, in this order.
std::vector<Guess> ChooseTraining(const TrainingFacts& facts, const Recipe& recipe);

int64_t WholeDays(Duration span);

// Returns the number with all digits but the first one set to 0; 1 at least.
int64_t RoundDown(int64_t number);

}  // namespace tidemill::cli
