"""Tables to try things on: synthetic loans, and the four data sets of the paper."""

from lormika.data.loans import LOAN_RULES, loan_reasons, make_loans
from lormika.data.paper import NAMES, load, load_adult, load_compas, load_covertype, load_german, split
from lormika.data.standard_models import MODELS, make_model

__all__ = [
    "LOAN_RULES",
    "MODELS",
    "NAMES",
    "load",
    "load_adult",
    "load_compas",
    "load_covertype",
    "load_german",
    "loan_reasons",
    "make_loans",
    "make_model",
    "split",
]
