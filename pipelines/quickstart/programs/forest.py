"""A random forest of scikit-learn."""
from sklearn.ensemble import RandomForestClassifier

from tidemill import plugin
from tidemill.training import Estimator, Training


def main(training: Training, trees: int = plugin.Integer(100, min=1, doc="How many trees grow.")) -> Estimator:
    """Grows a forest on all samples at once."""
    rows = training.whole()
    forest = RandomForestClassifier(n_estimators=trees, n_jobs=1, random_state=training.seed % 2**32)
    forest.fit(rows.input, rows.targets, sample_weight=rows.weights)
    training.report(accuracy=forest.score(rows.input, rows.targets))
    return training.estimator(forest)
