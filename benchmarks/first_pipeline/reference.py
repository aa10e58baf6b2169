"""scikit-learn's models as a competent user would apply them, on the rows, cuts and windows of a run.

Numbers: the mean for what is missing, standardised. Categories: one-hot. Times: hour, weekday and season as sine and cosine,
each where the training's rows cover it. Texts: TF-IDF of words and pairs, with a model for each class against the others
and C=10, since its rows of length 1 need less restraint. Pixels: divided by 255.
"""
import warnings

import numpy as np
import scipy.sparse
from sklearn import ensemble, feature_extraction, impute, linear_model, metrics, multiclass, pipeline, preprocessing

DAY = 86_400
YEAR = 365.25 * DAY
CATEGORIES_OF_TREES = 255  # what HistGradientBoosting takes
SMALLER_IS_BETTER = ("mae", "rmse", "log_loss")

warnings.filterwarnings("ignore")


def is_known(target):
    return target != "" if target.dtype.kind == "U" else ~np.isnan(target)


class Features:
    """Learns from the rows of a training what becomes of all rows."""

    def __init__(self, table, rows):
        self.table = table
        self.parts = time_parts(table.times, rows)
        self.numbers = pipeline.make_pipeline(impute.SimpleImputer(keep_empty_features=True), preprocessing.StandardScaler())
        self.categories = preprocessing.OneHotEncoder(handle_unknown="ignore")
        self.texts = {name: feature_extraction.text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True) for name in table.texts}
        self._learn(rows)

    def of(self, rows):
        blocks = []
        if self.table.numbers:
            blocks.append(self.numbers.transform(self._numbers(rows)))
        if self.parts:
            blocks.append(cyclic(self.table.times[rows], self.parts))
        if self.table.categories:
            blocks.append(self.categories.transform(self._categories(rows)))
        if self.table.pixels is not None:
            blocks.append(self.table.pixels[rows].astype(np.float32) / 255)
        blocks += [self.texts[name].transform(values_at(texts, rows)) for name, texts in self.table.texts.items()]
        if any(scipy.sparse.issparse(block) for block in blocks):
            joined = scipy.sparse.hstack(blocks).tocsr()
            return joined.toarray() if joined.shape[1] <= 500 else joined
        return np.hstack(blocks)

    def _learn(self, rows):
        if self.table.numbers:
            self.numbers.fit(self._numbers(rows))
        if self.table.categories:
            self.categories.fit(self._categories(rows))
        for name, texts in self.table.texts.items():
            self.texts[name].fit(values_at(texts, rows))

    def _numbers(self, rows):
        return np.column_stack([np.asarray(values)[rows] for values in self.table.numbers.values()])

    def _categories(self, rows):
        return np.column_stack([np.asarray(values).astype(str)[rows] for values in self.table.categories.values()])


def values_at(values, rows):
    return [values[row] for row in rows]


def time_parts(times, rows):
    """The lengths of the cycles that the rows show."""
    if times is None:
        return []
    covered = np.ptp(times[rows])
    within_days = (times % DAY != 0).any()
    return [length for length, least in ((DAY, 2 * DAY), (7 * DAY, 14 * DAY), (YEAR, YEAR))
            if covered >= least and (within_days or length != DAY)]


def cyclic(times, lengths):
    return np.column_stack([turn(2 * np.pi * times / length) for length in lengths for turn in (np.sin, np.cos)])


class TreeFeatures:
    """What trees need: numbers without scaling, categories as numbers, the parts of times."""

    def __init__(self, table, rows):
        self.table = table
        self.parts = time_parts(table.times, rows)
        self.codes = preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan)
        self.columns = {name: np.asarray(values).astype(str) for name, values in table.categories.items()}
        if self.columns:
            self.codes.fit(self._categories(rows))

    def of(self, rows):
        blocks = [np.asarray(values)[rows].reshape(-1, 1) for values in self.table.numbers.values()]
        blocks += [(self.table.times[rows] % length / length).reshape(-1, 1) for length in self.parts]
        if self.columns:
            blocks.append(self.codes.transform(self._categories(rows)))
        return np.hstack(blocks)

    def categorical(self):
        """Which columns are categories; those with too many of them count as numbers."""
        before = len(self.table.numbers) + len(self.parts)
        return [before + at for at, known in enumerate(self.codes.categories_ if self.columns else []) if len(known) < CATEGORIES_OF_TREES]

    def _categories(self, rows):
        return np.column_stack([values[rows] for values in self.columns.values()])


class Nothing:
    def of(self, rows):
        return np.zeros((len(rows), 1))


class Constant:
    def __init__(self, target):
        self.classes_ = np.unique(target)

    def predict(self, features):
        return np.repeat(self.classes_[:1], features.shape[0])

    def predict_proba(self, features):
        return np.ones((features.shape[0], 1))


def constant(table, rows):
    """The run's own rule of this name: where both differ, rows are not those of the run."""
    target = table.target[rows]
    if target.dtype.kind != "U":
        return Nothing(), Constant(np.array([target.mean()]))
    classes, counts = np.unique(target, return_counts=True)
    return Nothing(), Constant(classes[[counts.argmax()]])


def linear(table, rows):
    features, target = Features(table, rows), table.target[rows]
    if target.dtype.kind != "U":
        model = linear_model.Ridge(alpha=1)
    elif len(np.unique(target)) == 1:
        return features, Constant(target)
    elif table.texts:
        model = multiclass.OneVsRestClassifier(linear_model.LogisticRegression(C=10, solver="liblinear", max_iter=1000))
    else:
        model = linear_model.LogisticRegression(max_iter=1000)
    return features, model.fit(features.of(rows), target)


def trees(table, rows):
    features, target = TreeFeatures(table, rows), table.target[rows]
    options = {"categorical_features": features.categorical(), "random_state": 0}
    if target.dtype.kind != "U":
        model = ensemble.HistGradientBoostingRegressor(**options)
    elif len(np.unique(target)) == 1:
        return features, Constant(target)
    else:
        # With few rows of some class, no part can be held out for stopping.
        few = min(np.unique(target, return_counts=True)[1]) < 10
        model = ensemble.HistGradientBoostingClassifier(early_stopping=False if few else "auto", **options)
    return features, model.fit(features.of(rows), target)


def prequential(train, table, windows, trained_on, measure, pooling):
    """The measure of a model that is trained for each window on `trained_on(window)`, over all windows."""
    classes = np.unique(table.target[is_known(table.target)]) if table.target.dtype.kind == "U" else None
    truths, answers, scores, kept, last = [], [], [], None, None
    for window in windows:
        rows = trained_on(window)
        rows = rows[is_known(table.target[rows])]
        judged = window.rows[is_known(table.target[window.rows])]
        if len(judged) == 0:
            continue
        if last is None or not np.array_equal(rows, last):
            kept, last = train(table, rows), rows
        features, model = kept
        inputs = features.of(judged)
        truths.append(table.target[judged])
        answers.append(model.predict(inputs))
        scores.append(chances(model, inputs, classes) if measure == "roc_auc" else None)
    return over_windows(measure, pooling, truths, answers, scores, classes)


def chances(model, inputs, classes):
    """The probability of each class of the table."""
    found = np.zeros((inputs.shape[0], len(classes)))
    found[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(inputs)
    return found


def over_windows(measure, pooling, truths, answers, scores, classes):
    if pooling == "mean over windows":
        values = [one(measure, *window, classes) for window in zip(truths, answers, scores)]
        return float(np.average(values, weights=[len(truth) for truth in truths]))
    return one(measure, np.concatenate(truths), np.concatenate(answers), None if scores[0] is None else np.concatenate(scores), classes)


def one(measure, truth, answer, score, classes):
    match measure:
        case "accuracy":
            return float(np.mean(truth == answer))
        case "f1_macro":
            return float(metrics.f1_score(truth, answer, labels=classes, average="macro", zero_division=0))
        case "roc_auc":
            return float(metrics.roc_auc_score(truth == classes[1], score[:, 1])) if len(np.unique(truth)) == 2 else float("nan")
        case "mae":
            return float(np.mean(np.abs(truth - answer)))
        case "rmse":
            return float(np.sqrt(np.mean((truth - answer) ** 2)))
        case "r2":
            return float(metrics.r2_score(truth, answer))
    raise ValueError(f"the reference has no measure {measure}")
