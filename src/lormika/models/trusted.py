"""What a skops file may hold without asking the user: exact types, and how each may be built.

How the list was reviewed. The classifiers and common regressors of scikit-learn 1.9, and its common transformers, were
fitted, saved with skops 0.16 and broken down into types. The Python sources of these types and their bases were then
searched for code used in restoring and predicting that calls, imports, opens, evaluates or loads something by a name
from the file; the skops code that builds each node was read. The following are left out, and must be named by the user:

- functions, methods, `functools.partial` and `operator.*`, which call something; a `FunctionTransformer` is listed,
  since each passthrough column is one, but its function is not;
- `StackingClassifier` and tuned thresholds, which call methods by names from the file, and scorers;
- vectorisers, which open files by name;
- neighbours, support vector machines with kernels, Gaussian processes and sparse matrices, whose compiled code follows
  positions in the file unchecked; those of trees are checked once they are loaded, see `trees`. Malicious numbers may
  still crash the interpreter: a file from a stranger belongs in a separate process.

A way of building is a node of the skops format. The same type in another way, such as a list that is an estimator, is
not trusted.
"""

from __future__ import annotations


def _names(module: str, types: str) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for name in types.split())


_SCALARS = _names("builtins", "str int float bool") | _names(
    "numpy", "bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 str_"
)

_PREDICTORS = (
    _names("sklearn.linear_model._logistic", "LogisticRegression LogisticRegressionCV")
    | _names("sklearn.linear_model._base", "LinearRegression")
    | _names("sklearn.linear_model._coordinate_descent", "Lasso LassoCV ElasticNet ElasticNetCV")
    | _names("sklearn.linear_model._ridge", "Ridge RidgeClassifier RidgeClassifierCV")
    | _names("sklearn.linear_model._stochastic_gradient", "SGDClassifier SGDRegressor")
    | _names("sklearn.linear_model._perceptron", "Perceptron")
    | _names("sklearn.linear_model._passive_aggressive", "PassiveAggressiveClassifier")
    | _names("sklearn.svm._classes", "LinearSVC")
    | _names("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis")
    | _names("sklearn.naive_bayes", "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB")
    | _names("sklearn.neighbors._nearest_centroid", "NearestCentroid")
    | _names("sklearn.neural_network._multilayer_perceptron", "MLPClassifier MLPRegressor")
    | _names("sklearn.neural_network._stochastic_optimizers", "AdamOptimizer SGDOptimizer")
    | _names("sklearn.dummy", "DummyClassifier DummyRegressor")
    | _names(
        "sklearn.tree._classes", "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor"
    )
    | _names(
        "sklearn.ensemble._forest",
        "RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor",
    )
    | _names("sklearn.ensemble._gb", "GradientBoostingClassifier GradientBoostingRegressor")
    | _names(
        "sklearn.ensemble._hist_gradient_boosting.gradient_boosting",
        "HistGradientBoostingClassifier HistGradientBoostingRegressor",
    )
    | _names("sklearn.ensemble._hist_gradient_boosting.binning", "_BinMapper")
    | _names("sklearn.ensemble._hist_gradient_boosting.predictor", "TreePredictor")
    | _names(
        "sklearn._loss.loss", "HalfBinomialLoss HalfMultinomialLoss ExponentialLoss HalfSquaredError AbsoluteError"
    )
    | _names("sklearn._loss.link", "HalfLogitLink IdentityLink Interval LogitLink LogLink MultinomialLogit")
    | _names("sklearn.ensemble._weight_boosting", "AdaBoostClassifier")
    | _names("sklearn.ensemble._bagging", "BaggingClassifier")
    | _names("sklearn.ensemble._voting", "VotingClassifier")
    | _names("sklearn.multiclass", "OneVsRestClassifier OneVsOneClassifier _ConstantPredictor")
    | _names("sklearn.calibration", "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration")
    | _names("sklearn.isotonic", "IsotonicRegression")
)

_TRANSFORMERS = (
    _names("sklearn.pipeline", "Pipeline FeatureUnion")
    | _names("sklearn.compose._column_transformer", "ColumnTransformer make_column_selector")
    | _names("sklearn.preprocessing._data", "Binarizer MaxAbsScaler MinMaxScaler Normalizer PowerTransformer")
    | _names("sklearn.preprocessing._data", "QuantileTransformer RobustScaler StandardScaler")
    | _names("sklearn.preprocessing._discretization", "KBinsDiscretizer")
    | _names("sklearn.preprocessing._encoders", "OneHotEncoder OrdinalEncoder")
    | _names("sklearn.preprocessing._target_encoder", "TargetEncoder")
    | _names("sklearn.preprocessing._function_transformer", "FunctionTransformer")
    | _names("sklearn.preprocessing._label", "LabelBinarizer LabelEncoder")
    | _names("sklearn.preprocessing._polynomial", "PolynomialFeatures")
    | _names("sklearn.impute._base", "MissingIndicator SimpleImputer")
    | _names("sklearn.decomposition._pca", "PCA")
    | _names("sklearn.decomposition._truncated_svd", "TruncatedSVD")
    | _names("sklearn.feature_selection._variance_threshold", "VarianceThreshold")
)

# Node of the format -> types that it may build.
TRUSTED: dict[str, frozenset[str]] = {
    "JsonNode": _names("builtins", "str"),  # whatever its type is said to be, it is read as JSON
    "DictNode": _names("builtins", "dict") | _names("collections", "OrderedDict")
    | _names("sklearn.utils._bunch", "Bunch"),
    "ListNode": _names("builtins", "list"),
    "SetNode": _names("builtins", "set"),
    "TupleNode": _names("builtins", "tuple"),
    "SliceNode": _names("builtins", "slice"),
    "TypeNode": _SCALARS,
    "DTypeNode": _names("numpy", "dtype"),
    "NdArrayNode": _SCALARS | _names("numpy", "ndarray"),
    "RandomStateNode": _names("numpy.random.mtrand", "RandomState"),
    "RandomGeneratorNode": _names("numpy.random._generator", "Generator"),
    "ObjectNode": _PREDICTORS | _TRANSFORMERS,
    "TreeNode": _names("sklearn.tree._tree", "Tree"),
    "LossNode": _names("sklearn._loss._loss", "CyHalfBinomialLoss CyHalfMultinomialLoss CyExponentialLoss")
    | _names("sklearn._loss._loss", "CyHalfSquaredError CyAbsoluteError")
    | _names("sklearn.linear_model._sgd_fast", "Hinge SquaredHinge ModifiedHuber EpsilonInsensitive Huber Log")
    | _names("sklearn.linear_model._sgd_fast", "SquaredEpsilonInsensitive SquaredLoss"),
}  # fmt: skip
