"""Many predictions as a job: chunks, workers, clusters; a run that was stopped can be resumed."""

from lormika.jobs.part_columns import INSTANCES, RULES
from lormika.jobs.partition import explain_partition, spark_schema

__all__ = ["INSTANCES", "RULES", "explain_partition", "spark_schema"]
