"""Many predictions as a job: chunks, workers, clusters; a run that was stopped goes on where it was."""

from lormika.batch.partition import explain_partition, spark_schema
from lormika.batch.records import INSTANCES, RULES

__all__ = ["INSTANCES", "RULES", "explain_partition", "spark_schema"]
