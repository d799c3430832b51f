"""The paper's experiments: explainers compared on data sets and models, with measures, tables and figures.

Rajapaksha, Bergmeir, Buntine: LoRMIkA: Local Rule-based Model Interpretability with k-optimal Associations.
"""

from lormika.evaluation.bench import Step, evaluate
from lormika.evaluation.figures import write_figures
from lormika.evaluation.ledger import Ledger
from lormika.evaluation.plan import Plan, quick
from lormika.evaluation.table_files import write_tables
from lormika.evaluation.tables import make_tables

__all__ = ["Ledger", "Plan", "Step", "evaluate", "make_tables", "quick", "write_figures", "write_tables"]
