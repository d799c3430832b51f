"""Why does a model see a high risk? The example of the paper, from the COMPAS data.

A random forest judges a man of 27 with four prior offences. The four kinds of rules say what speaks for that, what
speaks against it, what would make it more certain, and what would turn it. Nothing speaks against it so clearly that
the filter `significant`, the default, lets it pass; so each condition need only raise the confidence (`productive`).
Fewer prior offences go with lower risk among people like him, as the paper says, but do not turn his case: the model
was asked. Another age, race or length of stay would; and so would not having reoffended within two years, though all
similar people have.

    LORMIKA_DATA=folder python examples/compas.py [report.html]       # the folder holds compas.csv
"""

from __future__ import annotations

import sys

from lormika import Explainer, datasets

DEFENDANT = {
    "age": 27,
    "age_cat": "25 - 45",
    "sex": "Male",
    "race": "African-American",
    "priors_count": 4,
    "days_b_screening_arrest": 1,
    "c_charge_degree": "F",
    "is_recid": 1,
    "is_violent_recid": 1,
    "two_year_recid": 1,
    "length_of_stay": 50,
}


def main(report: str = "compas.html") -> None:
    """Train the model, explain its prediction, print the rules, and write the report."""
    background, _, classes, _ = datasets.split(*datasets.load_compas())
    model = datasets.make_model("rf", background).fit(background, classes)
    explanation = Explainer(model, background).explain(DEFENDANT, k=2, filter="productive")
    print(explanation)
    print(f"\nThe same with pictures: {explanation.save(report)}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
