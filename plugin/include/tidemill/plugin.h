/* What a plug-in of Tidemill is, for shared objects in any language that speaks C.
 *
 * A plug-in is code of yours that a pipeline names: a trigger policy, a selection policy, a
 * score, an op, a measure or a format. It runs in its own process, tidemill-plugin-host, which
 * loads the shared object and calls these functions from one thread. A plug-in is pure: settings, a
 * seed, numbers and columns go in; numbers, columns and a sealed state come out.
 *
 * Authors in C++ use plugin.hpp, which implements these structs with a class. Authors in Python use
 * the module tidemill.plugin.
 *
 *   const TidemillPlugin* tidemill_plugin(uint32_t index);
 *
 * is exported: the plug-ins of the file, NULL after the last.
 *
 * Versions: structs begin with their size and only grow at their end. A host passes over what it
 * does not know and does without what a plug-in does not have, so a shared object that was compiled
 * against an earlier header loads in every later host of the same TIDEMILL_PLUGIN_VERSION. Code
 * that iterates over an array of such structs, host or plug-in, steps by the size that its elements
 * state.
 *
 * Memory: what a host gives is valid during the call. What a plug-in gives is valid until its next
 * call, or until it is destroyed. Texts are UTF-8 and end with a zero byte.
 *
 * Failures: a function that can fail returns 0 for success. Otherwise it has called
 * TidemillHost.fail with a reason. */
/* NOLINTBEGIN(readability-identifier-naming): names of C. */
#ifndef TIDEMILL_PLUGIN_H_
#define TIDEMILL_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#include "arrow.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TIDEMILL_PLUGIN_VERSION 1

/* Columns of the same number of rows: a struct array (format "+s") with a child for each column. A
 * column of one number a row has a primitive format: "l" int64, "i" int32, "C" uint8, "f" float32,
 * "g" float64. A column of n numbers a row is a fixed-size list "+w:n" of these. Byte strings are
 * "Z" (64-bit offsets). The host owns it; it is read-only, and writing to it ends the process. */
typedef struct TidemillColumns {
  const struct ArrowSchema* schema;
  const struct ArrowArray* array;
} TidemillColumns;

/* A number by its name. */
typedef struct TidemillNumber {
  const char* name;
  double value;
} TidemillNumber;

typedef struct TidemillBytes {
  const void* data;
  size_t size;
} TidemillBytes;

/* What the host does for a plug-in. The pointer is valid as long as the plug-in is. */
typedef struct TidemillHost {
  size_t size;
  /* Says why the call fails. Copies both; `where` may be NULL. */
  void (*fail)(const struct TidemillHost* host, const char* what, const char* where);
  /* The path of a data file that the pipeline names in `files`, by the name that it has there; NULL
   * for none. The file is read-only. Valid as long as the plug-in is. */
  const char* (*file)(const struct TidemillHost* host, const char* name);
} TidemillHost;

enum TidemillSettingType {
  TIDEMILL_NUMBER = 1,
  TIDEMILL_INTEGER = 2,
  TIDEMILL_BOOLEAN = 3,
  TIDEMILL_TEXT = 4,
  TIDEMILL_NUMBERS = 5,
  TIDEMILL_TEXTS = 6
};

/* A setting: what `with:` of a pipeline may say. */
typedef struct TidemillSetting {
  size_t size;
  const char* name;
  const char* doc;
  enum TidemillSettingType type;
  /* As JSON; NULL: the setting is required. */
  const char* default_json;
  /* Bounds of numbers, both inclusive; -INFINITY and INFINITY for none. */
  double min, max;
  /* Texts that are allowed, NULL after the last; NULL: all. */
  const char* const* choices;
} TidemillSetting;

/* A setting with the value that an instance gets. One member counts, by the setting's type. */
typedef struct TidemillValue {
  size_t size;
  const char* name;
  double number;
  int64_t integer; /* Booleans, too. */
  const char* text;
  const double* numbers;
  const char* const* texts;
  size_t count; /* For columns of numbers or texts. */
} TidemillValue;

/* A place in the stream: microseconds since 1970, UTC, and the key of a sample. */
typedef struct TidemillCut {
  int64_t event_time;
  int64_t key;
} TidemillCut;

/* ---- Triggers ---- */

enum TidemillEvidenceKind {
  TIDEMILL_SAMPLES = 1,     /* Columns `key` and `event_time`, int64. */
  TIDEMILL_ERRORS = 2,      /* 0 or 1 for classes, |predicted - true| for real labels. */
  TIDEMILL_PREDICTIONS = 3, /* A probability for each class, or the predicted value. */
  TIDEMILL_EMBEDDINGS = 4,  /* What the model's last layer is given. */
  TIDEMILL_LABELS = 5,
  TIDEMILL_RECORD_COLUMNS = 6 /* Numbers of the records. */
};

enum TidemillSince { TIDEMILL_DECISION = 1, TIDEMILL_TRAINING = 2, TIDEMILL_BEGINNING = 3 };

/* What a trigger looks at at its decisions. Tables other than those of samples have the columns
 * `values`, float64, and `key`, int64: a sample without a label has no error, so that two tables
 * may have other samples. */
typedef struct TidemillEvidence {
  size_t size;
  const char* name;
  enum TidemillEvidenceKind kind;
  enum TidemillSince since;
  int64_t newest;             /* The number of last rows; 0 for all. */
  int64_t most_rows;          /* The largest number, drawn by their keys; 0 for all. */
  const char* const* columns; /* For TIDEMILL_RECORD_COLUMNS, NULL after the last; else NULL. */
} TidemillEvidence;

/* Where a trigger decides: exactly one is set. */
typedef struct TidemillPoints {
  size_t size;
  int64_t samples;      /* After this many. */
  double seconds;       /* At the end of each period of event time. */
  const char* calendar; /* "day", "week", "month" or "year". */
} TidemillPoints;

typedef struct TidemillTable {
  size_t size;
  const char* name;
  TidemillColumns columns;
  int64_t missing; /* Samples that could not be looked at. */
} TidemillTable;

typedef struct TidemillMoment {
  size_t size;
  TidemillCut at;
  int64_t num_new; /* Samples since the last training. */
  int has_model;
  const TidemillTable* tables; /* In the order of looks_at. */
  size_t num_tables;
} TidemillMoment;

typedef struct TidemillVerdict {
  size_t size;
  int fired;
  const char* because; /* A sentence. */
  /* What was compared; `quantity` NULL for nothing. */
  const char* quantity;
  double value, threshold;
  const char* unit;
} TidemillVerdict;

typedef struct TidemillTrigger {
  size_t size;
  int (*points)(void* self, TidemillPoints* points);
  /* Sets *count and returns the first; NULL for none. */
  const TidemillEvidence* (*looks_at)(void* self, size_t* count);
  /* What came since the last decision, before `observe`. May be NULL. */
  int (*trained)(void* self, const TidemillCut* at);
  int (*cost)(void* self, int64_t num_samples, double seconds);
  int (*no_model)(void* self);
  /* Looks, and may remember. */
  int (*observe)(void* self, const TidemillMoment* moment, const TidemillNumber** observed,
                 size_t* count);
  /* A function of the settings and of the numbers observed, which may come in any order: find them
   * by name. */
  int (*judge)(void* self, const TidemillNumber* observed, size_t count, TidemillVerdict* verdict);
} TidemillTrigger;

/* ---- Measures ---- */

/* A measure is made of numbers of each sample, its contributions. The owner weights them and adds
 * them up: for a window, for a slice, for a drawing of an interval. So what a sample contributes
 * must not depend on the rows beside it. The value follows from the sums. */
typedef struct TidemillMeasure {
  size_t size;
  int of_values;           /* For real labels; else for classes. */
  int needs_probabilities; /* Else of predictions. */
  int higher_is_better;
  const char* unit;
  size_t width; /* Numbers that each sample contributes: 1 to 64. */
  /* Columns `label`, `prediction` and, where asked for, `probabilities`. Writes `width` finite
   * numbers for each row, row after row; they are zeros before. */
  int (*contribute)(void* self, const TidemillColumns* block, double* contributions);
  /* `sums`: `num_rows` rows of `width` numbers, each the sums over other samples. Writes a value
   * for each row; a value that is not finite, as before the call, means that there is none. NULL:
   * the value is the mean of what samples contribute, and `width` is 1. */
  int (*combine)(void* self, const double* sums, size_t num_rows, double* values);
} TidemillMeasure;

/* ---- Ops ---- */

enum TidemillColumnFormat {
  TIDEMILL_INT64 = 1,
  TIDEMILL_INT32 = 2,
  TIDEMILL_UINT8 = 3,
  TIDEMILL_FLOAT32 = 4,
  TIDEMILL_FLOAT64 = 5,
  TIDEMILL_BINARY = 6 /* Byte strings of any length. */
};

/* A column that an op takes or makes. */
typedef struct TidemillColumnType {
  size_t size;
  const char* name;
  enum TidemillColumnFormat format;
  const int64_t* shape;  /* Numbers in a row, by dimension; NULL for one number. */
  size_t num_dimensions; /* 0 for one number, and for byte strings. */
} TidemillColumnType;

/* What an op says about itself once it knows its inputs. */
typedef struct TidemillOutputs {
  size_t size;
  const TidemillColumnType* columns;
  size_t count;
  int fits; /* Whether it learns from samples first. */
} TidemillOutputs;

/* What an op makes of a block of rows. */
typedef struct TidemillMade {
  size_t size;
  /* For each output, in the order of TidemillOutputs, where its numbers go: row after row, all
   * zeros so far. NULL for byte strings. */
  void* const* numbers;
  size_t num_outputs;
  /* Gives all byte strings of an output: row i has the bytes from offsets[i] to offsets[i + 1] of
   * `data`. Copies both. Pass a failure on. */
  int (*give_strings)(const struct TidemillMade* made, size_t output, const int64_t* offsets,
                      const void* data);
  /* Nothing can be made of this row of the block, and why: it is a bad sample. Copies `why`. */
  void (*reject)(const struct TidemillMade* made, int64_t row, const char* why);
} TidemillMade;

typedef struct TidemillOp {
  size_t size;
  /* Asked once, before all else. */
  int (*outputs)(void* self, const TidemillColumnType* inputs, size_t num_inputs,
                 TidemillOutputs* outputs);
  /* Learns from blocks of rows, then that there are no more; NULL for an op that learns nothing.
   * What it has learnt is what `seal` gives; it is asked after each block, too. */
  int (*fit)(void* self, const TidemillColumns* block);
  int (*fitted)(void* self);
  /* What it makes of a row must not depend on the rows beside it. */
  int (*apply)(void* self, const TidemillColumns* block, const TidemillMade* made);
} TidemillOp;

/* ---- Scores ---- */

/* What a score is made of: a column of that name. */
enum TidemillScoreColumn {
  TIDEMILL_SCORE_LOSSES = 1,        /* `losses`, float32. */
  TIDEMILL_SCORE_PROBABILITIES = 2, /* `probabilities`, float32, one for each class. */
  TIDEMILL_SCORE_EMBEDDINGS = 3,    /* `embeddings`, float32: what the last layer is given. */
  TIDEMILL_SCORE_LABELS = 4,        /* `labels`, int64 for classes, else float64. */
  TIDEMILL_SCORE_EVENT_TIMES = 5,   /* `event_times`, int64. */
  TIDEMILL_SCORE_AGES = 6           /* `ages`, float64: seconds before the newest sample. */
};

enum TidemillScoreKeep {
  TIDEMILL_KEEP_GREATEST = 1,
  TIDEMILL_KEEP_LEAST = 2,
  TIDEMILL_KEEP_IN_PROPORTION = 3 /* Samples are drawn; scores are not negative. */
};

typedef struct TidemillScore {
  size_t size;
  /* Sets *count and returns the first. */
  const enum TidemillScoreColumn* (*looks_at)(void* self, size_t* count);
  enum TidemillScoreKeep (*keep)(void* self);
  /* Writes a finite number for each of `count` rows of a block: the columns `key` and those that
   * the score looks at. A row has the same score whatever the other rows are. */
  int (*score)(void* self, const TidemillColumns* block, double* scores, size_t count);
} TidemillScore;

/* ---- Selections ---- */

/* Every key has a lot: 64 random bits that follow from the run's seed, the trigger and the key. A
 * uniform draw of k samples takes the k smallest lots; of equal ones, those of the smaller keys.
 * Built-in policies draw by the same lots. The lot of a key is
 *
 *   m = times * (key ^ flip), a product of 128 bits
 *   h = plus + (the low half of m ^ the high half of m)
 *   h = (h ^ h >> 37) * 0x165667919E3779F9
 *   lot = h ^ h >> 32
 *
 * where everything but m is modulo 2^64. */
typedef struct TidemillLots {
  size_t size;
  uint64_t times, flip, plus;
} TidemillLots;

/* What a selection is asked for when all candidates have been there. */
typedef struct TidemillWanted {
  size_t size;
  int64_t num_candidates;
  int64_t target;    /* Samples that the pipeline asks for; negative where it does not say. */
  int64_t most_rows; /* Rows that one answer may have. */
} TidemillWanted;

/* Rows that are chosen: ascending, each after all that were chosen before, counted from the first
 * candidate. `weights`: NULL where samples have none; then none of the choice has one. */
typedef struct TidemillChosen {
  size_t size;
  const int64_t* rows;
  const float* weights;
  size_t count;
  int is_done; /* For `choose`: whether these are the last ones. */
} TidemillChosen;

typedef struct TidemillSelection {
  size_t size;
  int unbiased; /* Whether weights make the loss that of all candidates, on average. */
  /* Some of "event_times", "labels", "embeddings", "predictions" and "column:NAME", NULL after the
   * last. May be NULL for a selection that looks at keys alone. */
  const char* const* (*looks_at)(void* self);
  /* Called once, before candidates come. May be NULL. */
  int (*begin)(void* self, const TidemillLots* lots);
  /* Some candidates, in the order of the stream: the column `key`, int64, and what it looks at,
   * each under that name. `event_times` and `labels` are int64, all others float. May choose rows
   * up to here. */
  int (*add)(void* self, const TidemillColumns* candidates, TidemillChosen* chosen);
  /* The choice, or the next part of it. Called until it is done. */
  int (*choose)(void* self, const TidemillWanted* wanted, TidemillChosen* chosen);
} TidemillSelection;

/* ---- Formats ---- */

/* A piece of a file: its bytes from `offset` on. Pieces are cut anywhere. */
typedef struct TidemillPiece {
  size_t size;
  const void* data;
  size_t num_bytes;
  int64_t offset;
  int is_last; /* Whether nothing follows, now or later. */
  /* The first bytes of the file: as many as the format asks for, or the whole file. */
  const void* head;
  size_t num_head_bytes;
} TidemillPiece;

/* The whole records in a piece. Arrays have `count` elements; NULL for what records never have. */
typedef struct TidemillRecords {
  size_t size;
  size_t count;
  /* Where records begin and end in the piece. They are not empty, and follow one another. */
  const int64_t* begins;
  const int64_t* ends;
  /* At most one of the two. */
  const int64_t* class_labels;
  const double* real_labels;
  const int64_t* event_times; /* Microseconds since 1970, UTC. */
  /* 1 for a record with a label, or a time; NULL: all have one. */
  const uint8_t* has_label;
  const uint8_t* has_event_time;
  /* Bytes of the piece that are done with. The others are given again, with those that follow. */
  size_t consumed;
  /* A record that is not a sample, and why. Copies `why`. Call it during `read`. */
  void (*reject)(const struct TidemillRecords* records, size_t record, const char* why);
} TidemillRecords;

typedef struct TidemillFormat {
  size_t size;
  /* The first bytes of a file that `read` wants to see beside each piece: at most 1 MiB. */
  size_t num_head_bytes;
  /* What it says about a record must not depend on how the file is cut into pieces. */
  int (*read)(void* self, const TidemillPiece* piece, TidemillRecords* records);
} TidemillFormat;

/* ---- Plug-ins ---- */

typedef struct TidemillPlugin {
  size_t size;
  uint32_t version; /* TIDEMILL_PLUGIN_VERSION as the plug-in was compiled. */
  /* "trigger", "selection", "score", "op", "measure" or "format". */
  const char* kind;
  /* As pipelines write it after the colon: `use: surprise.so:Surprise`. */
  const char* name;
  const char* doc;
  const char* author_version;
  const TidemillSetting* settings;
  size_t num_settings;
  /* `values` holds all settings, in their order. NULL after a failure. */
  void* (*create)(const TidemillHost* host, const TidemillValue* values, size_t count,
                  uint64_t seed);
  void (*destroy)(void* self);
  /* What it remembers, as bytes, and back. May be NULL for a plug-in that remembers nothing. */
  int (*seal)(void* self, TidemillBytes* state);
  int (*restore)(void* self, TidemillBytes state);
  /* By its kind: a TidemillTrigger, a TidemillSelection, a TidemillScore, a TidemillOp, a
   * TidemillMeasure or a TidemillFormat. */
  const void* functions;
} TidemillPlugin;

const TidemillPlugin* tidemill_plugin(uint32_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TIDEMILL_PLUGIN_H_ */
/* NOLINTEND(readability-identifier-naming) */
