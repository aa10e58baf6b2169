"""Gradient-boosted trees of LightGBM."""
import lightgbm

from tidemill import plugin
from tidemill.training import Estimator, Training


def main(training: Training, trees: int = plugin.Integer(60, min=1, doc="How many trees grow for each class."),
         rate: float = plugin.Number(0.1, min=0, doc="The learning rate.")) -> Estimator:
    """Adds tree after tree, and reports the loss after each."""
    rows = training.whole()

    def report(told: lightgbm.callback.CallbackEnv) -> None:
        training.report(loss=told.evaluation_result_list[0][2])

    model = lightgbm.LGBMClassifier(n_estimators=trees, learning_rate=rate, num_leaves=15, n_jobs=training.num_threads,
                                    deterministic=True, force_row_wise=True, random_state=training.seed % 2**31, verbose=-1)
    model.fit(rows.input, rows.targets, sample_weight=rows.weights, eval_set=[(rows.input, rows.targets)], callbacks=[report])
    return training.estimator(model)
